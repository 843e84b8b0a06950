import {
  type Answer,
  type AnswerImage,
  type Approval,
  callsOf,
  decisionFor,
  type Ended,
  type InboxCaller,
  type InboxItem,
  type InboxRequest,
  type Journal,
  type JournalItem,
  type PopupOutcome,
  type Quiet,
  type Surface,
} from '@deskside/desktop';
import { DEFAULT_USER, type Scheduler } from '@deskside/core/base';
import { previewOf } from '@deskside/look';
import type { DeskItem } from '../desktop/desk.ts';
import type { PutOffQuestion } from '../desktop/notification.ts';
import type { Draft } from '../history/drafts.ts';
import type { HistoryScope } from '../history/history.ts';
import { newPopup, type PopupEvent, type PopupState, type Timer } from './popup-state.ts';
import { answerText, outcomeWord } from './outcome-text.ts';
import { askedText } from './questions.ts';

/** A call waits at most this much longer than its timeout. */
const MAX_EXTRA_MS = 30_000;
/** A question that cannot be on the screen for this long is not shown. */
const SHORTEST_SHOWING_MS = 5000;
/** News that is not on the screen after this time is answered before it is shown. */
const NEWS_PATIENCE_MS = 5000;
/** No person reads and declines a form in this time: a client that answers faster has no forms in fact. */
const SHORTEST_ANSWER_MS = 1000;
/** A form that is declined beside the window ends the window after this time: many clients decline by themselves. */
const SHORTEST_DECLINE_MS = 2000;
const DECLINED_BY_CLIENT = 'The client declined the form by itself, before a person could read it.';

/** News of ours: a window for the list of what was missed. */
export const REMINDER: InboxRequest = {
  kind: 'news',
  message: 'Agents wrote while you could not see this screen.',
  title: 'Missed messages',
  theme: 'auto',
  showsHistory: false,
  chimes: false,
  caller: 'Deskside',
  isOwn: true,
};

/** One call: what the inbox knows of it. What can happen to it is in `popup-state.ts`. */
export class Item {
  readonly request: InboxRequest;
  readonly caller: InboxCaller;
  readonly record: JournalItem;
  readonly askedAt: Date;
  /** The answer to the call. */
  readonly outcome = Promise.withResolvers<PopupOutcome>();
  /** Aborted when the client's form is to be taken away. */
  readonly formEnd = new AbortController();
  state: PopupState;
  ended: Ended | undefined;
  /** The calls that wait now. */
  approval: Approval | undefined;
  /** Its order in the queue: milliseconds of the wall clock. */
  place = 0;
  /** The person wants to see it next, whatever "Not now" says. */
  isCalled = false;
  /** It does not interrupt the person now. */
  isHeld = false;
  /** What the person left in its window: images, and the text in the box, if any was typed. */
  images: readonly AnswerImage[] = [];
  typed: string | undefined;
  /** Pieces of a review that were in view in its window. */
  readonly inView = new Set<number>();
  /** Takes back its notification. */
  takeBack: (() => Promise<unknown>) | undefined;
  cancelTimer = () => {};
  cancelForm = () => {};
  /** Its caller knows that the person is away. */
  #isAway = false;
  /** Its caller knows that it waits. */
  #isReported = false;
  readonly #clock: Scheduler;
  /** The latest end of the call; undefined without a timeout. */
  readonly #lastEndMs: number | undefined;
  /** The end of the time for the answer. It is set when the question is on the screen for the first time. */
  #answerEndMs: number | undefined;

  constructor(request: InboxRequest, caller: InboxCaller, clock: Scheduler, journal: Journal) {
    this.request = request;
    this.caller = caller;
    this.#clock = clock;
    this.approval = request.approval;
    this.askedAt = clock.now();
    const { kind, timeout } = request;
    this.state = newPopup(kind, caller.form !== undefined);
    const content = { text: askedText(request), folder: caller.folder };
    const start = { user: DEFAULT_USER, ...caller.item, kind, caller: request.caller, content };
    this.record = journal.begin(start);
    if (timeout === undefined || kind === 'news') return;
    // The caller of an approval waits for its own call, too.
    const extraMs = kind === 'approval' ? 0 : Math.min(timeout * 1000, MAX_EXTRA_MS);
    this.#lastEndMs = clock.elapsedMs() + timeout * 1000 + extraMs;
  }

  get id(): string {
    return this.record.id;
  }

  hold(isHeld: boolean): void {
    if (isHeld === this.isHeld) return;
    this.isHeld = isHeld;
    this.caller.log.debug(isHeld ? 'popup held' : 'popup free');
    this.caller.onHeld?.(isHeld);
  }

  /** The person is away behind a lock, and without input. No call waits for the reader of news. */
  setAway(isAway: boolean): void {
    if (this.#isAway === isAway || this.state.hasEnded || this.request.kind === 'news') return;
    this.#isAway = isAway;
    this.caller.onAway?.(isAway);
  }

  /** Tells the caller once that it waits. */
  reportQueued(ahead: number): void {
    if (this.#isReported) return;
    this.#isReported = true;
    this.caller.log.debug('popup waits', { ahead });
    this.caller.onQueued?.(ahead);
  }

  /** True if the person wants a sound when its window appears. */
  sounds(sound: 'question' | 'all' | 'off', quiet: Quiet): boolean {
    const { kind, caller, isOwn = false } = this.request;
    const isWanted = sound === 'all' ? !isOwn : sound === 'question' && kind !== 'news';
    return isWanted && !quiet.isSilent(caller);
  }

  /** @param onDue called when the time is over */
  start(timer: Timer, onDue: (event: PopupEvent) => void): void {
    this.cancelTimer();
    const due = this.#due(timer);
    if (due !== undefined) this.cancelTimer = this.#clock.after(due.afterMs, () => onDue(due.event));
  }

  end(ended: Ended, isStopping: boolean): void {
    const { outcome, via } = ended;
    this.ended = ended;
    this.cancelForm();
    const isInterrupted = isStopping && outcome.kind === 'abandoned';
    this.record.end(isInterrupted ? 'interrupted' : outcomeWord(outcome), via, answerText(outcome));
  }

  /** @returns undefined if the time is not limited */
  #due(timer: Timer): { readonly afterMs: number; readonly event: PopupEvent } | undefined {
    const { kind, timeout } = this.request;
    if (kind === 'news' && timer !== 'answer')
      return {
        afterMs: timer === 'turn' ? NEWS_PATIENCE_MS : SHORTEST_ANSWER_MS,
        event: { type: 'patienceOver' },
      };
    if (timeout === undefined) return undefined;
    const event = { type: 'timedOut' } as const;
    if (this.#lastEndMs === undefined) return { afterMs: timeout * 1000, event };
    const nowMs = this.#clock.elapsedMs();
    // If its form is open already, its time runs.
    if (timer === 'turn' && this.#answerEndMs === undefined)
      return { afterMs: this.#lastEndMs - nowMs - SHORTEST_SHOWING_MS, event };
    this.#answerEndMs ??= Math.min(nowMs + timeout * 1000, this.#lastEndMs);
    return { afterMs: this.#answerEndMs - nowMs, event };
  }

  /** The event for the moment when the desktop is free. */
  get turn(): PopupEvent {
    const leftMs = (this.#answerEndMs ?? Infinity) - this.#clock.elapsedMs();
    return { type: leftMs < SHORTEST_SHOWING_MS ? 'timedOut' : 'turn' };
  }

  /** What the page shows. Its timeout is the time that is left. */
  get question(): InboxRequest {
    const { request, approval } = this;
    const { timeout } = request;
    const endMs = this.#answerEndMs ?? this.#lastEndMs ?? Infinity;
    const leftSeconds = Math.floor((endMs - this.#clock.elapsedMs()) / 1000);
    return {
      ...request,
      ...(approval === undefined ? {} : { approval }),
      ...(timeout === undefined ? {} : { timeout: Math.min(timeout, leftSeconds) }),
    };
  }

  get surfaces(): readonly Surface[] {
    const { phase, form } = this.state;
    return [
      ...(phase === 'shown' ? (['window'] as const) : []),
      ...(form === 'open' ? (['form'] as const) : []),
    ];
  }

  /** For every surface. */
  get view(): InboxItem {
    const { id, surfaces, askedAt, request, approval } = this;
    const { kind, caller, title, options, questions, multiple } = request;
    return {
      id,
      kind,
      isOwn: request.isOwn === true,
      caller,
      project: this.caller.item?.project,
      title,
      message: askedText(request),
      options,
      approval,
      calls: approval === undefined ? [] : callsOf(approval),
      isSimple: questions === undefined && multiple !== true && approval?.review === undefined,
      askedAt,
      surfaces,
    };
  }

  /** Resolves with what the client's form says. Never rejects. */
  async askForm(): Promise<readonly PopupEvent[]> {
    const { form, log, isInteractive } = this.caller;
    const startedMs = this.#clock.elapsedMs();
    const now = this.#clock.now();
    // Another process sent it: only the date says how long ago, and that may have been set back since.
    const earlierMs = Math.max(0, now.getTime() - (form?.sentAt ?? now).getTime());
    try {
      const answer = await form?.ask(this.formEnd.signal, this.state.phase === 'form');
      if (answer === undefined) return [];
      const tookMs = earlierMs + this.#clock.elapsedMs() - startedMs;
      if (answer.kind !== 'submitted' && tookMs < SHORTEST_ANSWER_MS)
        return [{ type: 'formFailed', reason: DECLINED_BY_CLIENT }];
      const { kind, timeout = Infinity } = this.request;
      const isLate = kind !== 'news' && tookMs > timeout * 1000;
      const isByPerson = isInteractive === true && tookMs >= SHORTEST_DECLINE_MS;
      const answered = { type: 'answered', answer, via: 'form', isByPerson } as const;
      return isLate ? [{ type: 'timedOut' }, answered] : [answered];
    } catch (error) {
      if (this.state.hasEnded) return [];
      log.warn('form not shown', { error });
      return [{ type: 'formFailed', reason: 'The client did not show a form.' }];
    }
  }

  /** @returns what an answer means for what waits now */
  possible(answer: Answer): Answer | undefined {
    const isDecision = answer.kind === 'allowed' || answer.kind === 'denied';
    if (this.state.hasEnded) return undefined;
    return isDecision && this.approval !== undefined ? decisionFor(this.approval, answer) : answer;
  }

  /**
   * True while it waits without a window because the person wanted that.
   *
   * @param screen what this process has on the screen
   */
  isPutOff(screen: Item | undefined): boolean {
    const { phase, kind, isAside } = this.state;
    if (phase !== 'queued' || kind === 'news' || this.isCalled) return false;
    return this.isHeld || (isAside && screen !== undefined && screen !== this);
  }

  get putOff(): Pick<PutOffQuestion, 'title' | 'text' | 'client'> {
    const title = `${this.request.caller} waits for an answer`;
    return { title, text: this.preview, client: this.caller.client };
  }

  /** True for a window that closes for a question. */
  get givesWay(): boolean {
    return this.state.phase === 'callerGone' || this.request.kind === 'news';
  }

  /** One can follow another one in the same window: of the same principal, on the same screen. */
  canFollow(other: Item): boolean {
    return this.#shared !== undefined && this.#shared === other.#shared;
  }

  /** Undefined for what has a window of its own. */
  get #shared(): string | undefined {
    if (this.request.kind === 'news' || this.approval?.review !== undefined) return undefined;
    const { DISPLAY, WAYLAND_DISPLAY } = this.caller.client?.env ?? {};
    return [this.#user, DISPLAY, WAYLAND_DISPLAY].join(' ');
  }

  isReplacedBy({ caller }: Item): boolean {
    return caller.session !== undefined && caller.session === this.caller.session;
  }

  /** In the order of the queue: questions, then news and what was put aside. */
  waiting(process: string): DeskItem {
    const { id, place, askedAt, request, preview } = this;
    const isLast = request.kind === 'news' || (this.state.isAside && !this.isCalled);
    const kind = isLast ? 'news' : 'question';
    return {
      id,
      process,
      kind,
      caller: request.caller,
      since: askedAt.toISOString(),
      firstLine: preview,
      place,
    };
  }

  /** What is in the box now, or what comes after it. */
  draft(change: { readonly do: 'saveDraft' | 'addToDraft'; readonly text: string }): Omit<Draft, 'savedAt'> {
    const before = change.do === 'addToDraft' ? (this.typed ?? '') : '';
    const text = before === '' ? change.text : `${before}\n${change.text}`.trimEnd();
    this.typed = text;
    this.caller.log.debug('draft changed');
    const { project, caller } = this.scope;
    const about = { question: this.preview, caller, user: this.#user };
    return { id: this.id, text, ...about, ...(project === undefined ? {} : { project }) };
  }

  /** True for a draft of the same agent. */
  isOwner({ caller, user, project }: Draft): boolean {
    return caller === this.request.caller && user === this.#user && project === this.scope.project;
  }

  /** Whose history it belongs to. */
  get scope(): HistoryScope {
    const { item, folder } = this.caller;
    return { id: this.id, folder, project: item?.project, caller: this.request.caller };
  }

  get #user(): string {
    return this.caller.item?.user ?? DEFAULT_USER;
  }

  /** The first line, for lists. */
  get preview(): string {
    return previewOf(askedText(this.request));
  }
}
