import { posix, win32 } from 'node:path';
import type { Machine } from '../machine/machine.ts';
import { onPath } from './executables.ts';

const LINUX = [
  'chromium',
  'chromium-browser',
  'google-chrome',
  'google-chrome-stable',
  'microsoft-edge',
  'microsoft-edge-stable',
  'brave-browser',
  'vivaldi',
  'vivaldi-stable',
];

const MAC = ['Google Chrome', 'Microsoft Edge', 'Chromium', 'Brave Browser', 'Vivaldi'];

const WINDOWS = [
  String.raw`Microsoft\Edge\Application\msedge.exe`,
  String.raw`Google\Chrome\Application\chrome.exe`,
  String.raw`Chromium\Application\chrome.exe`,
  String.raw`BraveSoftware\Brave-Browser\Application\brave.exe`,
  String.raw`Vivaldi\Application\vivaldi.exe`,
];

/** Where a browser of the Chromium family may lie, the likeliest first. */
export function chromiumPaths({ platform, env, home }: Machine): string[] {
  if (platform === 'darwin') {
    return MAC.flatMap((name) =>
      ['/Applications', posix.join(home, 'Applications')].map((folder) =>
        posix.join(folder, `${name}.app`, 'Contents/MacOS', name),
      ),
    );
  }
  if (platform === 'win32') {
    const folders = [env['ProgramFiles(x86)'], env['ProgramFiles'], env['LOCALAPPDATA']];
    return WINDOWS.flatMap((path) =>
      folders.flatMap((folder) => (folder === undefined ? [] : [win32.join(folder, path)])),
    );
  }
  return onPath(LINUX, env['PATH']);
}
