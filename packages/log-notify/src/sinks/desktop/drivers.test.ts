import { expect, test } from 'vitest';
import { desktopSink } from './desktop.ts';
import { type Driver, findDriver, type Machine, notifySend } from './drivers.ts';

function machine(platform: string, env: Machine['env'], files: readonly string[], release = '6.1'): Machine {
  const has = (path: string) => files.includes(path);
  return { platform, release, env, userId: 1000, exists: has, isProgram: has };
}

const installed = ['/usr/bin/notify-send'];
const PATH = '/bin:/usr/bin';
const text = { level: 'warn', title: 'Warning: safety', body: 'Back up\nfirst' } as const;

function driverFor(described: Machine): Driver {
  const driver = findDriver(described);
  if (typeof driver === 'string' || 'address' in driver) throw new Error(JSON.stringify(driver));
  return driver;
}

const BREW = '/opt/homebrew/bin/terminal-notifier';
const POWERSHELL = '/mnt/c/Windows/System32/WindowsPowerShell/v1.0/powershell.exe';
const wsl = (env: Machine['env'], files: readonly string[]) =>
  machine('linux', env, files, '5.15.90.1-microsoft-standard-WSL2');
const IN_WSL = { DISPLAY: ':0', PATH: `${PATH}:/mnt/c/x` };
const IN_PATH = '/mnt/c/x/powershell.exe';

test.each([
  ['macOS', machine('darwin', {}, []), 'osascript'],
  ['macOS with terminal-notifier from Homebrew', machine('darwin', {}, [BREW]), BREW],
  [
    'macOS with alerter in PATH',
    machine('darwin', { PATH: '/x' }, ['/x/alerter', '/y/alerter']),
    '/x/alerter',
  ],
  ['Windows', machine('win32', {}, []), 'powershell.exe'],
  ['WSL, although a notify-send is installed', wsl(IN_WSL, [...installed, IN_PATH]), IN_PATH],
  ['WSL without the PATH of Windows', wsl({ PATH }, [POWERSHELL]), POWERSHELL],
  ['X11', machine('linux', { DISPLAY: ':0', PATH }, installed), 'notify-send'],
  ['a session bus', machine('linux', { DBUS_SESSION_BUS_ADDRESS: 'unix:x', PATH }, installed), 'notify-send'],
])('findDriver returns the driver for %s', (_, described, program) => {
  expect(driverFor(described).command(text).program).toBe(program);
});

test.each([
  ['the variable', { DBUS_SESSION_BUS_ADDRESS: 'unix:abstract=/x,guid=1' }, 'unix:abstract=/x,guid=1'],
  ["the user's runtime folder", {}, 'unix:path=/run/user/1000/bus'],
])('a session bus of %s needs no program', (_, env, address) => {
  const described = machine('linux', env, ['/run/user/1000/bus']);
  expect(findDriver(described)).toStrictEqual({ address, userId: 1000 });
});

test('macOS explains its permission, and Linux that no session bus is known', () => {
  expect(driverFor(machine('darwin', {}, [])).advice).toMatch(/Script Editor/);
  expect(driverFor(machine('darwin', { PATH: '/x' }, ['/x/terminal-notifier'])).advice).toMatch(
    /System Settings/,
  );
  expect(driverFor(machine('linux', { DISPLAY: ':0', PATH }, installed)).advice).toMatch(
    /DBUS_SESSION_BUS_ADDRESS/,
  );
});

test.each([
  ['terminal-notifier', { args: ['-title', 'Warning: safety'], input: 'Back up\nfirst' }],
  ['alerter', { args: ['-title', 'Warning: safety', '-message', '\u200BBack up\nfirst', '-timeout', '5'] }],
])('%s gets title and message', (name, command) => {
  const { program, ...rest } = driverFor(machine('darwin', { PATH: '/x' }, [`/x/${name}`])).command(text);
  expect(program).toBe(`/x/${name}`);
  expect(rest).toStrictEqual(command);
});

const NO_SESSION = /no desktop session/;

test.each([
  ['without a session', machine('linux', { PATH }, installed), NO_SESSION],
  ['with an empty display', machine('linux', { DISPLAY: '', PATH }, installed), NO_SESSION],
  ["with another user's bus", machine('linux', { PATH }, [...installed, '/run/user/7/bus']), NO_SESSION],
  ['without notify-send', machine('linux', { DISPLAY: ':0', PATH }, []), /is not installed\. Install/],
  ['without a PATH', machine('linux', { DISPLAY: ':0' }, installed), /notify-send is not installed/],
])('findDriver explains why none works %s', (_, described, reason) => {
  expect(findDriver(described)).toMatch(reason);
  expect(desktopSink(() => described).unavailable?.()).toMatch(reason);
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

test('an error stays longer than usual, and is not critical', () => {
  const { args } = notifySend({ level: 'error', title: 'Error', body: 'a' });
  expect(args.slice(1, 4)).toStrictEqual(['--urgency=normal', '--expire-time=30000', '--']);
});
