import type { Theme } from '../service/question.ts';
import { WINDOW_SIZE } from './window-driver.ts';
import { WINDOW_CLASS } from './x11-desk.ts';

export interface ChromiumStart {
  readonly platform: NodeJS.Platform;
  readonly profile: string;
  readonly theme: Theme;
  /** Pixels from the top left of the desktop; undefined leaves it to the window manager. */
  readonly position?: { readonly x: number; readonly y: number };
  /** X11 rather than Wayland, which knows no window that stays on top. */
  readonly onX11: boolean;
  /** The browser's sandbox does not work for root. */
  readonly isRoot: boolean;
}

const ALWAYS = [
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
  // A popup on another desktop or behind a window must go on answering.
  '--disable-background-timer-throttling',
  '--disable-backgrounding-occluded-windows',
  '--disable-renderer-backgrounding',
  // The page is on this machine, and nothing else is to be reached.
  '--no-proxy-server',
  '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1',
];

/** All but which page it shows. */
export function chromiumArguments(start: ChromiumStart): string[] {
  const { platform, profile, theme, position, onX11, isRoot } = start;
  const linux = [
    `--class=${WINDOW_CLASS}`,
    '--disable-gpu',
    // Without it a screen reader finds an empty frame.
    '--force-renderer-accessibility',
    ...(onX11 ? ['--ozone-platform=x11'] : []),
    ...(isRoot ? ['--no-sandbox', '--test-type'] : []),
  ];
  return [
    ...ALWAYS,
    `--user-data-dir=${profile}`,
    `--window-size=${WINDOW_SIZE.width},${WINDOW_SIZE.height}`,
    ...(position === undefined ? [] : [`--window-position=${position.x},${position.y}`]),
    ...(theme === 'dark' ? ['--force-dark-mode'] : []),
    ...(platform === 'linux' ? linux : []),
  ];
}
