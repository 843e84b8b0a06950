import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '@deskside/testkit';
import { expect, test } from 'vitest';
import { DesktopSink } from './desktop-sink.ts';
import { findDriver, isProgram, type Machine, notifySend, osascript, windowsToast } from './drivers.ts';

function machine(platform: string, env: Machine['env'], files: readonly string[], userId = 1000): Machine {
  const has = (path: string) => files.includes(path);
  return { platform, env, userId, exists: has, isProgram: has };
}

const installed = ['/usr/bin/notify-send'];
const PATH = '/bin:/usr/bin';

test.each([
  ['macOS', machine('darwin', {}, []), osascript],
  ['Windows', machine('win32', {}, []), windowsToast],
  ['X11', machine('linux', { DISPLAY: ':0', PATH }, installed), notifySend],
  ['Wayland', machine('linux', { WAYLAND_DISPLAY: 'wayland-0', PATH }, installed), notifySend],
  [
    'a session bus in the environment',
    machine('linux', { DBUS_SESSION_BUS_ADDRESS: 'unix:x', PATH }, installed),
    notifySend,
  ],
  [
    "a session bus in the user's runtime folder",
    machine('linux', { PATH }, [...installed, '/run/user/1000/bus']),
    notifySend,
  ],
  ['FreeBSD', machine('freebsd', { DISPLAY: ':0', PATH }, installed), notifySend],
])('findDriver returns the driver for %s', (_, described, driver) => {
  expect(findDriver(described)).toBe(driver);
});

test.each([
  ['without a session', machine('linux', { PATH }, installed), /no desktop session/],
  ['with an empty display', machine('linux', { DISPLAY: '', PATH }, installed), /no desktop session/],
  [
    "with another user's bus",
    machine('linux', { PATH }, [...installed, '/run/user/7/bus']),
    /no desktop session/,
  ],
  [
    'without notify-send',
    machine('linux', { DISPLAY: ':0', PATH }, []),
    /notify-send is not installed\. Install/,
  ],
  ['without a PATH', machine('linux', { DISPLAY: ':0' }, installed), /notify-send is not installed/],
])('findDriver explains why none works %s', (_, described, reason) => {
  expect(findDriver(described)).toMatch(reason);
  expect(new DesktopSink(() => described).unavailable()).toMatch(reason);
});

test('isProgram is true for an executable file only', () => {
  const folder = temporaryFolder();
  const [program, text] = [join(folder, 'program'), join(folder, 'text')];
  writeFileSync(program, '');
  chmodSync(program, 0o700);
  writeFileSync(text, '');
  chmodSync(text, 0o600);
  mkdirSync(join(folder, 'folder'));
  const found = ['program', 'text', 'folder', 'missing'].filter((name) => isProgram(join(folder, name)));
  expect(found).toStrictEqual(['program']);
});

test('notifySend escapes markup and C escapes', () => {
  const { args } = notifySend({ level: 'warn', title: '-t', body: String.raw`<b>&\033[31m` });
  expect(args).toStrictEqual([
    '--app-name=Deskside',
    '--urgency=normal',
    '--',
    '-t',
    String.raw`&lt;b&gt;&amp;\\033[31m`,
  ]);
});
