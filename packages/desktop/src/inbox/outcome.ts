import type { Decision } from './approval.ts';

/** Where the person answers. */
export type Surface = 'window' | 'form' | 'page' | 'phone';

/** `tried` says which displays were looked for. */
export type NoWindow =
  | { readonly kind: 'no-display'; readonly tried: readonly string[] }
  | { readonly kind: 'failed'; readonly reason: string };

/** An image that goes with an answer. */
export interface AnswerImage {
  readonly mimeType: string;
  /** Base64. */
  readonly data: string;
}

/** What the person decides, on any surface. */
export type Answer =
  | { readonly kind: 'submitted'; readonly text: string; readonly images?: readonly AnswerImage[] }
  | { readonly kind: 'cancelled' }
  | { readonly kind: 'dismissed' }
  | Decision;

/** How a call ended. */
export type PopupOutcome =
  | Answer
  /** A reply without text. */
  | { readonly kind: 'empty' }
  | { readonly kind: 'timeout' }
  /** A later popup of the same session replaced it. */
  | { readonly kind: 'superseded' }
  /** News is on the screen. */
  | { readonly kind: 'displayed' }
  /** News waits for a question of another session; it is shown after it. */
  | { readonly kind: 'waits' }
  /** News is in a form of the client: it is not known whether the person sees it. */
  | { readonly kind: 'sent' }
  /** The caller stopped waiting, or the server is closing. */
  | { readonly kind: 'abandoned' }
  | NoWindow;

/** How an item ended. */
export interface Ended {
  readonly outcome: PopupOutcome;
  readonly via: Surface | undefined;
}
