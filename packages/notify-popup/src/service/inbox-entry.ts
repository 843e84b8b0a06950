import type { DeskItem } from '../desktop/desk.ts';
import type { Draft } from '../history/drafts.ts';
import type { HistoryScope } from '../history/history.ts';
import {
  type Approval,
  callsOf,
  decisionFor,
  type Journal,
  type JournalItem,
  type Answer,
  type AnswerImage,
  type Ended,
  type PopupOutcome,
  type Surface,
  type InboxCaller,
  type InboxItem,
  type InboxRequest,
  watchAway,
} from '@deskside/desktop';
import { previewOf } from '@deskside/look';
import { DEFAULT_USER, type Scheduler } from '@deskside/core/base';
import { newPopup, type PopupEffect, type PopupEvent, type PopupState, step } from './popup-state.ts';
import { answerText, endingText, outcomeWord } from './outcome-text.ts';
import type { Question } from './presenter.ts';
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

/** One call: its state, its times and its place in the queue. */
export class InboxEntry {
  readonly id: string;
  readonly request: InboxRequest;
  readonly caller: InboxCaller;
  readonly outcome: Promise<PopupOutcome>;
  readonly answer: (outcome: PopupOutcome) => void;
  /** Milliseconds of the wall clock. */
  place = 0;
  /** The person does this one last. */
  isAside = false;
  /** The person wants to see it next, whatever "Not now" says. */
  isCalled = false;
  /** That the person added in its window. */
  images: readonly AnswerImage[] = [];
  /** The text in the box of its window. Undefined before the person typed. */
  typed: string | undefined;
  /** Pieces of a review that were in view in its window. */
  readonly inView = new Set<number>();
  /** The calls that wait now. */
  approval: Approval | undefined;
  /** It does not interrupt the person now. */
  isHeld = false;
  ended: Ended | undefined;
  readonly askedAt: Date;
  /** Called when time is over. */
  onTimer: (event: PopupEvent) => void = () => {};
  readonly #clock: Scheduler;
  /** The latest end of the call; undefined without a timeout. */
  readonly #lastEnd: number | undefined;
  #state: PopupState;
  /** The end of the time for the answer. It is set when the question is on the screen for the first time. */
  #answerEnd: number | undefined;
  readonly #record: JournalItem;
  readonly #withdrawal = new AbortController();
  #positionReported = false;
  /** Why the person is away. */
  readonly #away = new Set<'locked' | 'idle'>();
  #endWatch = () => {};
  #cancelTimer = () => {};
  #cancelFormTimer = () => {};

  constructor(request: InboxRequest, caller: InboxCaller, clock: Scheduler, journal: Journal) {
    this.request = request;
    this.caller = caller;
    const { promise, resolve } = Promise.withResolvers<PopupOutcome>();
    this.outcome = promise;
    this.answer = resolve;
    this.#clock = clock;
    this.approval = request.approval;
    this.askedAt = clock.now();
    this.#state = newPopup(request.kind, caller.form !== undefined);
    const { kind, timeout } = request;
    const content = { text: askedText(request), folder: caller.folder };
    this.#record = journal.begin({
      user: DEFAULT_USER,
      ...caller.item,
      kind,
      caller: request.caller,
      content,
    });
    this.id = this.#record.id;
    if (timeout !== undefined && kind !== 'news') {
      // The caller of an approval waits for its own call, too.
      const extraMs = kind === 'approval' ? 0 : Math.min(timeout * 1000, MAX_EXTRA_MS);
      this.#lastEnd = clock.elapsedMs() + timeout * 1000 + extraMs;
    }
  }

  /** Of another review, nothing was in view. */
  decideOn(approval: Approval): void {
    this.approval = approval;
    this.inView.clear();
  }

  get phase(): PopupState['phase'] {
    return this.#state.phase;
  }

  get isOver(): boolean {
    return this.phase === 'over';
  }

  /** True if the item is not open anymore. Its window may be. */
  get hasEnded(): boolean {
    return this.#state.hasEnded;
  }

  hold(isHeld: boolean): void {
    if (isHeld === this.isHeld) return;
    this.isHeld = isHeld;
    this.caller.log.debug(isHeld ? 'popup held' : 'popup free');
    this.caller.onHeld?.(isHeld);
  }

  get surfaces(): readonly Surface[] {
    const { phase, form } = this.#state;
    return [
      ...(phase === 'shown' ? (['window'] as const) : []),
      ...(form === 'open' ? (['form'] as const) : []),
    ];
  }

  /** True for a window that closes for a question. */
  get givesWay(): boolean {
    return this.phase === 'callerGone' || this.request.kind === 'news';
  }

  /** Sends the form when it is due. */
  startForm(): void {
    const { sentAt, afterMs = sentAt && 0 } = this.caller.form ?? {};
    if (afterMs === 0) this.onTimer({ type: 'formDue' });
    else if (afterMs !== undefined)
      this.#cancelFormTimer = this.#clock.after(afterMs, () => this.onTimer({ type: 'formDue' }));
  }

  /** Resolves with what the client's form says. Never rejects. */
  async askForm(): Promise<readonly PopupEvent[]> {
    const { form, log } = this.caller;
    const startedMs = this.#clock.elapsedMs();
    const now = this.#clock.now();
    // Another process sent it: only the date says how long ago, and that may have been set back since.
    const earlierMs = Math.max(0, now.getTime() - (form?.sentAt ?? now).getTime());
    try {
      const answer = await form?.ask(this.#withdrawal.signal, this.phase === 'form');
      if (answer === undefined) return [];
      const tookMs = earlierMs + this.#clock.elapsedMs() - startedMs;
      if (answer.kind !== 'submitted' && tookMs < SHORTEST_ANSWER_MS)
        return [{ type: 'formFailed', reason: DECLINED_BY_CLIENT }];
      const { kind, timeout = Infinity } = this.request;
      const isLate = kind !== 'news' && tookMs > timeout * 1000;
      const isByPerson = this.caller.isInteractive === true && tookMs >= SHORTEST_DECLINE_MS;
      return [
        ...(isLate ? [{ type: 'timedOut' } as const] : []),
        { type: 'answered', answer, via: 'form', isByPerson },
      ];
    } catch (error) {
      if (this.hasEnded) return [];
      log.warn('form not shown', { error });
      return [{ type: 'formFailed', reason: 'The client did not show a form.' }];
    }
  }

  /** Takes the form away. */
  withdrawForm(): void {
    this.#withdrawal.abort(this.ended && endingText(this.ended));
  }

  seen(): void {
    this.#record.seen();
  }

  end(ended: Ended, isStopping: boolean): void {
    this.ended = ended;
    this.#endWatch();
    this.#cancelFormTimer();
    const isInterrupted = isStopping && ended.outcome.kind === 'abandoned';
    const word = isInterrupted ? 'interrupted' : outcomeWord(ended.outcome);
    this.#record.end(word, ended.via, answerText(ended.outcome));
  }

  /** Reports whether the person is away: while the screen of the call is locked, or no input comes. */
  setAway(reason: 'locked' | 'idle', isAway: boolean): void {
    const wasAway = this.#away.size > 0;
    if (isAway) this.#away.add(reason);
    else this.#away.delete(reason);
    // No call waits for the reader of news.
    const isReported = !this.hasEnded && this.request.kind !== 'news';
    if (isReported && wasAway !== this.#away.size > 0) this.caller.onAway?.(!wasAway);
  }

  /** @param idleMs of the screen of the call */
  watchIdle(idleMs: () => Promise<number | undefined>): void {
    if (this.hasEnded || this.request.kind === 'news' || this.caller.onAway === undefined) return;
    this.#endWatch = watchAway({
      idleMs,
      clock: this.#clock,
      onChange: (isIdle) => this.setAway('idle', isIdle),
    });
  }

  /** The first timer. */
  #start(): void {
    if (this.request.kind === 'news') this.#after(NEWS_PATIENCE_MS, { type: 'patienceOver' });
    // If its form is open already, its time runs.
    else if (this.#lastEnd !== undefined && this.#answerEnd === undefined)
      this.#after(this.#lastEnd - this.#clock.elapsedMs() - SHORTEST_SHOWING_MS, { type: 'overdue' });
  }

  /** @returns what is to be done */
  step(event: PopupEvent): readonly PopupEffect[] {
    const before = this.phase;
    const { wasShown } = this.#state;
    const { state, effects } = step(this.#state, event);
    this.#state = state;
    if (state.wasShown && !wasShown) this.#record.shown();
    if (this.phase === 'queued' && before === 'checking') this.#start();
    if (this.phase !== before && this.phase === 'shown') this.#startShownTimer();
    if (effects.some((effect) => effect.do === 'openForm')) this.#startFormTimer();
    // The time of news counts again when it is on the screen again.
    const isNewsAgain =
      this.phase === 'queued' && ['opening', 'shown'].includes(before) && this.request.kind === 'news';
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

  /** One can follow another one in the same window: of the same principal, on the same screen. */
  canFollow(other: InboxEntry): boolean {
    return this.#shared !== undefined && this.#shared === other.#shared;
  }

  /** Undefined for what has a window of its own. */
  get #shared(): string | undefined {
    if (this.request.kind === 'news' || this.approval?.review !== undefined) return undefined;
    const { DISPLAY, WAYLAND_DISPLAY } = this.caller.client?.env ?? {};
    return [this.#user, DISPLAY, WAYLAND_DISPLAY].join(' ');
  }

  isReplacedBy({ caller }: InboxEntry): boolean {
    return caller.session !== undefined && caller.session === this.caller.session;
  }

  /** What the page shows. Its timeout is the time that is left. */
  question(): Question {
    const { kind, timeout, ...rest } = this.request;
    const { approval } = this;
    const end = this.#answerEnd ?? this.#lastEnd;
    const left = end === undefined ? Infinity : Math.floor((end - this.#clock.elapsedMs()) / 1000);
    return {
      ...rest,
      waitsForResponse: kind !== 'news',
      askedAt: this.askedAt,
      ...(approval === undefined ? {} : { approval }),
      ...(timeout === undefined ? {} : { timeout: Math.min(timeout, left) }),
    };
  }

  /** @returns what an answer means for what waits now */
  possible(answer: Answer): Answer | undefined {
    const isDecision = answer.kind === 'allowed' || answer.kind === 'denied';
    if (this.hasEnded) return undefined;
    return isDecision && this.approval !== undefined ? decisionFor(this.approval, answer) : answer;
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

  /**
   * True while it waits without a window because the person wanted that.
   *
   * @param screen what this process has on the screen
   */
  isPutOff(screen: InboxEntry | undefined): boolean {
    if (this.phase !== 'queued' || this.request.kind === 'news' || this.isCalled) return false;
    return this.isHeld || (this.isAside && screen !== undefined && screen !== this);
  }

  item(process: string): DeskItem {
    const { caller } = this.request;
    // The order of the queue: questions, then news and what was put aside.
    const kind = this.request.kind === 'news' || (this.isAside && !this.isCalled) ? 'news' : 'question';
    const since = this.askedAt.toISOString();
    return { id: this.id, process, kind, caller, since, firstLine: this.preview, place: this.place };
  }

  draft(text: string): Omit<Draft, 'savedAt'> {
    this.typed = text;
    const { project } = this.scope;
    const about = { question: this.preview, caller: this.request.caller, user: this.#user };
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

  reportPosition(ahead: number): void {
    if (this.#positionReported) return;
    this.#positionReported = true;
    this.caller.log.debug('popup waits', { ahead });
    this.caller.onQueued?.(ahead);
  }

  /** The first line, for lists. */
  get preview(): string {
    return previewOf(askedText(this.request));
  }

  #startShownTimer(): void {
    const { kind, timeout } = this.request;
    this.#cancelTimer();
    if (timeout === undefined) return;
    if (kind === 'news') return this.#after(timeout * 1000, { type: 'timedOut' });
    this.#answerEnd ??= Math.min(this.#clock.elapsedMs() + timeout * 1000, this.#lastEnd ?? Infinity);
    this.#after(this.#answerEnd - this.#clock.elapsedMs(), { type: 'timedOut' });
  }

  #startFormTimer(): void {
    if (this.request.kind !== 'news') return this.#startShownTimer();
    // News must not block the agent.
    this.#cancelTimer();
    this.#after(SHORTEST_ANSWER_MS, { type: 'patienceOver' });
  }

  #after(ms: number, event: PopupEvent): void {
    this.#cancelTimer();
    this.#cancelTimer = this.#clock.after(ms, () => this.onTimer(event));
  }
}
