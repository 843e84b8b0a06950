import { fork } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '@deskside/testkit';
import { expect, onTestFinished, test } from 'vitest';
import { testSystem } from '../testing/samples.ts';
import { chimeWave, playChime } from './chime.ts';
import { acquireLock } from './lock.ts';
import { systemTheme } from './theme.ts';

/** Writes an executable shell script. */
function writeProgram(folder: string, name: string, script: string): void {
  writeFileSync(join(folder, name), `#!/bin/sh\n${script}\n`);
  chmodSync(join(folder, name), 0o755);
}

test('a killed process loses the lock at once and leaves no socket behind', async () => {
  const folder = temporaryFolder();
  const holder = fork(join(import.meta.dirname, '../testing/lock-holder.ts'), [folder], { execArgv: [] });
  onTestFinished(() => void holder.kill('SIGKILL'));
  await once(holder, 'message');
  const waiting = acquireLock(folder, new AbortController().signal);
  holder.kill('SIGKILL');
  const lock = await waiting;
  expect(readdirSync(folder).filter((name) => name.endsWith('.sock'))).toHaveLength(1);
  lock.release();
});

test('a chime is played by the first player that works', async () => {
  const folder = temporaryFolder();
  mkdirSync(join(folder, 'run'), { mode: 0o700 });
  writeProgram(folder, 'paplay', 'exit 1');
  writeProgram(folder, 'aplay', `echo "$@" > ${folder}/played`);
  writeProgram(folder, 'canberra-gtk-play', `echo late > ${folder}/played`);
  const env = { PATH: `${folder}:/bin`, XDG_RUNTIME_DIR: join(folder, 'run') };
  await playChime('start', testSystem({ env, uid: process.getuid?.() ?? -1 }));
  const played = readFileSync(join(folder, 'played'), 'utf8').trim();
  expect(played).toBe(`-q ${join(folder, 'run/deskside/chime-start.wav')}`);
  expect(readFileSync(played.slice('-q '.length))).toStrictEqual(chimeWave('start'));
});

const REGISTRY = String.raw`query HKCU\Software\Microsoft\Windows\CurrentVersion\Themes\Personalize /v AppsUseLightTheme`;

test.each([
  ['darwin', 'defaults', 'read -g AppleInterfaceStyle', 'Dark', 'dark'],
  ['win32', 'reg', REGISTRY, '    AppsUseLightTheme    REG_DWORD    0x0', 'dark'],
  ['win32', 'reg', REGISTRY, '    AppsUseLightTheme    REG_DWORD    0x1', 'light'],
  ['linux', 'gsettings', 'get org.gnome.desktop.interface color-scheme', "'prefer-dark'", 'dark'],
  ['linux', 'gsettings', 'get org.gnome.desktop.interface color-scheme', "'prefer-light'", 'light'],
  ['linux', 'gsettings', 'get org.gnome.desktop.interface color-scheme', "'default'", 'light'],
] as const)(
  'on %s, "%s %s" that prints %j makes a %s popup',
  async (platform, command, args, output, theme) => {
    const folder = temporaryFolder();
    writeProgram(folder, command, `[ "$*" = '${args}' ] && printf '%s\\r\\n' "${output}"`);
    expect(await systemTheme(testSystem({ platform, env: { PATH: folder } }))).toBe(theme);
  },
);

test.each(['darwin', 'win32', 'linux', 'freebsd'] as const)(
  'on %s the popup is light if the system does not say its theme',
  async (platform) => {
    expect(await systemTheme(testSystem({ platform, env: { PATH: '/nowhere' } }))).toBe('light');
  },
);
