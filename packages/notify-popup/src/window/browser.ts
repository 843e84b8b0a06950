import { basename, join, posix, win32 } from 'node:path';
import { pathToFileURL } from 'node:url';
import { isProgram, programPaths } from '@deskside/desktop';
import type { SystemInfo } from '../desktop/system.ts';
import { openX11Desktop } from '../x11/desktop.ts';
import type { Point } from '../x11/windows.ts';
import { copyRedirectFile } from './chromium-profile.ts';
import { type BrowserOptions, MAX_HEIGHT_PX, type WindowDriver, type WindowRequest } from './driver.ts';
import { packagedPrograms, sandboxFolder, windowsProgramFolders } from './program-folders.ts';
import { startWindow } from './process.ts';

/** What browsers do not have in common. */
export interface Browser {
  readonly name: 'chromium' | 'firefox';
  readonly missing: string;
  /** Below the folders of programs, the first choice first. */
  readonly programs: Readonly<Record<'linux' | 'snap' | 'flatpak' | 'mac' | 'windows', readonly string[]>>;
  readonly centersWindow: (system: SystemInfo) => boolean;
  /** @returns the folder of a profile that is ready for use */
  readonly claimProfile: (folder: string, system: SystemInfo, keepsNothing: boolean) => Promise<string>;
  readonly cleanUpProfile: (profile: string, keepsNothing: boolean) => Promise<void>;
  readonly argumentsFor: (start: BrowserStart) => readonly string[];
  readonly onStart?: (system: SystemInfo, pid: number, takesKeyboard: boolean) => void;
}

export interface BrowserStart extends Pick<WindowRequest, 'theme' | 'size'> {
  readonly system: SystemInfo;
  readonly profile: string;
  readonly address: string;
  /** Undefined leaves the position to the window manager. */
  readonly position: Point | undefined;
  /** Wayland has no windows that stay on top; X11 has. */
  readonly usesX11: boolean;
}

export function browserDriver(kind: Browser, options: BrowserOptions): WindowDriver {
  const { name, missing, programs } = kind;
  const { system, folder, keepsNothing, browser } = options;
  return {
    name,
    exitCodeMeansClosed: false,
    centersWindow: kind.centersWindow(system),
    probe() {
      const found = (browser === undefined ? browserPaths(programs, system) : [browser]).find(isProgram);
      if (found !== undefined) return { found };
      return { missing: browser === undefined ? missing : `${browser} is not an executable file` };
    },
    async open(command, { redirectFile, theme, size: wanted, ...use }) {
      const sandbox = await sandboxFolder(command, system);
      const own = join(sandbox ?? folder, keepsNothing ? `${name}-private` : name);
      const profile = await kind.claimProfile(own, system, keepsNothing);
      const desktop = system.platform === 'linux' ? await openX11Desktop(system) : undefined;
      const size = { ...wanted, height: Math.min(wanted.height, desktop?.highest ?? MAX_HEIGHT_PX) };
      try {
        const file = sandbox === undefined ? redirectFile : await copyRedirectFile(profile, redirectFile);
        const args = kind.argumentsFor({
          system,
          profile,
          theme,
          size,
          address: pathToFileURL(file).href,
          position: desktop?.centerOf(size),
          usesX11: desktop !== undefined,
        });
        // A report of a crash contains what was in memory, and its program outlives the browser: in /proc it cannot
        // create its folder and ends. For a folder that does not exist, Chromium takes one of its own.
        const reports = system.platform === 'linux' ? '/proc' : join(profile, 'Crash Reports');
        const env = { ...system.env, BREAKPAD_DUMP_LOCATION: reports, MOZ_CRASHREPORTER_DISABLE: '1' };
        const process = await startWindow({ ...system, env }, command, args, async () => {
          desktop?.close();
          await kind.cleanUpProfile(profile, keepsNothing);
        });
        desktop?.keepOnTop(use, name === 'chromium' ? basename(file) : undefined);
        kind.onStart?.(system, process.pid, use.takesKeyboard);
        // The next window of Chromium ends what is left in its profile, where the profile says what that is.
        const canStay = name === 'chromium' && system.platform !== 'win32' && !keepsNothing;
        const leave = () => {
          desktop?.close();
          process.unref();
        };
        return canStay ? { ...process, leave } : process;
      } catch (error) {
        desktop?.close();
        throw error;
      }
    },
  };
}

/** The paths to try, most likely first. */
export function browserPaths({ linux, mac, windows, ...packages }: Browser['programs'], system: SystemInfo) {
  const { platform, env, home } = system;
  if (platform === 'darwin') {
    const folders = ['/Applications', posix.join(home, 'Applications')];
    return mac.flatMap((path) => folders.map((folder) => posix.join(folder, path)));
  }
  if (platform === 'win32') {
    const folders = windowsProgramFolders(system);
    return windows.flatMap((path) => folders.map((folder) => win32.join(folder, path)));
  }
  return [...programPaths(linux, env['PATH']), ...packagedPrograms(packages, home)];
}
