import { execFile } from 'node:child_process';
import { join, posix, win32 } from 'node:path';
import { pathToFileURL } from 'node:url';
import { isProgram, programPaths } from '@deskside/core/base';
import type { SystemInfo } from '../desktop/system.ts';
import type { Theme } from '../service/inbox-request.ts';
import { openX11Desktop } from '../x11/desktop.ts';
import type { Point } from '../x11/windows.ts';
import { claimProfile, cleanUpProfile, copyRedirectFile } from './chromium-profile.ts';
import { type BrowserOptions, WINDOW_CLASS, type WindowDriver, type WindowSize } from './driver.ts';
import { packagedPrograms, sandboxFolder, windowsProgramFolders } from './program-folders.ts';
import { startWindow, withCleanUp } from './process.ts';

/** A browser of the Chromium family in app mode, that is without tabs and address bar. */
export function chromiumDriver({ system, folder, keepsNothing, browser }: BrowserOptions): WindowDriver {
  const { platform, env, uid } = system;
  return {
    name: 'chromium',
    exitCodeMeansClosed: false,
    centersWindow: platform === 'linux' && Boolean(env['DISPLAY']),

    async probe() {
      const found = (browser === undefined ? chromiumPaths(system) : [browser]).find(isProgram);
      if (found !== undefined) return { found };
      return {
        missing:
          browser === undefined
            ? 'no browser of the Chromium family found'
            : `${browser} is not an executable file`,
      };
    },

    async open(command, { redirectFile, theme, size, ...use }) {
      const sandbox = await sandboxFolder(command, system);
      const name = keepsNothing ? 'chromium-private' : 'chromium';
      const profile = await claimProfile(join(sandbox ?? folder, name), system, keepsNothing);
      const desktop =
        platform === 'linux' ? await openX11Desktop(system, { windowClass: WINDOW_CLASS, size }) : undefined;
      const args = chromiumArguments({
        platform,
        profile,
        theme,
        size,
        usesX11: desktop !== undefined,
        isRoot: uid === 0,
        position: desktop?.center,
      });

      try {
        const file = sandbox === undefined ? redirectFile : await copyRedirectFile(profile, redirectFile);
        const process = await startWindow(system, command, [...args, `--app=${pathToFileURL(file).href}`]);
        desktop?.keepOnTop(use);
        if (platform === 'win32') keepTopmost(system, process.pid);
        return withCleanUp(process, async () => {
          desktop?.close();
          await cleanUpProfile(profile, keepsNothing);
        });
      } catch (error) {
        desktop?.close();
        throw error;
      }
    },
  };
}

const COMMON_ARGUMENTS = [
  '--no-first-run',
  '--no-default-browser-check',
  '--no-pings',
  '--password-store=basic',
  '--disable-extensions',
  '--disable-component-update',
  '--disable-background-networking',
  '--disable-sync',
  '--disable-default-apps',
  '--disable-breakpad',
  '--hide-crash-restore-bubble',
  '--disable-features=Translate,MediaRouter,OptimizationHints',
  // A popup on another workspace or behind a window must answer pings too.
  '--disable-background-timer-throttling',
  '--disable-backgrounding-occluded-windows',
  '--disable-renderer-backgrounding',
  // The page is on this machine; the browser must not reach anything else.
  '--no-proxy-server',
  '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1',
];

interface ChromiumStart {
  readonly platform: NodeJS.Platform;
  readonly profile: string;
  readonly theme: Theme;
  readonly size: WindowSize;
  /** Undefined leaves the position to the window manager. */
  readonly position?: Point | undefined;
  /** Wayland has no windows that stay on top; X11 has. */
  readonly usesX11: boolean;
  /** The sandbox does not work for root. */
  readonly isRoot: boolean;
}

/** All arguments except the page. */
function chromiumArguments(start: ChromiumStart): string[] {
  const { platform, profile, theme, size, position, usesX11, isRoot } = start;
  const linuxArguments = [
    `--class=${WINDOW_CLASS}`,
    '--disable-gpu',
    // Screen readers find an empty frame without it.
    '--force-renderer-accessibility',
    ...(usesX11 ? ['--ozone-platform=x11'] : []),
    ...(isRoot ? ['--no-sandbox', '--test-type'] : []),
  ];
  return [
    ...COMMON_ARGUMENTS,
    `--user-data-dir=${profile}`,
    `--window-size=${size.width},${size.height}`,
    ...(position === undefined ? [] : [`--window-position=${position.x},${position.y}`]),
    ...(theme === 'dark' ? ['--force-dark-mode'] : []),
    ...(platform === 'linux' ? linuxArguments : []),
  ];
}

const LINUX_PROGRAMS = [
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

const PACKAGES = {
  snap: ['chromium', 'brave'],
  flatpak: [
    'org.chromium.Chromium',
    'com.google.Chrome',
    'com.microsoft.Edge',
    'com.brave.Browser',
    'com.vivaldi.Vivaldi',
  ],
} as const;

const MAC_APPLICATIONS = ['Google Chrome', 'Microsoft Edge', 'Chromium', 'Brave Browser', 'Vivaldi'];

const WINDOWS_PROGRAMS = [
  String.raw`Microsoft\Edge\Application\msedge.exe`,
  String.raw`Google\Chrome\Application\chrome.exe`,
  String.raw`Chromium\Application\chrome.exe`,
  String.raw`BraveSoftware\Brave-Browser\Application\brave.exe`,
  String.raw`Vivaldi\Application\vivaldi.exe`,
];

/** The paths to try, most likely first. */
export function chromiumPaths(system: SystemInfo): string[] {
  const { platform, env, home } = system;
  if (platform === 'darwin') {
    return MAC_APPLICATIONS.flatMap((name) =>
      ['/Applications', posix.join(home, 'Applications')].map((folder) =>
        posix.join(folder, `${name}.app`, 'Contents/MacOS', name),
      ),
    );
  }
  if (platform === 'win32') {
    const folders = windowsProgramFolders(system);
    return WINDOWS_PROGRAMS.flatMap((path) => folders.map((folder) => win32.join(folder, path)));
  }
  return [...programPaths(LINUX_PROGRAMS, env['PATH']), ...packagedPrograms(PACKAGES, home)];
}

/** Makes the window of a process topmost on Windows and moves it to the foreground. Ignores failures. */
function keepTopmost({ env }: SystemInfo, pid: number): void {
  const args = ['-NoProfile', '-NonInteractive', '-Command', topmostScript(pid)];
  execFile('powershell', args, { env: { ...env } }, () => undefined);
}

/** Waits up to ten seconds for the window. */
function topmostScript(pid: number): string {
  return [
    "Add-Type -Namespace Deskside -Name Window -MemberDefinition '",
    '[DllImport("user32.dll")] public static extern bool SetWindowPos(IntPtr w, IntPtr after, int x, int y, int cx, int cy, uint flags);',
    '[DllImport("user32.dll")] public static extern bool SetForegroundWindow(IntPtr w);',
    "';",
    `$p = Get-Process -Id ${pid};`,
    'for ($i = 0; $i -lt 100 -and $p.MainWindowHandle -eq 0; $i++) { Start-Sleep -Milliseconds 100; $p.Refresh() }',
    // HWND_TOPMOST; SWP_NOSIZE | SWP_NOMOVE | SWP_SHOWWINDOW
    '[Deskside.Window]::SetWindowPos($p.MainWindowHandle, [IntPtr]-1, 0, 0, 0, 0, 0x43) | Out-Null;',
    '[Deskside.Window]::SetForegroundWindow($p.MainWindowHandle) | Out-Null',
  ].join('\n');
}
