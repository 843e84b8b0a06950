import { readFileSync } from 'node:fs';
import { Script } from 'node:vm';
import { describe, expect, test } from 'vitest';
import { machineLike } from '../testing/machine.ts';
import { chromiumArguments, type ChromiumStart } from './chromium-arguments.ts';
import { chromiumPaths } from './chromium-paths.ts';
import { firstExecutable } from './executables.ts';
import { firefoxArguments, firefoxPaths, preferencesFile } from './firefox-driver.ts';
import { topmostScript } from './keep-topmost.ts';
import { openCommand } from './open-link.ts';
import { scriptArguments } from './script-driver.ts';
import { windowDrivers } from './window-drivers.ts';

const windows = machineLike({
  platform: 'win32',
  home: String.raw`C:\Users\anna`,
  env: {
    'ProgramFiles(x86)': String.raw`C:\Program Files (x86)`,
    ProgramFiles: String.raw`C:\Program Files`,
    LOCALAPPDATA: String.raw`C:\Users\anna\AppData\Local`,
  },
});
const mac = machineLike({ platform: 'darwin', home: '/Users/anna' });
const linux = machineLike({ env: { PATH: '/usr/local/bin:/usr/bin', DISPLAY: ':0' } });

describe('browsers are found', () => {
  test.each([
    [
      'Edge on Windows',
      chromiumPaths(windows),
      String.raw`C:\Program Files (x86)\Microsoft\Edge\Application\msedge.exe`,
    ],
    [
      'Chrome for one user',
      chromiumPaths(windows),
      String.raw`C:\Users\anna\AppData\Local\Google\Chrome\Application\chrome.exe`,
    ],
    ['Chrome on macOS', chromiumPaths(mac), '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome'],
    [
      'Brave at home',
      chromiumPaths(mac),
      '/Users/anna/Applications/Brave Browser.app/Contents/MacOS/Brave Browser',
    ],
    ['Chromium on Linux', chromiumPaths(linux), '/usr/bin/chromium'],
    ['Vivaldi on Linux', chromiumPaths(linux), '/usr/local/bin/vivaldi'],
    ['Firefox on Windows', firefoxPaths(windows), String.raw`C:\Program Files\Mozilla Firefox\firefox.exe`],
    ['Firefox on macOS', firefoxPaths(mac), '/Applications/Firefox.app/Contents/MacOS/firefox'],
    ['Firefox on Linux', firefoxPaths(linux), '/usr/bin/firefox-esr'],
  ])('%s', async (_, paths, there) => {
    expect(await firstExecutable(paths, async (path) => path === there)).toBe(there);
  });

  test('Edge comes first on Windows, where it always is', async () => {
    const [first] = chromiumPaths(windows);
    expect(first).toContain('msedge.exe');
  });

  test('nothing is nothing', async () => {
    expect(await firstExecutable(chromiumPaths(linux), async () => false)).toBeUndefined();
    expect(chromiumPaths(machineLike({ env: {} }))).toStrictEqual([]);
  });
});

describe('a browser of the Chromium family', () => {
  const start: ChromiumStart = {
    platform: 'linux',
    profile: '/home/anna/.local/state/deskside/popup-browser/chromium',
    theme: 'light',
    onX11: true,
    isRoot: false,
  };

  test('starts with a profile and a size, and reaches nothing but this machine', () => {
    const args = chromiumArguments({ ...start, position: { x: 550, y: 200 } });
    expect(args).toStrictEqual(
      expect.arrayContaining([
        '--user-data-dir=/home/anna/.local/state/deskside/popup-browser/chromium',
        '--window-size=500,600',
        '--window-position=550,200',
        '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1',
        '--no-proxy-server',
        '--ozone-platform=x11',
        '--force-renderer-accessibility',
      ]),
    );
    expect(args.filter((arg) => /debugging|sandbox|http:/.test(arg))).toStrictEqual([]);
  });

  test.each([
    [
      'for root without the sandbox that does not work there',
      { isRoot: true },
      ['--no-sandbox', '--test-type'],
      [],
    ],
    ['dark', { theme: 'dark' }, ['--force-dark-mode'], []],
    ['on Wayland alone', { onX11: false }, [], ['--ozone-platform=x11']],
    [
      'on Windows',
      { platform: 'win32' },
      [],
      ['--disable-gpu', '--class=deskside-popup', '--ozone-platform=x11'],
    ],
    ['on macOS, as whoever', { platform: 'darwin', isRoot: true }, [], ['--no-sandbox']],
  ] as const)('%s', (_, changes, there, missing) => {
    const args = chromiumArguments({ ...start, ...changes });
    expect(there.filter((arg) => !args.includes(arg))).toStrictEqual([]);
    expect(missing.filter((arg) => args.includes(arg))).toStrictEqual([]);
  });
});

test('Firefox starts in a profile of its own, with its controls hidden by preference', () => {
  expect(firefoxArguments('/state/firefox', '/run/popup-1.html')).toStrictEqual(
    [
      '--new-instance',
      '--profile',
      '/state/firefox',
      '--class',
      'deskside-popup',
      '--width',
      '500',
      '--height',
      '600',
    ].concat(['--new-window', 'file:///run/popup-1.html']),
  );
  expect(preferencesFile({ 'a.b': true, c: 'x"y', d: 0 })).toBe(
    'user_pref("a.b", true);\nuser_pref("c", "x\\"y");\nuser_pref("d", 0);\n',
  );
});

test.each([
  ['gtk', []],
  ['mac', ['-l', 'JavaScript']],
] as const)('the script for %s is there, and is handed what it needs', (kind, flags) => {
  const args = scriptArguments(kind, { entrance: '/run/popup 1.html', title: '$(x) "y"', theme: 'auto' });
  const [path = ''] = args.slice(flags.length);
  expect(args).toStrictEqual([...flags, path, 'file:///run/popup%201.html', '$(x) "y"', '500', '600']);
  expect(() => new Script(readFileSync(path, 'utf8'), { filename: path })).not.toThrow();
});

test.each([
  ['linux', 'auto', ['chromium', 'webkit-gjs', 'firefox']],
  ['darwin', 'auto', ['chromium', 'webkit-jxa', 'firefox']],
  ['win32', 'auto', ['chromium', 'firefox']],
  ['linux', 'firefox', ['firefox']],
  ['win32', 'webkit-gjs', []],
] as const)('on %s, %s means %j', (platform, presenter, names) => {
  const drivers = windowDrivers({ presenter }, { machine: machineLike({ platform }), folder: '/state' });
  expect(drivers.map(({ name }) => name)).toStrictEqual(names);
});

test('Windows is asked to keep the window on top', () => {
  expect(topmostScript(4711)).toMatch(
    /Get-Process -Id 4711;[^]*SetWindowPos\(\$p\.MainWindowHandle, \[IntPtr\]-1/,
  );
});

test.each([
  ['linux', 'xdg-open', ['https://example.com/?a=1&b=2']],
  ['darwin', 'open', ['https://example.com/?a=1&b=2']],
  ['win32', 'rundll32', ['url.dll,FileProtocolHandler', 'https://example.com/?a=1&b=2']],
] as const)('a link opens on %s without a shell', (platform, command, args) => {
  expect(openCommand(platform, 'https://example.com/?a=1&b=2')).toStrictEqual({ command, args });
});
