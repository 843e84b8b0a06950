import type { Theme } from '../service/question.ts';
import type { DriverName } from './driver-names.ts';

/** Pixels of the window at first. */
export const WINDOW_SIZE = { width: 500, height: 600 } as const;

export interface WindowRequest {
  /** A file of this user's alone that leads to the page: the page's address must not stand in a process list. */
  readonly entrance: string;
  readonly title: string;
  readonly theme: Theme;
}

export interface OpenWindow {
  /** Resolves with its exit code when the process behind the window has ended; null where a signal ended it. */
  readonly gone: Promise<number | null>;
  /** Ends it at once, whatever state it is in; resolves when it is gone. */
  kill(): Promise<void>;
}

export type Probe =
  | { readonly found: string }
  /** Why not, as half a sentence. */
  | { readonly missing: string };

/** Opens, and if need be kills, a window with a page in it; knows nothing of what the page is for. */
export interface WindowDriver {
  readonly name: DriverName;
  /** Whether its windows come up in the middle of the display in use. */
  readonly centres: boolean;
  /** Whether an exit code of 0 means that the person closed the window; browsers end so for a signal too. */
  readonly exitTells: boolean;
  probe(): Promise<Probe>;
  /** @param command what the probe found */
  open(command: string, request: WindowRequest): Promise<OpenWindow>;
  /** Ends what it keeps for the next window. */
  [Symbol.asyncDispose]?(): Promise<void>;
}
