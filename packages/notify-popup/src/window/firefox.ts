import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser } from './browser.ts';
import { deletePrivate } from './chromium-profile.ts';
import { WINDOW_CLASS } from '../x11/desktop.ts';

const PREFERENCES = {
  'toolkit.legacyUserProfileCustomizations.stylesheets': true,
  'dom.allow_scripts_to_close_windows': true,
  'browser.aboutwelcome.enabled': false,
  'browser.shell.checkDefaultBrowser': false,
  'browser.sessionstore.resume_from_crash': false,
  // Titles of questions and typed texts.
  'browser.sessionstore.privacy_level': 2,
  'browser.sessionstore.max_windows_undo': 0,
  'browser.sessionstore.max_tabs_undo': 0,
  'browser.formfill.enable': false,
  'places.history.enabled': false,
  'browser.startup.homepage_override.mstone': 'ignore',
  'datareporting.policy.dataSubmissionEnabled': false,
  'app.normandy.enabled': false,
  'app.update.auto': false,
  'extensions.update.enabled': false,
  'network.captive-portal-service.enabled': false,
  'network.connectivity-service.enabled': false,
  'network.proxy.type': 0,
};

/** The content of `user.js`. */
const USER_PREFERENCES = Object.entries(PREFERENCES)
  .map(([name, value]) => `user_pref(${JSON.stringify(name)}, ${JSON.stringify(value)});\n`)
  .join('');

/** Titles of questions and typed texts, whatever the preferences say: also of a browser that was killed. */
const PRIVATE_FILES = [
  'sessionstore.jsonlz4',
  'sessionstore-backups',
  'places.sqlite',
  'places.sqlite-wal',
  'places.sqlite-shm',
  'formhistory.sqlite',
];

/** Hides tabs and address bar. */
const USER_CHROME_CSS = '#navigator-toolbox { visibility: collapse !important; }\n';

/** Firefox without its controls. It starts more slowly than the other browsers. */
export const firefox: Browser = {
  name: 'firefox',
  missing: 'no Firefox found',
  programs: {
    linux: ['firefox', 'firefox-esr'],
    snap: ['firefox'],
    flatpak: ['org.mozilla.firefox'],
    mac: ['Firefox.app/Contents/MacOS/firefox'],
    windows: [String.raw`Mozilla Firefox\firefox.exe`],
  },
  centersWindow: () => false,
  async claimProfile(profile, _, keepsNothing) {
    await cleanUp(profile, keepsNothing);
    await mkdir(join(profile, 'chrome'), { recursive: true, mode: 0o700 });
    await writeFile(join(profile, 'user.js'), USER_PREFERENCES);
    await writeFile(join(profile, 'chrome/userChrome.css'), USER_CHROME_CSS);
    return profile;
  },
  cleanUpProfile: cleanUp,
  argumentsFor: ({ system, profile, size, address }) => [
    // The program of Windows only starts the browser, and would end before its window.
    ...(system.platform === 'win32' ? ['--wait-for-browser'] : []),
    '--new-instance',
    '--profile',
    profile,
    '--class',
    WINDOW_CLASS,
    '--width',
    `${size.width}`,
    '--height',
    `${size.height}`,
    '--new-window',
    address,
  ],
};

async function cleanUp(profile: string, keepsNothing: boolean): Promise<void> {
  if (keepsNothing) return rm(profile, { recursive: true, force: true });
  return deletePrivate(profile, PRIVATE_FILES);
}
