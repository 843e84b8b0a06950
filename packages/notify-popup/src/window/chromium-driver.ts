import { realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Machine } from '../machine/machine.ts';
import { entranceIn, freshProfile, tidyProfile } from './browser-profile.ts';
import { chromiumArguments } from './chromium-arguments.ts';
import { chromiumPaths } from './chromium-paths.ts';
import { firstExecutable } from './executables.ts';
import { keepTopmost } from './keep-topmost.ts';
import type { WindowDriver } from './window-driver.ts';
import { startWindow } from './window-process.ts';
import { openX11Desk } from './x11-desk.ts';

export interface BrowserOptions {
  readonly machine: Machine;
  /** Where the browser's profile is kept. */
  readonly folder: string;
  /** Path of the browser to use, instead of searching one. */
  readonly browser?: string | undefined;
}

/** A browser of the Chromium family, in a window without its controls. */
export function chromiumDriver({ machine, folder, browser }: BrowserOptions): WindowDriver {
  const { platform, env, uid } = machine;
  return {
    name: 'chromium',
    exitTells: false,
    centres: platform === 'linux' && Boolean(env['DISPLAY']),

    async probe() {
      const found = await firstExecutable(browser === undefined ? chromiumPaths(machine) : [browser]);
      if (found !== undefined) return { found };
      return {
        missing:
          browser === undefined ? 'no browser of the Chromium family found' : `${browser} is no program`,
      };
    },

    async open(command, { entrance, theme }) {
      const desk = platform === 'linux' ? await openX11Desk(machine) : undefined;
      const isSnap = await isPackedAsSnap(command);
      const profile = await freshProfile(isSnap ? snapFolder(machine) : join(folder, 'chromium'), machine);
      const file = isSnap ? await entranceIn(profile, entrance) : entrance;
      const process = await startWindow(
        machine,
        command,
        chromiumArguments({
          platform,
          url: pathToFileURL(file).href,
          profile,
          theme,
          onX11: desk !== undefined,
          isRoot: uid === 0,
          ...(desk?.middle === undefined ? {} : { position: desk.middle }),
        }),
      );
      desk?.raise();
      if (platform === 'win32') keepTopmost(process.pid);
      const gone = cleanUp();
      return {
        gone,
        async kill() {
          await process.kill();
          await gone;
        },
      };

      async function cleanUp(): Promise<number | null> {
        const code = await process.gone;
        desk?.leave();
        await tidyProfile(profile);
        return code;
      }
    },
  };
}

async function isPackedAsSnap(command: string): Promise<boolean> {
  const target = await realpath(command).catch(() => command);
  return target.includes('/snap/') || target === '/usr/bin/snap';
}

/** A snap can't enter hidden folders of the home. */
function snapFolder({ home }: Machine): string {
  return join(home, 'snap/chromium/common/deskside-popup');
}
