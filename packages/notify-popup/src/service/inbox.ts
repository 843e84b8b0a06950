import type { Desk, DeskItem } from '../desktop/desk.ts';
import type { NotifyPutOff } from '../desktop/notification.ts';
import {
  type ClientDesktop,
  type Journal,
  memoryJournal,
  noJournal,
  Quiet,
  QUIET_LOOK_MS,
  watchReturn,
  type InboxChange,
  type Inbox,
  type InboxRequest,
  type NoWindow,
} from '@deskside/desktop';
import type { ConversationHistory } from '../history/history.ts';
import type { DraftStore } from '../history/drafts.ts';
import { type Scheduler, systemClock } from '@deskside/core/base';
import { InboxEntry } from './inbox-entry.ts';
import { REMINDER } from './own-news.ts';
import type { PopupEffect, PopupEvent } from './popup-state.ts';
import { type Ending, FOLLOWED, type PopupPresenter, type Waiting } from './presenter.ts';
import { PutOff } from './put-off.ts';
import { askedText } from './questions.ts';
import { type Content, obstacleOf, Showing } from './showing.ts';

/** Between two popups that come in the same millisecond. */
const PLACE_STEP_MS = 0.001;

export interface InboxDependencies {
  readonly presenter: PopupPresenter;
  readonly desk: Desk;
  readonly history: ConversationHistory;
  /** Exchanges per popup. */
  readonly historyLimit: number;
  readonly drafts: DraftStore;
  readonly journal?: Journal | undefined;
  /** "Not now". Default: only for this inbox. */
  readonly quiet?: Quiet;
  /** Shows a question that was put off. Default: it waits without a notification. */
  readonly notifyPutOff?: NotifyPutOff | undefined;
  /** For which windows a sound is played besides those whose call asks for one. Default: for none. */
  readonly sound?: 'question' | 'all' | 'off';
  /** Plays a sound in the session of the client. No answer waits for it. */
  readonly chime: (when: 'start' | 'end', client: ClientDesktop | undefined) => void;
  /** Shows news as a notification of the system, on the screen of its client. */
  readonly notifyInstead: (news: InboxRequest, client: ClientDesktop | undefined) => Promise<unknown>;
  readonly clock?: Scheduler;
}

export function createInbox(dependencies: InboxDependencies): Inbox {
  const {
    presenter,
    desk,
    history,
    historyLimit,
    drafts,
    sound = 'off',
    chime,
    notifyInstead,
    notifyPutOff = () => nothing,
    journal = noJournal,
    clock = systemClock,
    quiet = new Quiet(memoryJournal(), clock),
  } = dependencies;
  const listeners = new Set<(change: InboxChange) => void>();
  const entries = new Set<InboxEntry>();
  const entryOf = (id: string | undefined) => [...entries].find((entry) => entry.id === id);
  const putOff = new PutOff(notifyPutOff);
  const pendingWrites = new Set<Promise<unknown>>();
  let missed: readonly Waiting[] = [];
  /** The last news of ours. */
  let reminder: InboxEntry | undefined;
  let showing: Showing | undefined;
  const checking = new Map<ClientDesktop | undefined, Promise<NoWindow | undefined>>();
  let latestPlace = 0;
  let cancelReview: () => void = nothing;
  let cancelLook: () => void = nothing;
  let endWatch: (() => void) | undefined;
  /** Whose screen tells that the person is back: this process may have none. */
  let latestClient: ClientDesktop | undefined;
  let stopped: PromiseWithResolvers<void> | undefined;
  desk.onChange = review;

  function dispatch(entry: InboxEntry, event: PopupEvent): void {
    const before = entry.surfaces.join();
    for (const effect of entry.step(event)) carryOut(entry, effect);
    if (entry.isOver) entries.delete(entry);
    if (!entry.hasEnded && entry.surfaces.join() !== before) tell({ kind: 'open', item: entry.view });
    offer();
    review();
  }

  function tell(change: InboxChange): void {
    for (const listen of listeners) listen(change);
  }

  /** The end of the queue. Each place is used once. */
  function lastPlace(): number {
    latestPlace = Math.max(clock.now().getTime(), latestPlace + PLACE_STEP_MS);
    return latestPlace;
  }

  function carryOut(entry: InboxEntry, effect: PopupEffect): void {
    const { caller, request } = entry;
    switch (effect.do) {
      case 'answer':
        return entry.answer(effect.outcome);
      case 'end':
        entry.end(effect, stopped !== undefined);
        return tell({ kind: 'ended', id: entry.id, outcome: effect.outcome, via: effect.via });
      case 'openForm':
        return void askForm(entry);
      case 'withdrawForm':
        return entry.withdrawForm();
      case 'openWindow':
        entry.isAside = false;
        return open(entry);
      case 'closeWindow':
        return void (showing?.entry === entry && showing.close());
      case 'showCallerGone':
        return showing?.callerGone();
      case 'recordMessage':
        if (request.isOwn === true || request.kind === 'approval') return;
        return optional(entry, 'history not written', () =>
          history.add('agent', askedText(request), entry.scope),
        );
      case 'recordSeen':
        return entry.seen();
      case 'recordReply':
        return optional(entry, 'history not written', () => history.add('person', effect.text, entry.scope));
      case 'saveDraft':
        caller.log.debug('draft changed');
        return optional(entry, 'draft not saved', () => drafts.save(entry.draft(effect.text)));
      case 'deleteDraft':
        return optional(entry, 'draft not deleted', () => drafts.delete(entry.id));
      case 'moveToEnd':
        entry.place = lastPlace();
        entry.isAside = true;
        return;
      case 'listAsMissed':
        missed = [...missed, waitingOf(entry.item(desk.process))];
        if (effect.wasShown) remind(entry);
        return;
      case 'leaveWindow':
        if (showing?.entry !== entry || (entry !== reminder && showing.leave())) return;
        void showing.close();
        return instead(entry);
      case 'notifyInstead':
        return instead(entry);
      case 'chime':
        if (request.chimes || (effect.when === 'start' && sounds(request))) chime(effect.when, caller.client);
        return;
      case 'warn':
        caller.log.warn(effect.message, { reason: effect.reason });
    }
  }

  /** The person wants a sound when its window appears. */
  function sounds({ kind, caller, isOwn = false }: InboxRequest): boolean {
    const isWanted = sound === 'all' ? !isOwn : sound === 'question' && kind !== 'news';
    return isWanted && !quiet.isSilent(caller);
  }

  /** Shows what the person missed, behind a lock or a program in full screen, until the person sees it. */
  function remind({ caller: { log, client } }: InboxEntry): void {
    if (reminder?.isOver === false || stopped !== undefined) return;
    const about = { session: undefined, signal: new AbortController().signal, log, client };
    reminder = enter(new InboxEntry(REMINDER, about, clock, noJournal));
  }

  function instead(entry: InboxEntry): void {
    if (entry === reminder) return;
    optional(entry, 'news not shown', () => notifyInstead(entry.request, entry.caller.client));
  }

  /** A failure is logged and changes nothing else. */
  function optional(entry: InboxEntry, failureMessage: string, work: () => Promise<unknown>): void {
    const write = work()
      .catch((error: unknown) => entry.caller.log.warn(failureMessage, { error }))
      .finally(() => pendingWrites.delete(write));
    pendingWrites.add(write);
  }

  function open(entry: InboxEntry): void {
    const listed = missed;
    const current = new Showing(entry, clock, {
      content: contentFor(entry, listed),
      isNext: entry.isCalled,
      onChange: review,
      onEvent: (event) => dispatch(entry, event),
      onEnding({ kind, ...ending }) {
        const [first] = desk.items;
        const called = 'id' in ending ? entryOf(ending.id) : followerOf(entry, kind, first);
        if (called !== undefined) called.isCalled = true;
        if ('period' in ending)
          quiet.begin(ending.period, ending.isForAll ? undefined : entry.request.caller);
        if (['submitted', 'cancelled', 'dismissed', 'allowed', 'denied', 'read'].includes(kind)) {
          missed = missed.filter((item) => !listed.includes(item));
          // Its list was in this window.
          if (missed.length === 0 && reminder !== undefined && reminder !== entry)
            dispatch(reminder, { type: 'callerLeft', isDisconnected: false });
        }
      },
      onClosed() {
        if (showing === current) showing = undefined;
        if (showing === undefined) stopped?.resolve();
        review();
      },
    });
    entry.isCalled = false;
    showing = current;
    void current.open(presenter);
  }

  async function contentFor(entry: InboxEntry, listed: readonly Waiting[]): Promise<Content> {
    const { request } = entry;
    const [unsent, exchanges] = await Promise.all([
      request.kind === 'news' ? [] : readOr(entry, [], drafts.list()),
      request.showsHistory && historyLimit > 0
        ? readOr(entry, [], history.recent(historyLimit, entry.scope))
        : [],
    ]);
    return {
      history: exchanges,
      // A question that was moved back in the queue has its text in the box.
      drafts: unsent.filter(
        (draft) => request.kind === 'question' && draft.id !== entry.id && entry.isOwner(draft),
      ),
      images: entry.images,
      inView: entry.inView,
      typed: entry.typed ?? unsent.find(({ id }) => id === entry.id)?.text ?? '',
      missed: listed,
      onDeleteDraft: (id) => optional(entry, 'draft not deleted', () => drafts.delete(id)),
    };
  }

  async function askForm(entry: InboxEntry): Promise<void> {
    for (const event of await entry.askForm()) dispatch(entry, event);
  }

  function offer(): void {
    const queued = [...entries].filter(({ phase }) => phase === 'queued');
    for (const entry of queued) entry.hold(!entry.isCalled && quiet.leftMs(entry.request.caller) > 0);
    desk.offer(queued.filter(({ isHeld }) => !isHeld).map((entry) => entry.item(desk.process)));
    cancelLook();
    if (!queued.some(({ isHeld }) => isHeld) || stopped !== undefined) return;
    cancelLook = clock.after(QUIET_LOOK_MS, look, { isBackground: true });
  }

  /** "Not now" may be over: by its time, in another process, or because the person is back. */
  function look(): void {
    offer();
    review();
  }

  /** The person wants to answer one that was put off. */
  function call(entry: InboxEntry): void {
    entry.isCalled = true;
    if (showing === undefined || showing.entry.givesWay) look();
    else dispatch(showing.entry, { type: 'stepped' });
  }

  /** Decides what happens on the screen. Runs after every change. */
  function review(): void {
    cancelReview();
    reportQueue();
    putOff.update(entries, desk.isOurs ? showing?.entry : undefined, call);
    for (const entry of entries) entry.setAway('locked', showing?.isLocked === true);
    if (stopped !== undefined) return;
    // Another process took the desk while this one was stopped: one popup at a time is on the screen.
    if (!desk.isOurs && showing?.isClosing === false) dispatch(showing.entry, { type: 'stepped' });
    if (!desk.isOurs) return;
    const items = desk.items;
    if (showing !== undefined) {
      const ms = showing.giveWay(items);
      if (ms !== undefined) cancelReview = clock.after(ms, review);
      return;
    }
    const next = items.find(({ id }) => entryOf(id)?.isCalled) ?? items[0];
    const entry = entryOf(next?.id);
    if (entry === undefined) desk.pass();
    else dispatch(entry, entry.turn());
  }

  /** Shows the queue in the window, and tells each caller once that it waits. */
  function reportQueue(): void {
    const current = showing?.entry;
    const waiting = desk.items.map((item) => ({
      ...waitingOf(item),
      follows: current !== undefined && entryOf(item.id)?.canFollow(current) === true,
    }));
    showing?.report(waiting);
    showing?.reportEntry();
    if (showing === undefined ? !desk.isWaiting : showing.isClosing) return;
    for (const [index, { id }] of desk.items.entries()) {
      entryOf(id)?.reportPosition(index + 1);
    }
  }

  /** After a press of the person the next one is in the same window at once, without a wait for a pause. */
  function followerOf(entry: InboxEntry, kind: Ending['kind'], next: DeskItem | undefined) {
    const follower = FOLLOWED.has(kind) ? entryOf(next?.id) : undefined;
    return follower?.canFollow(entry) === true ? follower : undefined;
  }

  function waitingOf({ id, process, caller, since, firstLine }: DeskItem): Waiting {
    return { id, caller, since, firstLine, here: process === desk.process };
  }

  function enter(entry: InboxEntry): InboxEntry {
    latestClient = entry.caller.client ?? latestClient;
    endWatch ??= watchReturn(quiet, { idleMs: () => presenter.idleMs(latestClient), clock, onEnd: look });
    entry.place = lastPlace();
    entries.add(entry);
    entry.onTimer = (event) => dispatch(entry, event);
    tell({ kind: 'open', item: entry.view });
    entry.startForm();
    void admit(entry);
    return entry;
  }

  /** Puts a new item in the queue if a window can open. One check for calls that come together keeps their order. */
  async function admit(entry: InboxEntry): Promise<void> {
    const { client, log } = entry.caller;
    const check =
      checking.get(client) ?? presenter.findObstacle(log, client).finally(() => checking.delete(client));
    checking.set(client, check);
    const obstacle = await check.catch(obstacleOf);
    if (obstacle !== undefined) return dispatch(entry, { type: 'failed', obstacle });
    if (entry.phase !== 'checking') return;
    const all = [...entries];
    for (const earlier of all.slice(0, all.indexOf(entry)).filter((other) => other.isReplacedBy(entry))) {
      entry.place = Math.min(entry.place, earlier.place);
      dispatch(earlier, { type: 'replaced' });
    }
    dispatch(entry, { type: 'possible' });
    entry.watchIdle(() => presenter.idleMs(client));
  }

  return {
    async ask(request, caller) {
      if (stopped !== undefined) return { kind: 'abandoned' };
      const entry = enter(new InboxEntry(request, caller, clock, journal));
      const isDisconnected = () => caller.isDisconnected?.() ?? false;
      const leave = () => dispatch(entry, { type: 'callerLeft', isDisconnected: isDisconnected() });
      caller.signal.addEventListener('abort', leave, { once: true });
      if (caller.signal.aborted) leave();
      try {
        return await entry.outcome;
      } finally {
        caller.signal.removeEventListener('abort', leave);
      }
    },

    answer(id, answer, via) {
      const entry = entryOf(id);
      const given = entry?.possible(answer);
      if (entry === undefined || given === undefined) return false;
      dispatch(entry, { type: 'answered', answer: given, via });
      return true;
    },

    update(id, approval) {
      const entry = entryOf(id);
      if (entry === undefined || entry.hasEnded) return;
      entry.decideOn(approval);
      tell({ kind: 'open', item: entry.view });
      review();
    },

    subscribe(listener) {
      for (const entry of entries) if (!entry.hasEnded) listener({ kind: 'open', item: entry.view });
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },

    async [Symbol.asyncDispose]() {
      if (stopped !== undefined) return stopped.promise;
      stopped = Promise.withResolvers<void>();
      endWatch?.();
      for (const entry of entries) dispatch(entry, { type: 'stopping' });
      if (showing === undefined) stopped.resolve();
      await stopped.promise;
      await Promise.all(pendingWrites);
      await desk[Symbol.asyncDispose]();
    },
  };
}

const nothing = () => {};

/** An unreadable history or draft does not prevent the popup. */
function readOr<T>(entry: InboxEntry, fallback: T, reading: Promise<T>): Promise<T> {
  return reading.catch((error: unknown) => {
    entry.caller.log.warn('history not read', { error });
    return fallback;
  });
}
