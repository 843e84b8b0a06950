import { expect, test } from 'vitest';
import { builtInOptions } from '../mounts/built-in.ts';
import { httpOptions, mountOptions, stdioOptions } from '../options.ts';
import { desktopOf, settingsOf } from './variables.ts';

const all = Object.values(await builtInOptions()).flatMap(({ settings }) => settings);
const names = (settings: readonly { readonly env: string | undefined }[]) =>
  settings.flatMap(({ env }) => env ?? []);
const environment = (variables: readonly string[]) =>
  Object.fromEntries(variables.map((name) => [name, '1']));

test('every variable of a mounted server that is not empty is compared with those of the desk', () => {
  expect(all.length).toBeGreaterThan(10);
  const env = { ...environment(names(all)), TODO_EMPTY: '', PATH: '/bin' };
  expect(Object.keys(settingsOf(env)).toSorted()).toStrictEqual([...new Set(names(all))].toSorted());
});

test('what only deskside http reads, and what differs per client, is not compared', () => {
  const compared = Object.keys(
    settingsOf(environment(names([...httpOptions.settings, ...stdioOptions.settings]))),
  );
  expect(compared).toStrictEqual([...names(mountOptions.settings), 'DESKSIDE_LOG_LEVEL']);
});

test('the display, the desktop session and the project are handed over, also if they are empty, and nothing else', () => {
  // An empty DISPLAY keeps windows away.
  const desktop = { DISPLAY: '', CLAUDE_PROJECT_DIR: '/srv/shop', LANG: '' };
  expect(desktopOf({ ...desktop, PATH: '/bin', API_KEY: 'x', XAUTHORITY: undefined })).toStrictEqual(desktop);
});
