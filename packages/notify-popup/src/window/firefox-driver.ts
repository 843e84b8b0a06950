import { mkdir, writeFile } from 'node:fs/promises';
import { join, posix, win32 } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Machine } from '../machine/machine.ts';
import type { BrowserOptions } from './chromium-driver.ts';
import { firstExecutable, onPath } from './executables.ts';
import { WINDOW_SIZE, type WindowDriver } from './window-driver.ts';
import { startWindow } from './window-process.ts';
import { openX11Desk, WINDOW_CLASS } from './x11-desk.ts';

const PREFERENCES = {
  'toolkit.legacyUserProfileCustomizations.stylesheets': true,
  'dom.allow_scripts_to_close_windows': true,
  'browser.aboutwelcome.enabled': false,
  'browser.shell.checkDefaultBrowser': false,
  'browser.sessionstore.resume_from_crash': false,
  'browser.startup.homepage_override.mstone': 'ignore',
  'datareporting.policy.dataSubmissionEnabled': false,
  'app.normandy.enabled': false,
  'app.update.auto': false,
  'extensions.update.enabled': false,
  'network.captive-portal-service.enabled': false,
  'network.connectivity-service.enabled': false,
  'network.proxy.type': 0,
};

const STYLE = '#navigator-toolbox { visibility: collapse !important; }\n';

/** Firefox with its controls hidden: slower than the others. */
export function firefoxDriver({ machine, folder, browser }: BrowserOptions): WindowDriver {
  return {
    name: 'firefox',
    exitTells: false,
    centres: false,
    async probe() {
      const found = await firstExecutable(browser === undefined ? firefoxPaths(machine) : [browser]);
      return found === undefined ? { missing: 'no Firefox found' } : { found };
    },
    async open(command, { entrance }) {
      const profile = join(folder, 'firefox');
      await mkdir(join(profile, 'chrome'), { recursive: true, mode: 0o700 });
      await writeFile(join(profile, 'user.js'), preferencesFile(PREFERENCES));
      await writeFile(join(profile, 'chrome/userChrome.css'), STYLE);
      const desk = machine.platform === 'linux' ? await openX11Desk(machine) : undefined;
      const process = await startWindow(machine, command, firefoxArguments(profile, entrance));
      desk?.raise();
      void process.gone.then(() => desk?.leave());
      return process;
    },
  };
}

export function firefoxArguments(profile: string, entrance: string): string[] {
  return [
    '--new-instance',
    '--profile',
    profile,
    '--class',
    WINDOW_CLASS,
    '--width',
    `${WINDOW_SIZE.width}`,
    '--height',
    `${WINDOW_SIZE.height}`,
    '--new-window',
    pathToFileURL(entrance).href,
  ];
}

export function preferencesFile(preferences: Readonly<Record<string, unknown>>): string {
  return Object.entries(preferences)
    .map(([name, value]) => `user_pref(${JSON.stringify(name)}, ${JSON.stringify(value)});\n`)
    .join('');
}

export function firefoxPaths({ platform, env, home }: Machine): string[] {
  if (platform === 'darwin') {
    return ['/Applications', posix.join(home, 'Applications')].map((folder) =>
      posix.join(folder, 'Firefox.app/Contents/MacOS/firefox'),
    );
  }
  if (platform === 'win32') {
    return [env['ProgramFiles'], env['ProgramFiles(x86)'], env['LOCALAPPDATA']].flatMap((folder) =>
      folder === undefined ? [] : [win32.join(folder, String.raw`Mozilla Firefox\firefox.exe`)],
    );
  }
  return onPath(['firefox', 'firefox-esr'], env['PATH']);
}
