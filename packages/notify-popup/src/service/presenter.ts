import type { Exchange } from '../history/exchange.ts';
import type { Question } from './question.ts';

/** Everything a popup shows at first. */
export interface PopupSpec {
  readonly question: Question;
  /** Oldest first. */
  readonly history: readonly Exchange[];
  /** Text that was typed earlier and never sent, to be offered. */
  readonly draft?: string;
  /** Called with what is typed so far, now and then. */
  readonly onDraft: (text: string) => void;
}

/** What the person did, or what became of the window. */
export type Ending =
  | { readonly kind: 'submitted'; readonly text: string }
  | { readonly kind: 'cancelled' }
  | { readonly kind: 'dismissed' }
  /** The window died or hung; nobody closed it. */
  | { readonly kind: 'lost'; readonly reason: string };

/** News for a popup that is already on the screen. */
export type Notice =
  | { readonly kind: 'waiting'; readonly count: number }
  /** Whoever asked has stopped waiting: an answer reaches nobody, and is kept as a draft. */
  | { readonly kind: 'unheard' };

/** A popup, from its opening to the end of its window. */
export interface PresentedPopup {
  /** Resolves when the person can see and answer it. Rejects with `CannotPresent`. */
  readonly shown: Promise<void>;
  /** Never resolves where it was never shown. */
  readonly ended: Promise<Ending>;
  tell(notice: Notice): void;
  /** Takes the window off the screen; resolves when nothing of it is left. May be called at any time. */
  close(): Promise<void>;
}

/** Why nothing can be shown. */
export type Obstacle =
  | { readonly kind: 'no-display' }
  | { readonly kind: 'no-window'; readonly reason: string };

/** The wall between questions and screens. */
export interface PopupPresenter {
  /** @returns undefined where a popup can be shown; within half a second */
  obstacle(): Promise<Obstacle | undefined>;
  present(spec: PopupSpec): PresentedPopup;
  /** Ends what was kept for the next popup. */
  [Symbol.asyncDispose](): Promise<void>;
}

/** A popup could not be brought to the screen; the message says why, in one sentence without its full stop. */
export class CannotPresent extends Error {
  override readonly name = 'CannotPresent';
}
