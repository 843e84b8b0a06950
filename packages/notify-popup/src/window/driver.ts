import type { SystemInfo } from '../desktop/system.ts';
import type { Theme } from '@deskside/desktop';
import type { WindowUse } from '../x11/desktop.ts';
import type { Size } from '../x11/windows.ts';

/** The ways to show the window, best first. On macOS Chromium is not on top, but `webkit-jxa` was never run. */
export const DRIVER_NAMES = ['chromium', 'webkit-jxa', 'firefox'] as const;

export type DriverName = (typeof DRIVER_NAMES)[number];

/** Where the height of the screen is not known. */
export const MAX_HEIGHT_PX = 600;

/** Opens a window with a page in it. It does not know what the page is for. */
export interface WindowDriver {
  readonly name: DriverName;
  /** True if the window opens in the center of the display in use. */
  readonly centersWindow: boolean;
  /** True if exit code 0 means that the person closed the window. Browsers exit with 0 after a signal too. */
  readonly exitCodeMeansClosed: boolean;
  probe(): Probe;
  /** @param command that the probe found */
  open(command: string, request: WindowRequest): Promise<OpenWindow>;
}

export type Probe =
  | { readonly found: string }
  /** The reason, without a full stop. */
  | { readonly missing: string };

export interface WindowRequest extends WindowUse {
  /**
   * A file with mode 0600 that redirects to the page. The page's address must not appear in a process list, because
   * every local user can read that.
   */
  readonly redirectFile: string;
  /** In pixels of 1/96 inch. The page corrects it. */
  readonly size: Size;
  readonly theme: Theme;
}

export interface OpenWindow {
  /** Resolves when the process behind the window has ended: with its exit code, or null after a signal. */
  readonly gone: Promise<number | null>;
  /** Kills the process; resolves when it has ended. */
  kill(): Promise<void>;
  /** Lets the window outlive this process. Undefined if that would be in the way of the next window. */
  readonly leave?: (() => void) | undefined;
}

export interface BrowserOptions {
  readonly system: SystemInfo;
  /** The folder of the browser profiles. */
  readonly folder: string;
  /** The profile is deleted after the window: no title of a question stays in it. */
  readonly keepsNothing: boolean;
  /** Path of the browser; undefined searches for one. */
  readonly browser?: string | undefined;
}
