import type { Exchange } from '../history/conversation-log.ts';

export type Theme = 'auto' | 'light' | 'dark';

/** A message for the person. */
export interface Question {
  readonly message: string;
  readonly title: string;
  /** False if no answer is wanted. */
  readonly waitsForResponse: boolean;
  /** Seconds, counted from the moment the popup is on the screen. */
  readonly timeout?: number;
  readonly theme: Theme;
  readonly showsHistory: boolean;
  readonly chimes: boolean;
  /** The client's own name for itself, not verified. */
  readonly client?: string;
}

/** Everything that a popup shows when it opens. */
export interface PopupSpec {
  readonly question: Question;
  /** Oldest first. */
  readonly history: readonly Exchange[];
  /** Earlier text that was typed but not sent. The popup offers it. */
  readonly draft?: string;
  /** Called repeatedly with the text that is in the box. */
  readonly onDraft: (text: string) => void;
}

/** How a popup on the screen ended. */
export type Ending =
  | { readonly kind: 'submitted'; readonly text: string }
  | { readonly kind: 'cancelled' }
  | { readonly kind: 'dismissed' }
  /** The window crashed or stopped responding; the person did not close it. */
  | { readonly kind: 'lost'; readonly reason: string };

/** An update for a popup that is on the screen. */
export type Notice =
  | { readonly kind: 'waiting'; readonly count: number }
  /** The caller stopped waiting. The text in the box becomes a draft. */
  | { readonly kind: 'callerGone' };

/** A popup, from opening its window to closing it. */
export interface PresentedPopup {
  /** Resolves when the person can see and answer it. Rejects with `CannotPresent`. */
  readonly shown: Promise<void>;
  /** Never resolves if the popup is never shown. */
  readonly ended: Promise<Ending>;
  notify(notice: Notice): void;
  /** Closes the window; resolves when its processes and files are gone. May be called at any time. */
  close(): Promise<void>;
}

/** Why no popup can be shown. */
export type Obstacle =
  | { readonly kind: 'no-display' }
  | { readonly kind: 'no-window'; readonly reason: string };

/** The boundary between questions and screens. */
export interface PopupPresenter {
  /** @returns undefined if a popup can be shown; answers within half a second */
  findObstacle(): Promise<Obstacle | undefined>;
  present(spec: PopupSpec): PresentedPopup;
}

/** A popup could not be shown. The message is one sentence without a full stop. */
export class CannotPresent extends Error {
  override readonly name = 'CannotPresent';
}
