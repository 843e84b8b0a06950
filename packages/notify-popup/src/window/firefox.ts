import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join, posix, win32 } from 'node:path';
import { pathToFileURL } from 'node:url';
import { isProgram, programPaths } from '@deskside/core/base';
import type { SystemInfo } from '../desktop/system.ts';
import { openX11Desktop } from '../x11/desktop.ts';
import { type BrowserOptions, WINDOW_CLASS, type WindowDriver, type WindowSize } from './driver.ts';
import { copyRedirectFile } from './chromium-profile.ts';
import { packagedPrograms, sandboxFolder, windowsProgramFolders } from './program-folders.ts';
import { startWindow, withCleanUp } from './process.ts';

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

/** Hides tabs and address bar. */
const USER_CHROME_CSS = '#navigator-toolbox { visibility: collapse !important; }\n';

/** Firefox without its controls. It starts more slowly than the other browsers. */
export function firefoxDriver({ system, folder, keepsNothing, browser }: BrowserOptions): WindowDriver {
  return {
    name: 'firefox',
    exitCodeMeansClosed: false,
    centersWindow: false,
    async probe() {
      const found = (browser === undefined ? firefoxPaths(system) : [browser]).find(isProgram);
      if (found !== undefined) return { found };
      return { missing: browser === undefined ? 'no Firefox found' : `${browser} is not an executable file` };
    },
    async open(command, { redirectFile, size, ...use }) {
      const sandbox = await sandboxFolder(command, system);
      const profile = join(sandbox ?? folder, keepsNothing ? 'firefox-private' : 'firefox');
      if (keepsNothing) await rm(profile, { recursive: true, force: true });
      await mkdir(join(profile, 'chrome'), { recursive: true, mode: 0o700 });
      await writeFile(join(profile, 'user.js'), userPreferences());
      await writeFile(join(profile, 'chrome/userChrome.css'), USER_CHROME_CSS);
      const desktop =
        system.platform === 'linux'
          ? await openX11Desktop(system, { windowClass: WINDOW_CLASS, size })
          : undefined;
      try {
        const file = sandbox === undefined ? redirectFile : await copyRedirectFile(profile, redirectFile);
        const process = await startWindow(system, command, firefoxArguments(profile, file, size));
        desktop?.keepOnTop(use);
        return withCleanUp(process, async () => {
          desktop?.close();
          if (keepsNothing) await rm(profile, { recursive: true, force: true });
        });
      } catch (error) {
        desktop?.close();
        throw error;
      }
    },
  };
}

function firefoxArguments(profile: string, redirectFile: string, { width, height }: WindowSize): string[] {
  return [
    '--new-instance',
    '--profile',
    profile,
    '--class',
    WINDOW_CLASS,
    '--width',
    `${width}`,
    '--height',
    `${height}`,
    '--new-window',
    pathToFileURL(redirectFile).href,
  ];
}

/** The content of `user.js`. */
function userPreferences(): string {
  return Object.entries(PREFERENCES)
    .map(([name, value]) => `user_pref(${JSON.stringify(name)}, ${JSON.stringify(value)});\n`)
    .join('');
}

/** The paths to try, in order. */
export function firefoxPaths(system: SystemInfo): string[] {
  const { platform, env, home } = system;
  if (platform === 'darwin') {
    return ['/Applications', posix.join(home, 'Applications')].map((folder) =>
      posix.join(folder, 'Firefox.app/Contents/MacOS/firefox'),
    );
  }
  if (platform === 'win32') {
    return windowsProgramFolders(system).map((folder) =>
      win32.join(folder, String.raw`Mozilla Firefox\firefox.exe`),
    );
  }
  const packages = { snap: ['firefox'], flatpak: ['org.mozilla.firefox'] };
  return [...programPaths(['firefox', 'firefox-esr'], env['PATH']), ...packagedPrograms(packages, home)];
}
