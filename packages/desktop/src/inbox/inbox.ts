import type { Log } from '@deskside/core';
import type { ItemStart } from '../journal/records.ts';
import type { Approval, ApprovalCall, Decision } from './approval.ts';

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

/** The process of a client that another process serves: what decides on which screen its popups open. */
export interface ClientDesktop {
  readonly pid: number;
  /** Its variables of the display and the desktop session. */
  readonly env: Readonly<Record<string, string>>;
}

/** One of several questions that the person answers in one window. */
export interface PartQuestion {
  readonly question: string;
  /** Quick replies. */
  readonly options?: readonly string[];
  /** True if the person may choose several of them. */
  readonly multiple?: boolean;
}

export type Theme = 'auto' | 'light' | 'dark';

export type PopupLog = Omit<Log, 'error'>;

/** What an agent wants from the person. */
export interface InboxRequest {
  /** A question and an approval wait for an answer; news needs none. */
  readonly kind: 'question' | 'news' | 'approval';
  readonly message: string;
  readonly title: string;
  /**
   * Seconds. For a question: the time for the answer, counted from the moment when it is on the screen; the call ends at
   * most min(timeout, 30) seconds later. News closes after this time.
   */
  readonly timeout?: number;
  readonly theme: Theme;
  readonly showsHistory: boolean;
  readonly chimes: boolean;
  /** Quick replies: 1 to 9 texts of 1 to 80 characters. */
  readonly options?: readonly string[];
  /** True if the person may choose several of them. */
  readonly multiple?: boolean;
  /** Several questions that the message introduces. It then has no options itself. */
  readonly questions?: readonly PartQuestion[];
  /** True if the caller gets the images that the person adds. */
  readonly acceptsImages?: boolean;
  /** Of an approval. The message says in one line what is to be allowed. */
  readonly approval?: Approval;
  /** Who asks, for people to read: `Claude Code · my-project`. The client's own claim, escaped and of limited length. */
  readonly caller: string;
  /** True if Deskside itself says it: plain text, which is no part of a conversation with an agent. */
  readonly isOwn?: boolean;
}

/** A form of the client: the person can also answer there. */
export interface ClientForm {
  /** Sends the form after this time. Default: only if no window can open. */
  readonly afterMs?: number;
  /** When the client got the form, in an earlier round of the call. It is not sent again. */
  readonly sentAt?: Date;
  /**
   * Shows it until the signal is aborted, whose reason says what happened: `answered in the window`.
   *
   * @param isAlone false if the person can answer in a window, too
   * @returns the person's answer
   * @throws if the client shows no form
   */
  ask(signal: AbortSignal, isAlone: boolean): Promise<Answer>;
}

/** An open item, for every surface that shows what waits for the person. */
export interface InboxItem extends Pick<InboxRequest, 'kind' | 'caller' | 'title'> {
  readonly id: string;
  /** True if Deskside itself says it: plain text. */
  readonly isOwn: boolean;
  readonly project: string | undefined;
  /** With all questions. */
  readonly message: string;
  readonly options: readonly string[] | undefined;
  readonly approval: Approval | undefined;
  /** All calls of the approval. */
  readonly calls: readonly ApprovalCall[];
  /** False if one text or one option is not a whole answer: then only the window can be used. */
  readonly isSimple: boolean;
  readonly askedAt: Date;
  /** Where the person sees it now. */
  readonly surfaces: readonly Surface[];
}

export interface InboxCaller {
  /**
   * Who asks, for the journal. The id is also that of the item, its texts and its draft: letters, digits, `_` and `-`, at
   * most 64. Default: a new id and the user of this machine.
   */
  readonly item?: Omit<ItemStart, 'kind' | 'caller'>;
  /** The folder of its project, if it is known. */
  readonly folder?: string | undefined;
  readonly form?: ClientForm | undefined;
  /** True if the client is known to show its forms to a person. */
  readonly isInteractive?: boolean;
  /**
   * The conversation of one agent. A later popup of a session replaces its earlier one. Undefined if it is not known:
   * then the popup replaces none, and none replaces it.
   */
  readonly session: string | undefined;
  /** Aborted when the caller stops waiting for the answer. */
  readonly signal: AbortSignal;
  /** After that: true if its client has disconnected, and did not cancel the call. Default: false. */
  readonly isDisconnected?: () => boolean;
  readonly log: PopupLog;
  /** On whose screen the popup opens. Default: that of this process. */
  readonly client?: ClientDesktop | undefined;
  /** Called once if the popup waits for others. `ahead` counts them. */
  readonly onQueued?: (ahead: number) => void;
  /** Called when the person wants no interruption ("Not now"), and when that is over. */
  readonly onHeld?: (isHeld: boolean) => void;
  /** Called when the person is away from the screen, and when the person is back. Not called for news. */
  readonly onAway?: (isAway: boolean) => void;
  /** Called when the popup is over, which may be after the outcome. */
  readonly onEnd?: (wasShown: boolean) => void;
}

export type InboxChange =
  /** It is new, or is on other surfaces now. */
  | { readonly kind: 'open'; readonly item: InboxItem }
  | ({ readonly kind: 'ended'; readonly id: string } & Ended);

/** All that agents ask the person of this desktop. One popup at a time is on the screen. */
export interface Inbox extends AsyncDisposable {
  /** Resolves with an outcome for everything that the person, the client or the browser does; never rejects. */
  ask(request: InboxRequest, caller: InboxCaller): Promise<PopupOutcome>;
  /**
   * Answers an item. The first answer wins, from whichever surface, and the other surfaces close.
   *
   * @returns false if the item is not open, or if none of the calls that an answer names waits
   */
  answer(id: string, answer: Answer, via: Surface): boolean;
  /** Says which calls wait for an approval now. */
  update(id: string, approval: Approval): void;
  /**
   * Reports every open item at once, and then each change.
   *
   * @returns a function that ends it
   */
  subscribe(listener: (change: InboxChange) => void): () => void;
}
