import { randomUUID } from 'node:crypto';
import { type Desk, type DeskItem } from '../desktop/desk.ts';
import type { ClientDesktop } from '../desktop/system.ts';
import type { ConversationHistory } from '../history/conversation-log.ts';
import type { DraftStore } from '../history/drafts.ts';
import { type Scheduler, systemClock } from '@deskside/core/base';
import { InboxEntry, type InboxCaller, type InboxRequest } from './inbox-entry.ts';
import type { PopupEffect, PopupEvent, PopupOutcome } from './popup-state.ts';
import {
  CannotPresent,
  type Ending,
  type Obstacle,
  type PopupPresenter,
  type PresentedPopup,
  type Waiting,
} from './presenter.ts';

/** A window that was used within this time does not give way. */
const IN_USE_MS = 10_000;
/** Between two popups that come in the same millisecond. */
const PLACE_STEP_MS = 0.001;

/** All that agents ask the person of this desktop. One popup at a time is on the screen. */
export interface Inbox extends AsyncDisposable {
  /** Resolves with an outcome for everything that the person, the client or the browser does; never rejects. */
  ask(request: InboxRequest, caller: InboxCaller): Promise<PopupOutcome>;
}

/** News that was not closed when its server ended. */
export interface OpenNews {
  readonly request: InboxRequest;
  /** On whose screen it belongs; undefined means that of this process. */
  readonly client: ClientDesktop | undefined;
}

export interface InboxDependencies {
  readonly presenter: PopupPresenter;
  readonly desk: Desk;
  readonly history: ConversationHistory;
  /** Exchanges per popup. */
  readonly historyLimit: number;
  readonly drafts: DraftStore;
  /** Plays a sound. No answer waits for it. */
  readonly chime: (when: 'start' | 'end') => void;
  /** Shows news in another process, which outlives this one. */
  readonly handOver: (news: readonly OpenNews[]) => Promise<void>;
  readonly clock?: Scheduler;
}

/** The one popup on the screen, from the start of its window to the end. */
interface Showing {
  readonly entry: InboxEntry;
  presented: PresentedPopup | undefined;
  shownAt: number | undefined;
  /** Time of the last key or click in the window. */
  usedAt: number;
  isClosing: boolean;
  givesWay: boolean;
  /** The waiting items that the page has. */
  reported: string;
}

export function createInbox(dependencies: InboxDependencies): Inbox {
  const {
    presenter,
    desk,
    history,
    historyLimit,
    drafts,
    chime,
    handOver,
    clock = systemClock,
  } = dependencies;
  const entries = new Set<InboxEntry>();
  const handedOver: OpenNews[] = [];
  const pendingWrites = new Set<Promise<void>>();
  let missed: readonly Waiting[] = [];
  let showing: Showing | undefined;
  /** The person wants to see this one next. */
  let preferred: string | undefined;
  const checking = new Map<ClientDesktop | undefined, Promise<Obstacle | undefined>>();
  let latestPlace = 0;
  let cancelReview: () => void = nothing;
  let stopped: PromiseWithResolvers<void> | undefined;
  desk.onChange = review;

  function dispatch(entry: InboxEntry, event: PopupEvent): void {
    for (const effect of entry.step(event)) carryOut(entry, effect);
    if (entry.isOver) entries.delete(entry);
    offer();
    review();
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
      case 'openWindow':
        return void open(entry);
      case 'closeWindow':
        return void close(entry);
      case 'showCallerGone':
        caller.log.debug('caller gone, popup stays open');
        return showing?.presented?.notify({ kind: 'callerGone' });
      case 'recordMessage':
        return optional(entry, 'history not written', () => history.addMessage(request.message));
      case 'recordReply':
        return optional(entry, 'history not written', () => history.addReply(effect.text));
      case 'saveDraft':
        caller.log.debug('draft changed');
        return optional(entry, 'draft not saved', () => drafts.save(entry.draft(effect.text)));
      case 'deleteDraft':
        return optional(entry, 'draft not deleted', () => drafts.delete(entry.id));
      case 'moveToEnd':
        entry.place = lastPlace();
        return;
      case 'listAsMissed':
        missed = [...missed, waitingOf(entry.item(desk.process))];
        return;
      case 'handOver':
        handedOver.push({ request, client: caller.client });
        return;
      case 'chime':
        if (request.chimes) chime(effect.when);
        return;
      case 'warn':
        caller.log.warn(effect.message, { reason: effect.reason });
    }
  }

  /** A failure is logged and changes nothing else. */
  function optional(entry: InboxEntry, failureMessage: string, work: () => Promise<void>): void {
    const write = work()
      .catch((error: unknown) => entry.caller.log.warn(failureMessage, { error }))
      .finally(() => pendingWrites.delete(write));
    pendingWrites.add(write);
  }

  async function open(entry: InboxEntry): Promise<void> {
    const current: Showing = {
      entry,
      presented: undefined,
      shownAt: undefined,
      usedAt: Number.NEGATIVE_INFINITY,
      isClosing: false,
      givesWay: false,
      reported: '',
    };
    showing = current;
    const { request } = entry;
    const [unsent, exchanges] = await Promise.all([
      request.kind === 'question' ? readOr(entry, [], drafts.list()) : [],
      request.showsHistory && historyLimit > 0 ? readOr(entry, [], history.recent(historyLimit)) : [],
    ]);
    if (current.isClosing) return closed(current);
    const send = (event: PopupEvent) => {
      if (!current.isClosing) dispatch(entry, event);
    };
    const used = () => {
      current.usedAt = clock.elapsedMs();
    };
    const listed = missed;
    const presented = presenter.present({
      question: entry.question(),
      ...(entry.caller.client === undefined ? {} : { client: entry.caller.client }),
      history: exchanges,
      // A question that was moved back in the queue has its text in the box.
      drafts: unsent.filter(({ id }) => id !== entry.id),
      typed: unsent.find(({ id }) => id === entry.id)?.text ?? '',
      missed: listed,
      onDraft(text) {
        used();
        send({ type: 'typed', text });
      },
      onDeleteDraft: (id) => optional(entry, 'draft not deleted', () => drafts.delete(id)),
      onActivity: used,
      onAcceptsKeys: (accepts) =>
        entry.caller.log.debug(accepts ? 'popup accepts keys' : 'popup ignores keys'),
    });
    current.presented = presented;
    review();
    try {
      await presented.shown;
      current.shownAt = clock.elapsedMs();
      if (!current.isClosing) entry.caller.log.debug('popup shown');
      send({ type: 'visible' });
    } catch (error) {
      if (!current.isClosing) entry.caller.log.warn('popup not shown', { error });
      return send({ type: 'failed', reason: reasonOf(error) });
    }
    const ending = await presented.ended;
    if (current.isClosing) return;
    if (ending.kind === 'show') preferred = ending.id;
    if (['submitted', 'cancelled', 'dismissed'].includes(ending.kind)) {
      missed = missed.filter((item) => !listed.includes(item));
    }
    send(eventOf(ending));
  }

  async function close(entry: InboxEntry): Promise<void> {
    const current = showing;
    if (current === undefined || current.entry !== entry || current.isClosing) return;
    current.isClosing = true;
    // The opening popup sees `isClosing` and ends.
    if (current.presented === undefined) return;
    await current.presented.close();
    closed(current);
  }

  function closed(current: Showing): void {
    current.entry.caller.log.debug('popup closed');
    if (showing === current) showing = undefined;
    if (showing === undefined) stopped?.resolve();
    review();
  }

  function offer(): void {
    const waiting = [...entries].filter(({ phase }) => phase === 'queued');
    desk.offer(waiting.map((entry) => entry.item(desk.process)));
  }

  /** Decides what happens on the screen. Runs after every change. */
  function review(): void {
    cancelReview();
    reportQueue();
    if (!desk.isOurs || stopped !== undefined) return;
    if (showing !== undefined) return giveWay(showing);
    const items = desk.items;
    const next = items.find(({ id }) => id === preferred) ?? items[0];
    preferred = undefined;
    const entry = [...entries].find(({ id }) => id === next?.id);
    if (entry === undefined) desk.pass();
    else dispatch(entry, entry.turn());
  }

  /** Closes news, or a window that only keeps a draft, for a question that waits. */
  function giveWay(current: Showing): void {
    const { entry, presented, isClosing, usedAt, shownAt } = current;
    if (!entry.givesWay || isClosing || !desk.items.some(({ kind }) => kind === 'question')) return;
    const atMs = clock.elapsedMs();
    const freeAt = usedAt + IN_USE_MS;
    if (freeAt <= atMs) {
      const wasRead = shownAt !== undefined && atMs - shownAt >= IN_USE_MS;
      return dispatch(entry, { type: 'displaced', wasRead });
    }
    if (!current.givesWay) presented?.notify({ kind: 'givesWay' });
    current.givesWay = true;
    cancelReview = clock.after(freeAt - atMs, review);
  }

  /** Shows the queue in the window, and tells each caller once that it waits. */
  function reportQueue(): void {
    const waiting = desk.items.map(waitingOf);
    const text = JSON.stringify(waiting);
    if (showing?.presented !== undefined && showing.reported !== text) {
      showing.entry.caller.log.debug('popup queue changed', { waiting: waiting.length });
      showing.reported = text;
      showing.presented.notify({ kind: 'waiting', waiting });
    }
    if (showing === undefined ? !desk.isWaiting : showing.isClosing) return;
    for (const [index, { id }] of desk.items.entries()) {
      [...entries].find((entry) => entry.id === id)?.reportPosition(index + 1);
    }
  }

  function waitingOf({ id, process, caller, since, firstLine }: DeskItem): Waiting {
    return { id, caller, since, firstLine, here: process === desk.process };
  }

  return {
    async ask(request, caller) {
      // One check for calls that come together keeps their order.
      const { client } = caller;
      const check =
        checking.get(client) ??
        presenter.findObstacle(caller.log, client).finally(() => checking.delete(client));
      checking.set(client, check);
      const obstacle = await check;
      if (obstacle?.kind === 'no-display') return obstacle;
      if (obstacle !== undefined) return { kind: 'failed', reason: obstacle.reason };
      const isDisconnected = () => caller.isDisconnected?.() ?? false;
      const isWithdrawn = caller.signal.aborted && !(request.kind === 'news' && isDisconnected());
      if (isWithdrawn || stopped !== undefined) return { kind: 'abandoned' };

      const entry = new InboxEntry(randomUUID(), request, caller, clock);
      entry.place = lastPlace();
      for (const earlier of [...entries].filter((other) => other.isReplacedBy(entry))) {
        entry.place = Math.min(entry.place, earlier.place);
        dispatch(earlier, { type: 'replaced' });
      }
      entries.add(entry);
      entry.onTimer = (event) => dispatch(entry, event);
      const leave = () => dispatch(entry, { type: 'callerLeft', isDisconnected: isDisconnected() });
      caller.signal.addEventListener('abort', leave, { once: true });
      entry.start();
      if (caller.signal.aborted) leave();
      offer();
      review();
      try {
        return await entry.outcome;
      } finally {
        caller.signal.removeEventListener('abort', leave);
      }
    },

    async [Symbol.asyncDispose]() {
      if (stopped !== undefined) return stopped.promise;
      stopped = Promise.withResolvers<void>();
      for (const entry of entries) dispatch(entry, { type: 'stopping' });
      const isHandedOver = handedOver.length > 0 ? handOver(handedOver) : undefined;
      if (showing === undefined) stopped.resolve();
      await stopped.promise;
      await Promise.all([...pendingWrites, isHandedOver]);
      await desk[Symbol.asyncDispose]();
    },
  };
}

/** An unreadable history or draft does not prevent the popup. */
function readOr<T>(entry: InboxEntry, fallback: T, reading: Promise<T>): Promise<T> {
  return reading.catch((error: unknown) => {
    entry.caller.log.warn('history not read', { error });
    return fallback;
  });
}

const nothing = () => {};

function eventOf(ending: Ending): PopupEvent {
  switch (ending.kind) {
    case 'submitted':
      return { type: 'submitted', text: ending.text };
    case 'lost':
      return { type: 'lost', reason: ending.reason };
    case 'show':
      return { type: 'stepped' };
    case 'cancelled':
    case 'dismissed':
    case 'later':
      return { type: ending.kind };
  }
}

function reasonOf(error: unknown): string {
  return error instanceof CannotPresent ? error.message : 'the popup failed, see the log';
}
