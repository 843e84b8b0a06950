import { execFile } from 'node:child_process';
import type { SystemInfo } from '../desktop/system.ts';
import type { Browser, BrowserStart } from './browser.ts';
import { claimProfile, cleanUpProfile } from './chromium-profile.ts';
import { WINDOW_CLASS } from '../x11/desktop.ts';

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

function chromiumArguments(start: BrowserStart): string[] {
  const { system, profile, theme, size, address, position, usesX11 } = start;
  const linuxArguments = [
    `--class=${WINDOW_CLASS}`,
    '--disable-gpu',
    // Screen readers find an empty frame without it.
    '--force-renderer-accessibility',
    ...(usesX11 ? ['--ozone-platform=x11'] : []),
    // The sandbox does not work for root.
    ...(system.uid === 0 ? ['--no-sandbox', '--test-type'] : []),
  ];
  return [
    ...COMMON_ARGUMENTS,
    `--user-data-dir=${profile}`,
    `--window-size=${size.width},${size.height}`,
    ...(position === undefined ? [] : [`--window-position=${position.x},${position.y}`]),
    ...(theme === 'dark' ? ['--force-dark-mode'] : []),
    ...(system.platform === 'linux' ? linuxArguments : []),
    `--app=${address}`,
  ];
}

/** A browser of the Chromium family in app mode, that is without tabs and address bar. */
export const chromium: Browser = {
  name: 'chromium',
  missing: 'no browser of the Chromium family found',
  programs: {
    linux: [
      'chromium',
      'chromium-browser',
      'google-chrome',
      'google-chrome-stable',
      'microsoft-edge',
      'microsoft-edge-stable',
      'brave-browser',
      'vivaldi',
      'vivaldi-stable',
    ],
    snap: ['chromium', 'brave'],
    flatpak: [
      'org.chromium.Chromium',
      'com.google.Chrome',
      'com.microsoft.Edge',
      'com.brave.Browser',
      'com.vivaldi.Vivaldi',
    ],
    mac: ['Google Chrome', 'Microsoft Edge', 'Chromium', 'Brave Browser', 'Vivaldi'].map(
      (name) => `${name}.app/Contents/MacOS/${name}`,
    ),
    windows: [
      String.raw`Microsoft\Edge\Application\msedge.exe`,
      String.raw`Google\Chrome\Application\chrome.exe`,
      String.raw`Chromium\Application\chrome.exe`,
      String.raw`BraveSoftware\Brave-Browser\Application\brave.exe`,
      String.raw`Vivaldi\Application\vivaldi.exe`,
    ],
  },
  claimProfile,
  cleanUpProfile,
  centersWindow: ({ platform, env }) => platform === 'linux' && Boolean(env['DISPLAY']),
  argumentsFor: chromiumArguments,
  onStart: keepTopmost,
};

/** On Windows, makes the window of a process topmost; one that takes the keyboard moves to the foreground. Ignores failures. */
function keepTopmost({ platform, env }: SystemInfo, pid: number, takesKeyboard: boolean): void {
  if (platform !== 'win32') return;
  const args = ['-NoProfile', '-NonInteractive', '-Command', topmostScript(pid, takesKeyboard)];
  execFile('powershell', args, { env: { ...env }, windowsHide: true }, () => undefined);
}

/** Waits up to ten seconds for the window. */
function topmostScript(pid: number, takesKeyboard: boolean): string {
  return [
    "Add-Type -Namespace Deskside -Name Window -MemberDefinition '",
    '[DllImport("user32.dll")] public static extern bool SetWindowPos(IntPtr w, IntPtr after, int x, int y, int cx, int cy, uint flags);',
    '[DllImport("user32.dll")] public static extern bool SetForegroundWindow(IntPtr w);',
    "';",
    `$p = Get-Process -Id ${pid};`,
    'for ($i = 0; $i -lt 100 -and $p.MainWindowHandle -eq 0; $i++) { Start-Sleep -Milliseconds 100; $p.Refresh() }',
    // HWND_TOPMOST; SWP_NOSIZE | SWP_NOMOVE | SWP_SHOWWINDOW, and SWP_NOACTIVATE
    `[Deskside.Window]::SetWindowPos($p.MainWindowHandle, [IntPtr]-1, 0, 0, 0, 0, ${takesKeyboard ? '0x43' : '0x53'}) | Out-Null;`,
    ...(takesKeyboard ? ['[Deskside.Window]::SetForegroundWindow($p.MainWindowHandle) | Out-Null'] : []),
  ].join('\n');
}
