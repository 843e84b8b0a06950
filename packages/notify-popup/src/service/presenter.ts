import type {
  QuietPeriod,
  ClientDesktop,
  Approval,
  Answer,
  AnswerImage,
  NoWindow,
  InboxRequest,
  PopupLog,
} from '@deskside/desktop';
import type { DeskItem } from '../desktop/desk.ts';
import type { Exchange } from '../history/history.ts';
import type { Draft } from '../history/drafts.ts';

/** How much of the window the person can see. */
export type Visibility =
  | 'visible'
  /** Minimized, or on a screen that shows other windows. */
  | 'minimized'
  /** The screen is locked. */
  | 'locked';

/** A question or message that is not on the screen yet. */
export interface Waiting extends Pick<DeskItem, 'id' | 'caller' | 'since' | 'firstLine'> {
  /** True if this process can show it. */
  readonly here: boolean;
  /** True if it can follow in the same window. */
  readonly follows?: boolean;
}

/** Everything that a popup shows when it opens. */
export interface PopupSpec {
  /** Its timeout is the time that is left. */
  readonly question: InboxRequest;
  /** On whose screen it opens. Default: that of this process. */
  readonly client?: ClientDesktop;
  /** Gets each program that shows no window, once. */
  readonly log?: PopupLog;
  /** Oldest first. */
  readonly history: readonly Exchange[];
  /** Texts that were typed but not sent, the latest first. The popup offers them. */
  readonly drafts: readonly Draft[];
  /** What the person typed for this question when it was on the screen before. It is in the box. */
  readonly typed?: string;
  /** What the person added to this question before. */
  readonly images?: readonly AnswerImage[];
  /** Which pieces of a review were in view when it was on the screen before. */
  readonly inView?: ReadonlySet<number>;
  /** Questions whose time ended before they were shown, oldest first. */
  readonly missed: readonly Waiting[];
  /** It may appear in the window of the answered question before it: of the same principal, on the same screen. */
  readonly follows?: boolean;
  /** True if the person uses another window now: what comes in at first is not meant for this one. */
  readonly isTyping?: () => Promise<boolean>;
  /** Called repeatedly with the text that is in the box. */
  readonly onDraft: (text: string) => void;
  readonly onDeleteDraft: (id: string) => void;
  /** Called with all images of the answer when one is added or removed. */
  readonly onImages?: (images: readonly AnswerImage[]) => void;
  /** Called with further pieces of a review that were in view. */
  readonly onInView?: (pieces: readonly number[]) => void;
  /** A key or the pointer was used in the window. Called at most once per second. */
  readonly onActivity: () => void;
  /** Whether Enter and Escape act: not within the guard interval, which starts when the window gets the keyboard. */
  readonly onAcceptsKeys?: (accepts: boolean) => void;
  /** How much of the window the person can see, first when it opens. */
  readonly onVisibility?: (visibility: Visibility) => void;
}

/** How a popup on the screen ended. */
export type Ending =
  | Answer
  /** News had the time to be read, and closed itself. */
  | { readonly kind: 'read' }
  /** The person moves this question to the end of the queue. */
  | { readonly kind: 'later' }
  /** "Not now": this question moves to the end of the queue, and no window opens, for this agent or for all. */
  | { readonly kind: 'quiet'; readonly period: QuietPeriod; readonly isForAll: boolean }
  /** The person steps to another waiting question of this process. */
  | { readonly kind: 'show'; readonly id: string }
  /** The window crashed or stopped responding; the person did not close it. */
  | { readonly kind: 'lost'; readonly reason: string };

/** After these endings the next question appears in the same window. */
export const FOLLOWED: ReadonlySet<Ending['kind']> = new Set([
  'submitted',
  'allowed',
  'denied',
  'later',
  'show',
]);

/** After these endings the person has read the window's list of what was missed. */
export const READ: ReadonlySet<Ending['kind']> = new Set([
  'submitted',
  'cancelled',
  'dismissed',
  'allowed',
  'denied',
  'read',
]);

/** An update for a popup that is on the screen. */
export type Notice =
  /** Everything that waits now, in the order in which it will be shown. */
  | { readonly kind: 'waiting'; readonly waiting: readonly Waiting[] }
  /** The client shows the question as a form, too, or does not anymore. */
  | { readonly kind: 'form'; readonly isOpen: boolean }
  /** Other calls wait for this approval, or another number of equal ones. */
  | { readonly kind: 'approval'; readonly approval: Approval }
  /** The caller stopped waiting. The text in the box becomes a draft. */
  | { readonly kind: 'callerGone' }
  /** The person sees this news, or no longer does: it closes after the time to read it. */
  | { readonly kind: 'seen'; readonly isSeen: boolean }
  /** A question waits, and this window closes for it as soon as the person has not used the window for ten seconds. */
  | { readonly kind: 'givesWay' };

/** A popup, from opening its window to closing it. */
export interface PresentedPopup {
  /** Resolves when the person can see and answer it. Rejects with `CannotPresent`. */
  readonly shown: Promise<void>;
  /** Never resolves if the popup is never shown. */
  readonly ended: Promise<Ending>;
  notify(notice: Notice): void;
  /**
   * Leaves the window of news to itself: it closes by itself, also after this process has ended.
   *
   * @returns false if that is not possible
   */
  leave(): boolean;
  /** Closes the window; resolves when its processes and files are gone. May be called at any time. */
  close(): Promise<void>;
}

/** The boundary between questions and screens. */
export interface PopupPresenter {
  /**
   * @param log gets the display and the program, if they are new
   * @param client on whose screen the popup would open; default: that of this process
   * @returns undefined if a popup can be shown
   */
  findObstacle(log: PopupLog, client?: ClientDesktop): Promise<NoWindow | undefined>;
  /**
   * Milliseconds since the last key, click or movement of the mouse, in any program.
   *
   * @param client on whose screen; default: that of this process
   * @returns undefined if the platform does not tell
   */
  idleMs(client?: ClientDesktop): Promise<number | undefined>;
  present(spec: PopupSpec): PresentedPopup;
  /**
   * Closes the window of an answered question, which waits for the next one.
   *
   * @returns undefined if there is none
   */
  closeKept(): Promise<void> | undefined;
}

/** A popup could not be shown. The message is one sentence without a full stop. */
export class CannotPresent extends Error {
  override readonly name = 'CannotPresent';
}
