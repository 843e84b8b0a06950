import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { temporaryFolder } from '@deskside/testkit';
import { expect, test, vi } from 'vitest';
import type { Ending } from '../service/presenter.ts';
import { popupSpec, testSystem } from '../testing/samples.ts';
import { browserPaths } from './browser.ts';
import { chromium } from './chromium.ts';
import { claimProfile, cleanUpProfile } from './chromium-profile.ts';
import type { WindowDriver, WindowRequest } from './driver.ts';
import { firefox } from './firefox.ts';
import { closeTimeoutMs, windowDrivers, windowPresenter } from './window-presenter.ts';
import { writeRedirectFile } from './redirect-file.ts';
import { stateFolder, type SystemInfo } from '../desktop/system.ts';
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
  ['Chrome on macOS', chromiumPaths(mac), '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome'],
  [
    'Brave in the home folder on macOS',
    chromiumPaths(mac),
    '/Users/anna/Applications/Brave Browser.app/Contents/MacOS/Brave Browser',
  ],
  ['Chromium on Linux', chromiumPaths(linux), '/usr/bin/chromium'],
  ['Firefox on Windows', firefoxPaths(windows), String.raw`C:\Program Files\Mozilla Firefox\firefox.exe`],
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

test.each([
  // Here the browser ends with its last window.
  ['linux', false],
  ['win32', false],
  ['darwin', true],
] as const)(
  'on %s a window that does not close is killed within the 400 ms of a server that ends: %s',
  (platform, isKilled) => {
    expect(closeTimeoutMs(platform) < 300).toBe(isKilled);
  },
);

test('Edge is the first choice on Windows, and without PATH only packaged browsers are looked for', () => {
  expect(chromiumPaths(windows)[0]).toContain('msedge.exe');
  const paths = chromiumPaths(testSystem({ env: {} }));
  expect(paths.filter((path) => !/snap|flatpak/.test(path))).toStrictEqual([]);
});

test.each(['/', '/nowhere/firefox'])('the browser %s is not a program', async (browser) => {
  const [driver] = windowDrivers({ browser }, { system: linux, folder: '/state', keepsNothing: false });
  expect(await driver?.probe()).toStrictEqual({ missing: `${browser} is not an executable file` });
});

test.each<[NodeJS.Platform, Parameters<typeof windowDrivers>[0], string[]]>([
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
  const drivers = windowDrivers(options, {
    system: testSystem({ platform }),
    folder: '/state',
    keepsNothing: false,
  });
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

function driver(changes: Partial<WindowDriver>): WindowDriver {
  return {
    name: 'chromium',
    centersWindow: true,
    exitCodeMeansClosed: false,
    probe: async () => ({ found: '/usr/bin/browser' }),
    open: async () => {
      throw new Error('spawn EACCES');
    },
    ...changes,
  };
}

const someSystem = () => testSystem({ home: temporaryFolder(), uid: process.getuid?.() ?? -1 });

/** A presenter with these programs, in a home folder of its own. */
function presenterOf(drivers: readonly WindowDriver[], system = someSystem()) {
  return windowPresenter({
    sessionOf: () => ({ system, find: async () => ({ display: ':0', why: 'test', variables: {} }) }),
    drivers: () => drivers,
    plain: false,
    systemTheme: async () => 'light',
  });
}

test('if no window opens, the error gives the reason of each program', async () => {
  const presenter = presenterOf([
    driver({}),
    driver({ name: 'webkit-jxa', probe: async () => ({ missing: 'no osascript found' }) }),
    driver({
      name: 'firefox',
      open: async () => ({ gone: Promise.resolve(1), kill: async () => undefined }),
    }),
  ]);
  await expect(presenter.present(popupSpec()).shown).rejects.toThrow(
    'chromium did not start (spawn EACCES), no osascript found, firefox showed nothing',
  );
});

/** How many servers of this process listen. */
function listening(): number {
  return process.getActiveResourcesInfo().filter((name) => name === 'TCPServerWrap').length;
}

test('a popup whose file cannot be written gives the reason, and leaves no server', async () => {
  const system = someSystem();
  const before = listening();
  const probe = async () => {
    rmSync(stateFolder(system), { recursive: true, force: true });
    return { found: '/usr/bin/browser' };
  };
  const presenter = presenterOf([driver({ probe })], system);
  await expect(presenter.present(popupSpec()).shown).rejects.toThrow(/^chromium did not start \(ENOENT/);
  expect(listening()).toBe(before);
});

test('a presenter of another platform is an obstacle with a reason', async () => {
  const log = { debug: () => undefined, info: () => undefined, warn: () => undefined };
  const reason = 'the chosen presenter is not for this system';
  expect(await presenterOf([]).findObstacle(log)).toStrictEqual({ kind: 'failed', reason });
});

test('a profile with the lock of another machine stays as it is: Chromium gets another one', async () => {
  const profile = temporaryFolder();
  symlinkSync('laptop.hotel-wifi-4711', join(profile, 'SingletonLock'));
  expect(await claimProfile(profile, testSystem({}))).toBe(`${profile}-2`);
  expect(readdirSync(profile)).toStrictEqual(['SingletonLock']);
});

/** Two questions, for programs of which Chromium does not show the page, and Firefox does. */
async function openedBy(chromium: WindowDriver['open']) {
  const opened: string[] = [];
  const endings: (Ending | 'open')[] = [];
  const warn = vi.fn<(message: string, fields?: object) => void>();
  const log = { debug: () => undefined, info: () => undefined, warn };
  const presenter = presenterOf([
    driver({
      open(...given) {
        opened.push('chromium');
        return chromium(...given);
      },
    }),
    driver({
      name: 'firefox',
      async open(_, { redirectFile }) {
        opened.push('firefox');
        await loadPage(addressIn(redirectFile));
        return { gone: new Promise(() => undefined), kill: async () => undefined };
      },
    }),
  ]);
  for (let question = 0; question < 2; question += 1) {
    const popup = presenter.present(popupSpec({}, { log }));
    await popup.shown;
    const open = new Promise<'open'>((resolve) => {
      setImmediate(resolve, 'open');
    });
    endings.push(await Promise.race([popup.ended, open]));
    await popup.close();
  }
  return { opened, endings, warnings: warn.mock.calls };
}

test.each([
  // A browser of an organization shows its own page, and then ends.
  ['ends without a window', 0, () => undefined],
  ['crashes after its window opened', 139, ({ onOpen }: WindowRequest) => onOpen()],
])('a program that %s is logged once, and tried last from then on', async (_, code, does) => {
  const { opened, endings, warnings } = await openedBy(async (_command, request) => {
    does(request);
    return { gone: Promise.resolve(code), kill: async () => undefined };
  });
  expect({ opened, endings }).toStrictEqual({
    opened: ['chromium', 'firefox', 'firefox'],
    endings: ['open', 'open'],
  });
  expect(warnings).toStrictEqual([
    [
      'program shows no window, tried last from now on',
      { program: '/usr/bin/browser', failure: 'showed nothing' },
    ],
  ]);
});

test.each([
  ['the window manager has it', async ({ onOpen }: WindowRequest) => onOpen()],
  ['it has asked for the page', ({ redirectFile }: WindowRequest) => fetch(addressIn(redirectFile))],
])('a window that is closed before its page is painted is dismissed once %s', async (_, opens) => {
  const result = await openedBy(async (_command, request) => {
    await opens(request);
    return { gone: Promise.resolve(0), kill: async () => undefined };
  });
  expect(result).toStrictEqual({
    opened: ['chromium', 'chromium'],
    endings: [{ kind: 'dismissed' }, { kind: 'dismissed' }],
    warnings: [],
  });
});

/** Of the page, in the file that leads to it. */
function addressIn(redirectFile: string): string {
  return /http:[^"]+/.exec(readFileSync(redirectFile, 'utf8'))?.[0] ?? '';
}

/** As a browser does. @returns what sends a message of the page */
async function loadPage(address: string) {
  const [cookie = ''] = (await fetch(address)).headers.getSetCookie();
  const { origin } = new URL(address);
  const send = (message: object) =>
    fetch(`${origin}/message`, {
      method: 'POST',
      headers: { cookie: cookie.split(';')[0] ?? '', origin, 'content-type': 'application/json' },
      body: JSON.stringify(message),
    });
  await send({ type: 'ready' });
  return send;
}

/** Windows that stay until they are killed. An answer is sent as soon as the page is there. */
function answering() {
  const windows: { isOpen: boolean }[] = [];
  const presenter = presenterOf([
    driver({
      async open(_, { redirectFile, painted }) {
        const window = { isOpen: true };
        const gone = Promise.withResolvers<number>();
        windows.push(window);
        const send = await loadPage(addressIn(redirectFile));
        void painted.then(() => setImmediate(() => void send({ type: 'submit', text: 'yes' })));
        return {
          gone: gone.promise,
          async kill() {
            window.isOpen = false;
            gone.resolve(0);
          },
        };
      },
    }),
  ]);
  return {
    presenter,
    isOpen: () => windows.map((window) => window.isOpen),
    /** Shows a question while another one waits that can follow it, and answers it. */
    async answer(follows: boolean) {
      const popup = presenter.present(popupSpec({}, { follows }));
      const about = { caller: 'Codex', since: '2026-03-01T09:00:00.000Z', firstLine: 'And this?' };
      popup.notify({ kind: 'waiting', waiting: [{ id: 'next', here: true, follows: true, ...about }] });
      await popup.ended;
      await popup.close();
    },
  };
}

test('the window of an answer waits for the next question, and closes if that never comes', async () => {
  const { presenter, isOpen, answer } = answering();
  await answer(false);
  expect(isOpen()).toStrictEqual([true]);
  await presenter.closeKept();
  expect([isOpen(), presenter.closeKept()]).toStrictEqual([[false], undefined]);
});

test('a question of another principal never appears in the window of an answer', async () => {
  const { presenter, isOpen, answer } = answering();
  await answer(false);
  await answer(false);
  expect(isOpen()).toStrictEqual([false, true]);
  await presenter.closeKept();
});

test('the title of a window is one line without control characters, as on its page', async () => {
  const titles: string[] = [];
  const open: WindowDriver['open'] = async (_, { title }) => {
    titles.push(title);
    throw new Error('enough');
  };
  const presenter = presenterOf([driver({ open })]);
  await expect(presenter.present(popupSpec({ title: 'a\0b\nc' })).shown).rejects.toThrow('enough');
  expect(titles[0]).toBe(String.raw`a\u{0}b c`);
});
