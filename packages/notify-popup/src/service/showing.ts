import type { Scheduler } from '@deskside/core/base';
import type { NoWindow } from '@deskside/desktop';
import type { DeskItem } from '../desktop/desk.ts';
import { isPause, nextInput, pauseOfInput } from '../desktop/pause.ts';
import type { DraftStore } from '../history/drafts.ts';
import type { ConversationHistory } from '../history/history.ts';
import type { Item } from './item.ts';
import type { PopupEvent } from './popup-state.ts';
import {
  CannotPresent,
  type Ending,
  type Notice,
  type PopupPresenter,
  type PopupSpec,
  type PresentedPopup,
  type Visibility,
  type Waiting,
} from './presenter.ts';

/** A window that was used within this time does not give way. */
const IN_USE_MS = 10_000;

export interface ShowingOptions {
  readonly item: Item;
  readonly presenter: PopupPresenter;
  readonly clock: Scheduler;
  readonly history: ConversationHistory;
  readonly historyLimit: number;
  readonly drafts: DraftStore;
  /** What the window lists as missed. */
  readonly missed: readonly Waiting[];
  /** It may appear in the window of the question before it. */
  readonly follows: boolean;
  /** The window starts, or the person can see more or less of it. */
  readonly onChange: () => void;
  readonly onEvent: (event: PopupEvent) => void;
  /** The person or the window ended it; the event follows. */
  readonly onEnding: (ending: Ending) => void;
  readonly onDeleteDraft: (id: string) => void;
  /** Its window is gone. */
  readonly onClosed: () => void;
}

/** The one popup on the screen, from the start of its window to the end. */
export type Showing = ReturnType<typeof show>;

export function show(on: ShowingOptions) {
  const { item, presenter, clock } = on;
  const { caller } = item;
  const closing = new AbortController();
  /** What the page has of each notice. */
  const told = new Map<Notice['kind'], unknown>([
    ['form', false],
    ['approval', item.approval],
  ]);
  let presented: PresentedPopup | undefined;
  let seenAtMs: number | undefined;
  let visibility: Visibility | undefined;
  /** Ends when the visibility of news changes. */
  let looking = new AbortController();
  /** Time of the last key or click in the window. */
  let usedAtMs = Number.NEGATIVE_INFINITY;
  const isClosing = () => closing.signal.aborted;
  /** A failure is as on a platform that does not tell. */
  const idleMs = () => presenter.idleMs(caller.client).catch(() => undefined);
  void run();

  async function run(): Promise<void> {
    const { isCalled } = item;
    // A question takes the keyboard: it waits until the person pauses, unless the person goes to it.
    const isNew = !isCalled && !item.givesWay;
    item.isCalled = false;
    const content = await contentBefore();
    const input = { idleMs, signal: closing.signal, clock };
    const hasPaused = !isNew || (await pauseOfInput(input));
    if (isClosing()) return closed();
    presented = presenter.present({
      ...content,
      ...handlers(),
      ...(isNew ? { isTyping: async () => !hasPaused || !(await isPause(input)) } : {}),
      log: caller.log,
      ...(caller.client === undefined ? {} : { client: caller.client }),
    });
    on.onChange();
    try {
      await presented.shown;
    } catch (error) {
      if (!isClosing()) caller.log.warn('popup not shown', { error });
      return send({ type: 'failed', obstacle: obstacleOf(error) });
    }
    if (!isClosing()) caller.log.debug('popup shown');
    send({ type: 'visible' });
    look();
    const ending = await presented.ended;
    if (isClosing()) return;
    on.onEnding(ending);
    send(eventOf(ending));
  }

  /** What was before it. */
  async function contentBefore() {
    const { history, historyLimit, drafts, missed, follows } = on;
    const { kind, showsHistory } = item.request;
    const [unsent, exchanges] = await Promise.all([
      kind === 'news' ? [] : readOrNone(drafts.list()),
      showsHistory && historyLimit > 0 ? readOrNone(history.recent(historyLimit, item.scope)) : [],
    ]);
    // A question that was moved back in the queue has its text in the box.
    const offered = unsent.filter((draft) => draft.id !== item.id && item.isOwner(draft));
    return {
      history: exchanges,
      drafts: kind === 'question' ? offered : [],
      typed: item.typed ?? unsent.find(({ id }) => id === item.id)?.text ?? '',
      missed,
      follows,
    };
  }

  /** An unreadable history or draft does not prevent the popup. */
  function readOrNone<T>(reading: Promise<readonly T[]>): Promise<readonly T[]> {
    return reading.catch((error: unknown) => {
      caller.log.warn('history not read', { error });
      return [];
    });
  }

  /** The question, and what becomes of what the person does with its window. */
  function handlers() {
    return {
      question: item.question,
      images: item.images,
      inView: item.inView,
      onDraft: (text) => {
        used();
        // Also from a page that closes: it sends what was typed last.
        on.onEvent({ type: 'typed', text });
      },
      onDeleteDraft: on.onDeleteDraft,
      onImages: (images) => void (item.images = images),
      onInView(pieces) {
        for (const piece of pieces) item.inView.add(piece);
      },
      onActivity: used,
      onVisibility: (now) => {
        visibility = now;
        look();
        on.onChange();
      },
      onAcceptsKeys: (accepts) => caller.log.debug(accepts ? 'popup accepts keys' : 'popup ignores keys'),
    } satisfies Partial<PopupSpec>;
  }

  /** @returns false if the page has this value, or there is no page yet */
  function tell(notice: Notice, value: unknown): boolean {
    const { kind } = notice;
    if (presented === undefined || told.get(kind) === value) return false;
    told.set(kind, value);
    presented.notify(notice);
    return true;
  }

  function send(event: PopupEvent): void {
    if (!isClosing()) on.onEvent(event);
  }

  /**
   * What is visible is seen. News is seen if the person also gives a sign, where the platform tells, and closes then.
   */
  function look(): void {
    looking.abort();
    const isVisible = visibility === 'visible';
    if (item.request.kind !== 'news') return void (isVisible && seen());
    if (seenAtMs !== undefined) presented?.notify({ kind: 'seen', isSeen: false });
    if (isVisible) void awaitReader();
  }

  async function awaitReader(): Promise<void> {
    const { signal } = (looking = new AbortController());
    const isThere = await nextInput({ idleMs, signal, clock });
    if (signal.aborted) return;
    seen();
    if (isThere) presented?.notify({ kind: 'seen', isSeen: true });
  }

  function used(): void {
    usedAtMs = clock.elapsedMs();
    seen();
  }

  function seen(): void {
    seenAtMs ??= clock.elapsedMs();
    send({ type: 'seen' });
  }

  function end(): void {
    closing.abort();
    looking.abort();
  }

  function closed(): void {
    caller.log.debug('popup closed');
    on.onClosed();
  }

  return {
    item,
    get isClosing() {
      return isClosing();
    },
    get isLocked() {
      return visibility === 'locked';
    },
    async close(): Promise<void> {
      if (isClosing()) return;
      end();
      // The opening popup sees `isClosing` and ends.
      if (presented === undefined) return;
      await presented.close();
      closed();
    },
    /** @returns false if the window cannot stay by itself */
    leave(): boolean {
      if (isClosing() || presented?.leave() !== true) return false;
      end();
      closed();
      return true;
    },
    callerGone(): void {
      caller.log.debug('caller gone, popup stays open');
      presented?.notify({ kind: 'callerGone' });
    },
    /** Shows what waits, whether the client's form is open, too, and which calls are to be decided on. */
    report(waiting: readonly Waiting[]): void {
      const { approval } = item;
      if (tell({ kind: 'waiting', waiting }, JSON.stringify(waiting)))
        caller.log.debug('popup queue changed', { waiting: waiting.length });
      const isOpen = item.surfaces.includes('form');
      tell({ kind: 'form', isOpen }, isOpen);
      if (approval !== undefined) tell({ kind: 'approval', approval }, approval);
    },
    /**
     * Closes news, or a window that only keeps a draft, for a question that waits; and a minimized window for anything.
     *
     * @returns the time in milliseconds until it is free; undefined if it is closing
     */
    giveWay(items: readonly Pick<DeskItem, 'kind'>[]): number | undefined {
      const isGiving = item.givesWay;
      if (isClosing() || items.length === 0) return undefined;
      if (visibility === 'minimized') {
        on.onEvent(isGiving ? { type: 'displaced', wasRead: true } : { type: 'later' });
        return undefined;
      }
      if (!isGiving || !items.some(({ kind }) => kind === 'question')) return undefined;
      const nowMs = clock.elapsedMs();
      const freeAtMs = usedAtMs + IN_USE_MS;
      if (freeAtMs <= nowMs) {
        const wasRead = seenAtMs !== undefined && nowMs - seenAtMs >= IN_USE_MS;
        on.onEvent({ type: 'displaced', wasRead });
        return undefined;
      }
      tell({ kind: 'givesWay' }, true);
      return freeAtMs - nowMs;
    },
  };
}

function eventOf(ending: Ending): PopupEvent {
  switch (ending.kind) {
    case 'lost':
      return { type: 'lost', reason: ending.reason };
    case 'show':
      return { type: 'stepped' };
    case 'read':
      return { type: 'read' };
    case 'later':
    case 'quiet':
      return { type: 'later' };
    default:
      return { type: 'answered', answer: ending, via: 'window' };
  }
}

export function obstacleOf(error: unknown): NoWindow {
  const reason = error instanceof CannotPresent ? error.message : 'the popup failed, see the log';
  return { kind: 'failed', reason };
}
