import { realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Machine } from '../machine/machine.ts';
import { entranceIn, freshProfile, tidyProfile } from './browser-profile.ts';
import { chromiumArguments } from './chromium-arguments.ts';
import { chromiumPaths } from './chromium-paths.ts';
import { firstExecutable } from './executables.ts';
import { startIdleBrowser } from './idle-browser.ts';
import { idleBrowsers } from './idle-browsers.ts';
import { keepTopmost } from './keep-topmost.ts';
import type { OpenWindow, WindowDriver } from './window-driver.ts';
import { startWindow } from './window-process.ts';
import { openX11Desk } from './x11-desk.ts';

export interface BrowserOptions {
  readonly machine: Machine;
  /** Where the browser's profile is kept. */
  readonly folder: string;
  /** Path of the browser to use, instead of searching one. */
  readonly browser?: string | undefined;
}

export interface ChromiumOptions extends BrowserOptions {
  /** Whether a browser is kept for the next popup. */
  readonly prewarms: boolean;
}

/** A browser of the Chromium family, in a window without its controls. */
export function chromiumDriver({ machine, folder, browser, prewarms }: ChromiumOptions): WindowDriver {
  const { platform, env, uid } = machine;
  const idles = idleBrowsers();
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
      const profile = isSnap ? snapFolder(machine) : join(folder, 'chromium');
      const args = chromiumArguments({
        platform,
        profile,
        theme,
        onX11: desk !== undefined,
        isRoot: uid === 0,
        ...(desk?.middle === undefined ? {} : { position: desk.middle }),
      });

      const idle = await idles.take(theme);
      const inIdle = await idle?.open([...args, appFlag(entrance)]);
      if (idle !== undefined && inIdle !== undefined) {
        // It opens windows where it was told to when it started.
        desk?.raise(desk.middle);
        return withEnd(inIdle, async () => {
          desk?.leave();
          idles.keep(theme, idle);
        });
      }
      await idle?.kill();

      await freshProfile(profile, machine);
      const file = isSnap ? await entranceIn(profile, entrance) : entrance;
      const process = await startWindow(machine, command, [...args, appFlag(file)]);
      desk?.raise();
      if (platform === 'win32') keepTopmost(process.pid);
      return withEnd(process, async () => {
        desk?.leave();
        await tidyProfile(profile);
        if (prewarms && platform !== 'win32' && !isSnap) {
          idles.keep(theme, startIdleBrowser(machine, command, { profile, args }));
        }
      });
    },

    [Symbol.asyncDispose]: () => idles[Symbol.asyncDispose](),
  };
}

function appFlag(entrance: string): string {
  return `--app=${pathToFileURL(entrance).href}`;
}

/** A window that is gone only when something is done after it. */
function withEnd(window: OpenWindow, end: () => Promise<void>): OpenWindow {
  const gone = window.gone.then(async (code) => {
    await end();
    return code;
  });
  return {
    gone,
    async kill() {
      await window.kill();
      await gone;
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
