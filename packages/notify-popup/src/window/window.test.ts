import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { temporaryFolder } from '@deskside/testkit';
import { expect, test } from 'vitest';
import { popupSpec, testSystem } from '../testing/samples.ts';
import { browserPaths } from './browser.ts';
import { chromium } from './chromium.ts';
import { claimProfile, cleanUpProfile } from './chromium-profile.ts';
import { firefox } from './firefox.ts';
import { type DriverChoice, windowDrivers } from './window-presenter.ts';
import { writeRedirectFile } from './redirect-file.ts';
import type { SystemInfo } from '../desktop/system.ts';
import { sandboxFolder } from './program-folders.ts';

const chromiumPaths = (system: SystemInfo) => browserPaths(chromium.programs, system);
const firefoxPaths = (system: SystemInfo) => browserPaths(firefox.programs, system);

const windows = testSystem({
  platform: 'win32',
  home: String.raw`C:\Users\anna`,
  env: {
    'ProgramFiles(x86)': String.raw`C:\Program Files (x86)`,
    ProgramFiles: String.raw`C:\Program Files`,
    LOCALAPPDATA: String.raw`C:\Users\anna\AppData\Local`,
  },
});
/** What the SDK's client hands on. */
const reduced = testSystem({
  platform: 'win32',
  home: String.raw`C:\Users\anna`,
  env: { PROGRAMFILES: String.raw`C:\Program Files`, SYSTEMDRIVE: 'C:', USERNAME: 'anna' },
});
const EDGE = String.raw`C:\Program Files (x86)\Microsoft\Edge\Application\msedge.exe`;
const mac = testSystem({ platform: 'darwin', home: '/Users/anna' });
const linux = testSystem({ env: { PATH: '/usr/local/bin:/usr/bin', DISPLAY: ':0' } });

test.each([
  [
    'Chrome of one Windows user',
    chromiumPaths(windows),
    String.raw`C:\Users\anna\AppData\Local\Google\Chrome\Application\chrome.exe`,
  ],
  [
    'Brave in the home folder on macOS',
    chromiumPaths(mac),
    '/Users/anna/Applications/Brave Browser.app/Contents/MacOS/Brave Browser',
  ],
  ['Chromium on Linux', chromiumPaths(linux), '/usr/bin/chromium'],
  ['Chromium from a snap package', chromiumPaths(linux), '/snap/bin/chromium'],
  [
    'Chrome from a flatpak package of one user',
    chromiumPaths(linux),
    '/home/anna/.local/share/flatpak/exports/bin/com.google.Chrome',
  ],
  ['Firefox from a flatpak package', firefoxPaths(linux), '/var/lib/flatpak/exports/bin/org.mozilla.firefox'],
  ['Edge without the variables of Windows', chromiumPaths(reduced), EDGE],
])('%s is found in its usual folder', (_, paths, installed) => {
  expect(paths).toContain(installed);
});

test.each([
  ['win32', true],
  ['linux', false],
] as const)(
  'on %s the launcher of Firefox is asked to stay until its window is closed: %s',
  (platform, waits) => {
    const args = firefox.argumentsFor({
      system: testSystem({ platform }),
      profile: '/p',
      theme: 'auto',
      size: { width: 500, height: 300 },
      address: 'file:///a',
      position: undefined,
      usesX11: false,
    });
    expect(args.includes('--wait-for-browser')).toBe(waits);
  },
);

test('Edge is the first choice on Windows, and without PATH only packaged browsers are looked for', () => {
  expect(chromiumPaths(windows)[0]).toContain('msedge.exe');
  const paths = chromiumPaths(testSystem({ env: {} }));
  expect(paths.filter((path) => !/snap|flatpak/.test(path))).toStrictEqual([]);
});

test.each(['/', '/nowhere/firefox'])('the browser %s is not a program', async (browser) => {
  const [driver] = windowDrivers({ browser, history: true }, linux);
  expect(driver?.probe()).toStrictEqual({ missing: `${browser} is not an executable file` });
});

test.each<[NodeJS.Platform, Partial<DriverChoice>, string[]]>([
  ['linux', {}, ['chromium', 'firefox']],
  ['darwin', {}, ['chromium', 'webkit-jxa', 'firefox']],
  ['linux', { presenter: 'firefox' }, ['firefox']],
  ['win32', { presenter: 'webkit-jxa' }, []],
  // A browser comes first, with its own arguments only.
  ['linux', { browser: '/opt/firefox/firefox' }, ['firefox']],
  ['win32', { browser: String.raw`C:\Program Files\Mozilla Firefox\firefox.exe` }, ['firefox']],
  ['darwin', { browser: '/Applications/Firefox.app/Contents/MacOS/firefox' }, ['firefox', 'webkit-jxa']],
  ['linux', { browser: '/opt/chromium/chrome' }, ['chromium']],
])('on %s the options %j mean the programs %j', (platform, options, names) => {
  const drivers = windowDrivers({ history: true, ...options }, testSystem({ platform }));
  expect(drivers.map(({ name }) => name)).toStrictEqual(names);
});

test.each([
  ['/usr/bin/chromium', undefined],
  ['/snap/bin/chromium', '/home/anna/snap/chromium/common/deskside-popup'],
  ['/var/lib/flatpak/exports/bin/com.google.Chrome', '/home/anna/.var/app/com.google.Chrome/deskside-popup'],
])('the profile of %s is in %s, which its package may write', async (command, folder) => {
  expect(await sandboxFolder(command, linux)).toBe(folder);
});

test('a profile that must keep nothing is emptied before and deleted after the window', async () => {
  const profile = join(temporaryFolder(), 'chromium-private');
  mkdirSync(profile);
  writeFileSync(join(profile, 'History'), 'Delete the backups?');
  expect(await claimProfile(profile, linux, true)).toBe(profile);
  expect(existsSync(join(profile, 'History'))).toBe(false);
  writeFileSync(join(profile, 'History'), 'Delete the backups?');
  await cleanUpProfile(profile, true);
  expect(existsSync(profile)).toBe(false);
});

test.each([
  [
    'Chromium',
    chromium,
    [
      'Default/History',
      'Default/History-journal',
      'Default/Sessions/Apps_1',
      'Default/Sessions_Encrypted/Apps_1',
    ],
  ],
  [
    'Firefox',
    firefox,
    ['sessionstore.jsonlz4', 'sessionstore-backups/recovery.jsonlz4', 'places.sqlite', 'places.sqlite-wal'],
  ],
])(
  'no title or typed text stays in a profile of %s, also after a killed browser',
  async (_, browser, files) => {
    const folder = join(temporaryFolder(), 'profile');
    const write = (name: string) => {
      mkdirSync(dirname(join(folder, name)), { recursive: true });
      writeFileSync(join(folder, name), 'Delete the backups?');
    };
    const kept = ['Default/Preferences', 'prefs.js'];
    const existing = () => [...files, ...kept].filter((name) => existsSync(join(folder, name)));
    for (const name of [...files, ...kept]) write(name);
    const profile = await browser.claimProfile(folder, linux, false);
    expect(existing()).toStrictEqual(kept);
    for (const name of files) write(name);
    await browser.cleanUpProfile(profile, false);
    expect(existing()).toStrictEqual(kept);
  },
);

test('the first frame has the title of the question, the name of the agent and the colors of the page', async () => {
  const file = join(temporaryFolder(), 'popup.html');
  const { question } = popupSpec({ title: 'Release <2>', caller: 'Codex · <b>', theme: 'dark' });
  await writeRedirectFile(file, ['http://127.0.0.1:1/'], question);
  const html = readFileSync(file, 'utf8');
  for (const part of ['<title>Release &lt;2&gt;</title>', '<p>Codex · &lt;b&gt;</p>', 'color-scheme: dark;'])
    expect(html).toContain(part);
  const tokens = readFileSync(fileURLToPath(import.meta.resolve('@deskside/look/tokens.css')), 'utf8');
  for (const color of html.match(/light-dark\(.*?\)/g) ?? []) expect(tokens).toContain(color);
});

test('a browser profile of more than 100 MB is deleted', async () => {
  const profile = temporaryFolder();
  const cache = join(profile, 'cache');
  writeFileSync(cache, '');
  truncateSync(cache, 100 * 1024 * 1024);
  await cleanUpProfile(profile);
  expect(existsSync(cache)).toBe(true);
  truncateSync(cache, 100 * 1024 * 1024 + 1);
  await cleanUpProfile(profile);
  expect(existsSync(profile)).toBe(false);
});

test('a profile with the lock of another machine stays as it is: Chromium gets another one', async () => {
  const profile = temporaryFolder();
  symlinkSync('laptop.hotel-wifi-4711', join(profile, 'SingletonLock'));
  expect(await claimProfile(profile, testSystem({}))).toBe(`${profile}-2`);
  expect(readdirSync(profile)).toStrictEqual(['SingletonLock']);
});
