import type { DeskItem } from '../desktop/desk.ts';
import type { Desk } from '../desktop/shared-desk.ts';
import type { PutOffQuestion } from '../desktop/notification.ts';
import {
  type ClientDesktop,
  type Inbox,
  type InboxChange,
  type InboxRequest,
  type Journal,
  noJournal,
  type Quiet,
  QUIET_LOOK_MS,
  watchAway,
} from '@deskside/desktop';
import type { ConversationHistory } from '../history/history.ts';
import type { DraftStore } from '../history/drafts.ts';
import { type Scheduler, systemClock } from '@deskside/core/base';
import { Item, REMINDER } from './item.ts';
import { endingText } from './outcome-text.ts';
import { type PopupEffect, type PopupEvent, step } from './popup-state.ts';
import { type Ending, FOLLOWED, READ, type PopupPresenter, type Waiting } from './presenter.ts';
import { askedText } from './questions.ts';
import { obstacleOf, show, type Showing } from './showing.ts';

/** Between two popups that come in the same millisecond. */
const PLACE_STEP_MS = 0.001;

export interface InboxDependencies {
  readonly presenter: PopupPresenter;
  readonly desk: Desk;
  readonly history: ConversationHistory;
  /** Exchanges per popup. */
  readonly historyLimit: number;
  readonly drafts: DraftStore;
  readonly journal: Journal;
  /** "Not now". */
  readonly quiet: Quiet;
  /** For which windows a sound is played besides those whose call asks for one. */
  readonly sound: 'question' | 'all' | 'off';
  /** Plays a sound in the session of the client. No answer waits for it. */
  readonly chime: (when: 'start' | 'end', client: ClientDesktop | undefined) => void;
  /** Shows news as a notification of the system, on the screen of its client. */
  readonly notifyInstead: (news: InboxRequest, client: ClientDesktop | undefined) => Promise<unknown>;
  /** Shows that a question waits. Returns what takes it back and never rejects. */
  readonly notifyPutOff: (question: PutOffQuestion) => () => Promise<unknown>;
  readonly clock?: Scheduler;
}

export function createInbox(dependencies: InboxDependencies): Inbox {
  const { presenter, desk, history, historyLimit, drafts, journal, quiet, sound, chime } = dependencies;
  const { notifyInstead, notifyPutOff, clock = systemClock } = dependencies;
  const listeners = new Set<(change: InboxChange) => void>();
  const items = new Set<Item>();
  const withId = (id: string | undefined) => [...items].find((item) => item.id === id);
  const pendingWrites = new Set<Promise<unknown>>();
  let missed: readonly Waiting[] = [];
  let reminder: Item | undefined;
  let showing: Showing | undefined;
  /** What was on the screen last: its window may wait for one that follows it. */
  let lastShown: Item | undefined;
  let latestPlace = 0;
  let cancelReview: (() => void) | undefined;
  let cancelLook: (() => void) | undefined;
  let endWatch: (() => void) | undefined;
  /** No input has come for minutes. */
  let isIdle = false;
  /** Whose screen tells whether the person is there: this process may have none. */
  let latestClient: ClientDesktop | undefined;
  let stopped: PromiseWithResolvers<void> | undefined;
  desk.onChange = review;

  function dispatch(item: Item, event: PopupEvent): void {
    const { record, state: before } = item;
    const surfaces = item.surfaces.join();
    const { state, effects } = step(before, event);
    item.state = state;
    if (state.phase === 'over' && before.phase !== 'over') item.caller.onEnd?.(state.wasShown);
    if (state.wasShown && !before.wasShown) record.shown();
    if (state.isSeen && !before.isSeen) record.seen();
    for (const effect of effects) carryOut(item, effect);
    if (state.phase === 'over') items.delete(item);
    showPutOff(item);
    if (!state.hasEnded && item.surfaces.join() !== surfaces) tell({ kind: 'open', item: item.view });
    look();
  }

  function tell(change: InboxChange): void {
    for (const listen of listeners) listen(change);
  }

  function carryOut(item: Item, effect: PopupEffect): void {
    const { caller, request } = item;
    switch (effect.do) {
      case 'answer':
        return item.outcome.resolve(effect.outcome);
      case 'end': {
        const { outcome, via } = effect;
        item.end({ outcome, via }, stopped !== undefined);
        return tell({ kind: 'ended', id: item.id, outcome, via });
      }
      case 'openForm':
        return void sendForm(item);
      case 'withdrawForm':
        return item.formEnd.abort(item.ended && endingText(item.ended));
      case 'openWindow':
        return open(item);
      case 'closeWindow':
        return void (showing?.item === item && showing.close());
      case 'showCallerGone':
        return showing?.callerGone();
      case 'recordMessage':
        if (request.isOwn !== true && request.kind !== 'approval')
          remember(item, 'agent', askedText(request));
        return;
      case 'recordReply':
        return remember(item, 'person', effect.text);
      case 'saveDraft':
      case 'addToDraft':
        return optional(item, 'draft not saved', () => drafts.save(item.draft(effect)));
      case 'deleteDraft':
        item.typed = undefined;
        return deleteDraft(item, item.id);
      case 'moveToEnd':
        item.place = lastPlace();
        return;
      case 'listAsMissed':
        missed = [...missed, waitingOf(item.waiting(desk.process))];
        if (effect.wasShown) remind(item);
        return;
      case 'leaveWindow':
        if (showing?.item !== item || (item !== reminder && showing.leave())) return;
        void showing.close();
        return instead(item);
      case 'notifyInstead':
        return instead(item);
      case 'startTimer':
        return item.start(effect.timer, (event) => dispatch(item, event));
      case 'stopTimer':
        return item.cancelTimer();
      case 'chime':
        if (request.chimes || (effect.when === 'start' && item.sounds(sound, quiet)))
          chime(effect.when, caller.client);
        return;
      case 'warn':
        caller.log.warn(effect.message, { reason: effect.reason });
    }
  }

  async function sendForm(item: Item): Promise<void> {
    for (const event of await item.askForm()) dispatch(item, event);
  }

  /** Shows what the person missed, behind a lock or a program in full screen, until the person sees it. */
  function remind({ caller: { log, client } }: Item): void {
    if ((reminder !== undefined && items.has(reminder)) || stopped !== undefined) return;
    const about = { session: undefined, signal: new AbortController().signal, log, client };
    reminder = enter(new Item(REMINDER, about, clock, noJournal));
  }

  function instead(item: Item): void {
    if (item === reminder) return;
    optional(item, 'news not shown', () => notifyInstead(item.request, item.caller.client));
  }

  function remember(item: Item, speaker: 'agent' | 'person', text: string): void {
    optional(item, 'history not written', () => history.add(speaker, text, item.scope));
  }

  function deleteDraft(item: Item, id: string): void {
    optional(item, 'draft not deleted', () => drafts.delete(id));
  }

  /** A failure is logged and changes nothing else. */
  function optional(item: Item, failureMessage: string, work: () => Promise<unknown>): void {
    const write = work()
      .catch((error: unknown) => item.caller.log.warn(failureMessage, { error }))
      .finally(() => pendingWrites.delete(write));
    pendingWrites.add(write);
  }

  function open(item: Item): void {
    const listed = missed;
    const current = show({
      item,
      presenter,
      clock,
      history,
      historyLimit,
      drafts,
      missed: listed,
      follows: lastShown !== undefined && item.canFollow(lastShown),
      onChange: review,
      onEvent: (event) => dispatch(item, event),
      onEnding: (ending) => ends(item, ending, listed),
      onDeleteDraft: (id) => deleteDraft(item, id),
      onClosed() {
        if (showing === current) showing = undefined;
        if (showing === undefined) stopped?.resolve();
        review();
      },
    });
    showing = current;
    lastShown = item;
  }

  /** @param listed what the window listed as missed */
  function ends(item: Item, ending: Ending, listed: readonly Waiting[]): void {
    const next = ending.kind === 'show' ? withId(ending.id) : followerOf(item, ending.kind);
    if (next !== undefined) next.isCalled = true;
    if (ending.kind === 'quiet')
      quiet.begin(ending.period, ending.isForAll ? undefined : item.request.caller);
    if (!READ.has(ending.kind)) return;
    missed = missed.filter((each) => !listed.includes(each));
    // Its list was in this window.
    if (missed.length === 0 && reminder !== undefined && reminder !== item)
      dispatch(reminder, { type: 'callerLeft', isDisconnected: false });
  }

  /** What waits because the person wanted that is in a notification, whose "Answer" opens its window at once. */
  function showPutOff(item: Item): void {
    const isPutOff = item.isPutOff(desk.isOurs ? showing?.item : undefined);
    const { takeBack } = item;
    if (isPutOff === (takeBack !== undefined)) return;
    if (takeBack !== undefined) optional(item, 'notification not closed', takeBack);
    const onAnswer = () => {
      item.isCalled = true;
      if (showing === undefined || showing.item.givesWay) look();
      else dispatch(showing.item, { type: 'stepped' });
    };
    item.takeBack = isPutOff ? notifyPutOff({ ...item.putOff, onAnswer }) : undefined;
  }

  /** Offers what waits to the desk, and decides what happens on the screen. */
  function look(): void {
    const queued = [...items].filter(({ state }) => state.phase === 'queued');
    for (const item of queued) item.hold(!item.isCalled && quiet.leftMs(item.request.caller) > 0);
    desk.offer(queued.filter(({ isHeld }) => !isHeld).map((item) => item.waiting(desk.process)));
    cancelLook?.();
    // "Not now" may be over: by its time, in another process, or because the person is back.
    if (queued.some(({ isHeld }) => isHeld) && stopped === undefined)
      cancelLook = clock.after(QUIET_LOOK_MS, look, { isBackground: true });
    review();
  }

  /** Runs after every change. */
  function review(): void {
    cancelReview?.();
    reportQueue();
    const isAway = isIdle || showing?.isLocked === true;
    for (const item of items) {
      item.setAway(isAway);
      showPutOff(item);
    }
    if (stopped !== undefined) return;
    // Another process took the desk while this one was stopped: one popup at a time is on the screen.
    if (!desk.isOurs && showing?.isClosing === false) dispatch(showing.item, { type: 'stepped' });
    if (!desk.isOurs) return;
    if (showing !== undefined) {
      const ms = showing.giveWay(desk.items);
      if (ms !== undefined) cancelReview = clock.after(ms, review);
      return;
    }
    const next = desk.items.map(({ id }) => withId(id)).find((item) => item?.isCalled) ?? firstItem();
    if (next !== undefined) return dispatch(next, next.turn);
    // The window of the last answer waits for a question that will not come.
    const closing = presenter.closeKept();
    if (closing === undefined) desk.pass();
    else void closing.then(review);
  }

  const firstItem = () => withId(desk.items[0]?.id);

  /** Shows the queue in the window, and tells each caller once that it waits. */
  function reportQueue(): void {
    const current = showing?.item;
    const follows = (id: string) => current !== undefined && withId(id)?.canFollow(current) === true;
    showing?.report(desk.items.map((item) => ({ ...waitingOf(item), follows: follows(item.id) })));
    if (showing === undefined ? !desk.isWaiting : showing.isClosing) return;
    for (const [index, { id }] of desk.items.entries()) withId(id)?.reportQueued(index + 1);
  }

  /** After a press of the person the next one is in the same window at once, without a wait for a pause. */
  function followerOf(item: Item, kind: Ending['kind']): Item | undefined {
    const follower = FOLLOWED.has(kind) ? firstItem() : undefined;
    return follower !== undefined && follower.canFollow(item) ? follower : undefined;
  }

  function waitingOf({ id, process, caller, since, firstLine }: DeskItem): Waiting {
    return { id, caller, since, firstLine, here: process === desk.process };
  }

  /** The end of the queue. Each place is used once. */
  function lastPlace(): number {
    latestPlace = Math.max(clock.now().getTime(), latestPlace + PLACE_STEP_MS);
    return latestPlace;
  }

  function watchPerson(): () => void {
    return watchAway({
      idleMs: () => presenter.idleMs(latestClient),
      clock,
      isNeeded() {
        const isNeeded = quiet.isUntilBack || [...items].some(({ caller }) => caller.onAway !== undefined);
        isIdle &&= isNeeded;
        return isNeeded;
      },
      onChange(isAway, sleptFromMs) {
        isIdle = isAway;
        if (!isAway && quiet.isUntilBack) quiet.back(sleptFromMs);
        look();
      },
    });
  }

  function enter(item: Item): Item {
    const { client, form } = item.caller;
    latestClient = client ?? latestClient;
    item.place = lastPlace();
    items.add(item);
    endWatch ??= watchPerson();
    tell({ kind: 'open', item: item.view });
    const { sentAt, afterMs = sentAt && 0 } = form ?? {};
    const sendsForm = () => dispatch(item, { type: 'formDue' });
    if (afterMs === 0) sendsForm();
    else if (afterMs !== undefined) item.cancelForm = clock.after(afterMs, sendsForm);
    void admit(item);
    return item;
  }

  /** Puts a new item in the queue if a window can open. */
  async function admit(item: Item): Promise<void> {
    const { client, log } = item.caller;
    const obstacle = await presenter.findObstacle(log, client).catch(obstacleOf);
    if (obstacle !== undefined) return dispatch(item, { type: 'failed', obstacle });
    if (item.state.phase !== 'checking') return;
    const all = [...items];
    for (const earlier of all.slice(0, all.indexOf(item)).filter((each) => each.isReplacedBy(item))) {
      item.place = Math.min(item.place, earlier.place);
      dispatch(earlier, { type: 'replaced' });
    }
    dispatch(item, { type: 'possible' });
  }

  return {
    async ask(request, caller) {
      if (stopped !== undefined) return { kind: 'abandoned' };
      const item = enter(new Item(request, caller, clock, journal));
      const isDisconnected = () => caller.isDisconnected?.() ?? false;
      const leave = () => dispatch(item, { type: 'callerLeft', isDisconnected: isDisconnected() });
      caller.signal.addEventListener('abort', leave, { once: true });
      if (caller.signal.aborted) leave();
      return item.outcome.promise.finally(() => caller.signal.removeEventListener('abort', leave));
    },

    answer(id, answer, via) {
      const item = withId(id);
      const given = item && item.possible(answer);
      if (item === undefined || given === undefined) return false;
      dispatch(item, { type: 'answered', answer: given, via });
      return true;
    },

    update(id, approval) {
      const item = withId(id);
      if (item === undefined || item.state.hasEnded) return;
      item.approval = approval;
      // Of another review, nothing was in view.
      item.inView.clear();
      tell({ kind: 'open', item: item.view });
      review();
    },

    subscribe(listener) {
      for (const item of items) if (!item.state.hasEnded) listener({ kind: 'open', item: item.view });
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },

    async [Symbol.asyncDispose]() {
      if (stopped !== undefined) return stopped.promise;
      stopped = Promise.withResolvers<void>();
      endWatch?.();
      for (const item of items) dispatch(item, { type: 'stopping' });
      if (showing === undefined) stopped.resolve();
      await stopped.promise;
      await presenter.closeKept();
      await Promise.all(pendingWrites);
      await desk[Symbol.asyncDispose]();
    },
  };
}
