import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { Script } from 'node:vm';
import { startX11Server, temporaryFolder } from '@deskside/testkit';
import { expect, onTestFinished, test } from 'vitest';
import { stateFolder, type SystemInfo } from '../desktop/system.ts';
import { testSystem } from '../testing/samples.ts';
import { claimProfile, cleanUpProfile } from './chromium-profile.ts';
import type { DriverName, WindowRequest } from './driver.ts';
import { windowDrivers } from './window-presenter.ts';
import { startWindow } from './process.ts';

const REQUEST: WindowRequest = {
  redirectFile: '/run/deskside/popup 1.html',
  title: '$(x) "y"',
  size: { width: 500, height: 240 },
  theme: 'light',
  takesKeyboard: true,
  painted: Promise.resolve(),
  isUsed: () => false,
  onOpen: () => undefined,
  onForeign: () => undefined,
};
const REDIRECT_URL = 'file:///run/deskside/popup%201.html';

/** A folder with programs that write their arguments to `NAME.args` and exit with 0. */
function recordingPrograms(...names: readonly string[]): string {
  const folder = temporaryFolder();
  for (const name of names) {
    writeFileSync(join(folder, name), `#!/bin/sh\nprintf '%s\\n' "$@" > "${folder}/${name}.args"\n`);
    chmodSync(join(folder, name), 0o755);
  }
  return folder;
}

/** Opens a window with a driver. @returns the arguments that its program got */
async function argumentsOf(
  name: DriverName,
  program: string,
  { theme = 'light', ...changes }: Partial<SystemInfo> & { readonly theme?: 'light' | 'dark' } = {},
) {
  const folder = recordingPrograms(program, 'powershell');
  const system = testSystem({ home: folder, env: { PATH: folder }, ...changes });
  const browser = name === 'chromium' || name === 'firefox' ? join(folder, program) : undefined;
  const [driver] = windowDrivers({ presenter: name, browser, history: true }, system);
  const probe = driver?.probe();
  expect(probe).toStrictEqual({ found: join(folder, program) });
  const window = await driver?.open(join(folder, program), { ...REQUEST, theme });
  expect(await window?.gone).toBe(0);
  // Nothing waits for PowerShell: without this it writes into a folder that is being removed.
  const late = join(folder, 'powershell.args');
  if (changes.platform === 'win32') await expect.poll(() => existsSync(late)).toBe(true);
  const args = readFileSync(join(folder, `${program}.args`), 'utf8')
    .trimEnd()
    .split('\n');
  return { folder, profiles: join(stateFolder(system), 'popup-browser'), args };
}

test.each([
  ['linux', 1000],
  ['linux', 0],
  ['darwin', 0],
  ['win32', -1],
] as const)(
  'on %s with user id %i Chromium opens only the redirect file, in a private profile, without a debugging port',
  async (platform, uid) => {
    const { profiles, args } = await argumentsOf('chromium', 'chromium', { platform, uid });
    const profile = join(profiles, 'chromium');
    expect(args).toContain(`--user-data-dir=${profile}`);
    expect(statSync(profile).mode & 0o777).toBe(0o700);
    expect(args).toContain('--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1');
    expect(args.filter((arg) => arg.startsWith('--app='))).toStrictEqual([`--app=${REDIRECT_URL}`]);
    expect(args.filter((arg) => /debugging|https?:|\/open\//.test(arg))).toStrictEqual([]);
    // The sandbox does not work for root on Linux, and must stay on everywhere else.
    expect(args.includes('--no-sandbox')).toBe(platform === 'linux' && uid === 0);
    // Nothing but this machine is reached, also if the user has configured a proxy.
    expect(args).toContain('--no-proxy-server');
    // Without it a screen reader on Linux finds an empty frame.
    expect(args.includes('--force-renderer-accessibility')).toBe(platform === 'linux');
    // No X server answers here.
    expect(args).not.toContain('--ozone-platform=x11');
  },
);

test.each(['light', 'dark'] as const)('Chromium starts in the %s theme of the popup', async (theme) => {
  const { args } = await argumentsOf('chromium', 'chromium', { theme });
  expect(args.includes('--force-dark-mode')).toBe(theme === 'dark');
});

test('on Windows PowerShell makes the window of the browser process topmost', async () => {
  const { folder } = await argumentsOf('chromium', 'chromium', { platform: 'win32', uid: -1 });
  const file = join(folder, 'powershell.args');
  await expect
    .poll(() => existsSync(file) && readFileSync(file, 'utf8'))
    .toMatch(/Get-Process -Id \d+;[^]*SetWindowPos\(\$p\.MainWindowHandle, \[IntPtr\]-1/);
});

test('Firefox opens only the redirect file, without its toolbar, in a private profile without a proxy', async () => {
  const { profiles, args } = await argumentsOf('firefox', 'firefox');
  const profile = join(profiles, 'firefox');
  expect(args).toEqual(expect.arrayContaining(['--new-instance', '--profile', profile]));
  expect(args.at(-1)).toBe(REDIRECT_URL);
  expect(statSync(profile).mode & 0o777).toBe(0o700);
  const preferences = readFileSync(join(profile, 'user.js'), 'utf8');
  expect(preferences).toContain('user_pref("network.proxy.type", 0);\n');
  expect(preferences).toContain('user_pref("dom.allow_scripts_to_close_windows", true);\n');
  expect(preferences).toContain('user_pref("browser.startup.homepage_override.mstone", "ignore");\n');
  expect(() => new Script(preferences)).not.toThrow();
  expect(readFileSync(join(profile, 'chrome/userChrome.css'), 'utf8')).toContain('#navigator-toolbox');
});

test('webkit-jxa runs a valid script with osascript and passes page, title and size', async () => {
  const { args } = await argumentsOf('webkit-jxa', 'osascript', { platform: 'darwin' });
  const [, , path = ''] = args;
  const page = [REDIRECT_URL, '$(x) "y"', '500', '240', 'takes-keyboard'];
  expect(args).toStrictEqual(['-l', 'JavaScript', path, ...page]);
  expect(() => new Script(readFileSync(path, 'utf8'), { filename: path })).not.toThrow();
});

test.each(['chromium', 'firefox'] as const)(
  'a %s that does not start leaves no connection to the X server',
  async (presenter) => {
    await using server = await startX11Server();
    const folder = temporaryFolder();
    const system = testSystem({ home: folder, env: { PATH: '/bin', DISPLAY: server.display } });
    const [driver] = windowDrivers({ presenter, history: true }, system);
    await expect(driver?.open(join(folder, 'missing'), REQUEST)).rejects.toThrow('ENOENT');
    await expect.poll(() => server.clients()).toBe(0);
  },
);

test('a window whose profile cannot be deleted is gone all the same', async () => {
  const window = await startWindow(testSystem({}), '/bin/true', [], () => Promise.reject(new Error('EBUSY')));
  expect(await window.gone).toBe(0);
  await window.kill();
});

function writeProfileLock(profile: string, pid: number | undefined): void {
  symlinkSync(`${hostname()}-${pid}`, join(profile, 'SingletonLock'));
}

/** A process group that sleeps, with these words among its arguments. */
function startSleeper(...words: readonly string[]) {
  const args = ['-e', 'setInterval(() => undefined, 1000)', '--', ...words];
  const child = spawn(process.execPath, args, { detached: true, stdio: 'ignore' });
  onTestFinished(() => void child.kill('SIGKILL'));
  return child;
}

test('a browser that a killed server left in the profile is killed', async () => {
  const profile = temporaryFolder();
  const browser = startSleeper(`--user-data-dir=${profile}`);
  const ended = once(browser, 'exit');
  writeProfileLock(profile, browser.pid);
  await claimProfile(profile, testSystem({}));
  expect(await ended).toStrictEqual([null, 'SIGKILL']);
});

test('a browser of a server that lives is not killed: another profile is used', async () => {
  const profile = temporaryFolder();
  const browser = startSleeper(`--user-data-dir=${profile}`);
  const server = startSleeper();
  writeProfileLock(profile, browser.pid);
  writeFileSync(join(profile, 'deskside-server'), String(server.pid));
  expect(await claimProfile(profile, testSystem({}))).toBe(`${profile}-2`);
  expect(browser.kill(0)).toBe(true);
  server.kill('SIGKILL');
  await once(server, 'exit');
  const ended = once(browser, 'exit');
  expect(await claimProfile(profile, testSystem({}))).toBe(profile);
  await ended;
});

test('another process with the process id of an old profile lock is not killed', async () => {
  const profile = temporaryFolder();
  const other = startSleeper('--something-else');
  writeProfileLock(profile, other.pid);
  await claimProfile(profile, testSystem({}));
  expect(other.kill(0)).toBe(true);
  await cleanUpProfile(profile);
  expect(readdirSync(profile)).toStrictEqual([]);
});
