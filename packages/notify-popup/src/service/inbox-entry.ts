import type { DeskItem } from '../desktop/desk.ts';
import type { ClientDesktop } from '../desktop/system.ts';
import type { Draft } from '../history/drafts.ts';
import type { Scheduler } from '@deskside/core/base';
import {
  newPopup,
  type PopupEffect,
  type PopupEvent,
  type PopupOutcome,
  type PopupState,
  step,
} from './popup-state.ts';
import type { PopupLog, Question, Theme } from './presenter.ts';

/** A call waits at most this much longer than its timeout. */
const MAX_EXTRA_MS = 30_000;
/** A question that cannot be on the screen for this long is not shown. */
const SHORTEST_SHOWING_MS = 5000;
/** News that is not on the screen after this time is answered before it is shown. */
const NEWS_PATIENCE_MS = 5000;
const MAX_FIRST_LINE_CHARACTERS = 200;

/** What an agent wants from the person. More kinds may follow. */
export interface InboxRequest {
  /** A question waits for an answer; news needs none. */
  readonly kind: 'question' | 'news';
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
  /** Quick replies. */
  readonly options?: readonly string[];
  /** Who asks, for the person to read. */
  readonly caller: string;
}

export interface InboxCaller {
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
  /** Called when the popup is over, which may be after the outcome. */
  readonly onEnd?: (wasShown: boolean) => void;
}

/** One call: its state, its times and its place in the queue. */
export class InboxEntry {
  readonly id: string;
  readonly request: InboxRequest;
  readonly caller: InboxCaller;
  readonly outcome: Promise<PopupOutcome>;
  readonly answer: (outcome: PopupOutcome) => void;
  /** Milliseconds of the wall clock. */
  place = 0;
  /** Called when time is over. */
  onTimer: (event: PopupEvent) => void = () => {};
  readonly #clock: Scheduler;
  readonly #askedAt: Date;
  /** The latest end of the call; undefined without a timeout. */
  readonly #lastEnd: number | undefined;
  #state: PopupState;
  /** The end of the time for the answer. It is set when the question is on the screen for the first time. */
  #answerEnd: number | undefined;
  #positionReported = false;
  #cancelTimer = () => {};

  constructor(id: string, request: InboxRequest, caller: InboxCaller, clock: Scheduler) {
    this.id = id;
    this.request = request;
    this.caller = caller;
    const { promise, resolve } = Promise.withResolvers<PopupOutcome>();
    this.outcome = promise;
    this.answer = resolve;
    this.#clock = clock;
    this.#askedAt = clock.now();
    this.#state = newPopup(request.kind);
    const { timeout } = request;
    if (timeout !== undefined && request.kind === 'question') {
      this.#lastEnd = clock.elapsedMs() + timeout * 1000 + Math.min(timeout * 1000, MAX_EXTRA_MS);
    }
  }

  get phase(): PopupState['phase'] {
    return this.#state.phase;
  }

  get isOver(): boolean {
    return this.phase === 'over';
  }

  /** True for a window that closes for a question. */
  get givesWay(): boolean {
    return this.phase === 'callerGone' || this.request.kind === 'news';
  }

  /** The first timer. */
  start(): void {
    if (this.request.kind === 'news') this.#after(NEWS_PATIENCE_MS, { type: 'patienceOver' });
    else if (this.#lastEnd !== undefined) this.#at(this.#lastEnd - SHORTEST_SHOWING_MS, { type: 'overdue' });
  }

  /** @returns what is to be done */
  step(event: PopupEvent): readonly PopupEffect[] {
    const before = this.phase;
    const { state, effects } = step(this.#state, event);
    this.#state = state;
    if (this.phase !== before && this.phase === 'shown') this.#startShownTimer();
    // The time of news counts again when it is on the screen again.
    const isNewsAgain = this.phase === 'queued' && before !== 'queued' && this.request.kind === 'news';
    if (this.isOver || this.phase === 'callerGone' || isNewsAgain) this.#cancelTimer();
    if (this.isOver && before !== 'over') this.caller.onEnd?.(state.wasShown);
    return effects;
  }

  /** The event for the moment when the desktop is free. */
  turn(): PopupEvent {
    const end = this.#answerEnd;
    const isTooLate = end !== undefined && end - this.#clock.elapsedMs() < SHORTEST_SHOWING_MS;
    return { type: isTooLate ? 'timedOut' : 'turn' };
  }

  isReplacedBy({ caller }: InboxEntry): boolean {
    return caller.session !== undefined && caller.session === this.caller.session;
  }

  /** What the page shows. Its timeout is the time that is left. */
  question(): Question {
    const { kind, timeout, ...rest } = this.request;
    const end = this.#answerEnd ?? this.#lastEnd;
    const left = end === undefined ? Infinity : Math.floor((end - this.#clock.elapsedMs()) / 1000);
    return {
      ...rest,
      waitsForResponse: kind === 'question',
      askedAt: this.#askedAt,
      ...(timeout === undefined ? {} : { timeout: Math.min(timeout, left) }),
    };
  }

  item(process: string): DeskItem {
    const { kind, caller } = this.request;
    const since = this.#askedAt.toISOString();
    return { id: this.id, process, kind, caller, since, firstLine: this.#firstLine, place: this.place };
  }

  draft(text: string): Omit<Draft, 'savedAt'> {
    return { id: this.id, text, question: this.#firstLine, caller: this.request.caller };
  }

  reportPosition(ahead: number): void {
    if (this.#positionReported) return;
    this.#positionReported = true;
    this.caller.log.debug('popup waits', { ahead });
    this.caller.onQueued?.(ahead);
  }

  get #firstLine(): string {
    const [line = ''] = this.request.message.trim().split('\n', 1);
    return line.slice(0, MAX_FIRST_LINE_CHARACTERS).toWellFormed();
  }

  #startShownTimer(): void {
    const { kind, timeout } = this.request;
    this.#cancelTimer();
    if (timeout === undefined) return;
    if (kind === 'news') return this.#after(timeout * 1000, { type: 'timedOut' });
    this.#answerEnd ??= Math.min(this.#clock.elapsedMs() + timeout * 1000, this.#lastEnd ?? Infinity);
    this.#at(this.#answerEnd, { type: 'timedOut' });
  }

  #at(time: number, event: PopupEvent): void {
    this.#after(time - this.#clock.elapsedMs(), event);
  }

  #after(ms: number, event: PopupEvent): void {
    this.#cancelTimer();
    this.#cancelTimer = this.#clock.after(ms, () => this.onTimer(event));
  }
}
