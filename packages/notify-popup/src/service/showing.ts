import type { Scheduler } from '@deskside/core/base';
import type { NoWindow } from '@deskside/desktop';
import type { DeskItem } from '../desktop/desk.ts';
import { type InputOptions, isPause, nextInput, pauseOfInput } from '../desktop/pause.ts';
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
export class Showing {
  readonly item: Item;
  readonly #on: ShowingOptions;
  #presented: PresentedPopup | undefined;
  #seenAtMs: number | undefined;
  #visibility: Visibility | undefined;
  /** Ends when the visibility of news changes. */
  #looking = new AbortController();
  /** Time of the last key or click in the window. */
  #usedAtMs = Number.NEGATIVE_INFINITY;
  readonly #closing = new AbortController();
  /** What the page has of each notice. */
  readonly #told: Map<Notice['kind'], unknown>;

  constructor(options: ShowingOptions) {
    this.item = options.item;
    this.#on = options;
    this.#told = new Map<Notice['kind'], unknown>([
      ['form', false],
      ['approval', options.item.approval],
    ]);
    void this.#run();
  }

  get isClosing(): boolean {
    return this.#closing.signal.aborted;
  }

  get isLocked(): boolean {
    return this.#visibility === 'locked';
  }

  async #run(): Promise<void> {
    const { presenter } = this.#on;
    const { caller, isCalled } = this.item;
    // A question takes the keyboard: it waits until the person pauses, unless the person goes to it.
    const isNew = !isCalled && !this.item.givesWay;
    this.item.isCalled = false;
    const content = await this.#content();
    const input = this.#input(this.#closing.signal);
    const hasPaused = !isNew || (await pauseOfInput(input));
    if (this.isClosing) return this.#closed();
    const presented = presenter.present({
      ...content,
      ...this.#handlers(),
      ...(isNew ? { isTyping: async () => !hasPaused || !(await isPause(input)) } : {}),
      log: caller.log,
      ...(caller.client === undefined ? {} : { client: caller.client }),
    });
    this.#presented = presented;
    this.#on.onChange();
    try {
      await presented.shown;
    } catch (error) {
      if (!this.isClosing) caller.log.warn('popup not shown', { error });
      return this.#send({ type: 'failed', obstacle: obstacleOf(error) });
    }
    if (!this.isClosing) caller.log.debug('popup shown');
    this.#send({ type: 'visible' });
    this.#look();
    const ending = await presented.ended;
    if (this.isClosing) return;
    this.#on.onEnding(ending);
    this.#send(eventOf(ending));
  }

  /** What was before it. */
  async #content() {
    const { item } = this;
    const { history, historyLimit, drafts, missed, follows } = this.#on;
    const { kind, showsHistory } = item.request;
    // An unreadable history or draft does not prevent the popup.
    const readOr = <T>(fallback: T, reading: Promise<T>): Promise<T> =>
      reading.catch((error: unknown) => {
        item.caller.log.warn('history not read', { error });
        return fallback;
      });
    const [unsent, exchanges] = await Promise.all([
      kind === 'news' ? [] : readOr([], drafts.list()),
      showsHistory && historyLimit > 0 ? readOr([], history.recent(historyLimit, item.scope)) : [],
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

  /** The question, and what becomes of what the person does with its window. */
  #handlers() {
    const { item } = this;
    const used = () => {
      this.#usedAtMs = this.#nowMs;
      this.#seen();
    };
    return {
      question: item.question,
      images: item.images,
      inView: item.inView,
      onDraft: (text) => {
        used();
        // Also from a page that closes: it sends what was typed last.
        this.#on.onEvent({ type: 'typed', text });
      },
      onDeleteDraft: this.#on.onDeleteDraft,
      onImages: (images) => void (item.images = images),
      onInView(pieces) {
        for (const piece of pieces) item.inView.add(piece);
      },
      onActivity: used,
      onVisibility: (visibility) => {
        this.#visibility = visibility;
        this.#look();
        this.#on.onChange();
      },
      onAcceptsKeys: (accepts) =>
        item.caller.log.debug(accepts ? 'popup accepts keys' : 'popup ignores keys'),
    } satisfies Partial<PopupSpec>;
  }

  async close(): Promise<void> {
    if (!this.#end()) return;
    // The opening popup sees `isClosing` and ends.
    if (this.#presented === undefined) return;
    await this.#presented.close();
    this.#closed();
  }

  /** @returns false if the window cannot stay by itself */
  leave(): boolean {
    if (this.isClosing || this.#presented?.leave() !== true) return false;
    this.#end();
    this.#closed();
    return true;
  }

  callerGone(): void {
    this.item.caller.log.debug('caller gone, popup stays open');
    this.#presented?.notify({ kind: 'callerGone' });
  }

  /** Shows what waits, whether the client's form is open, too, and which calls are to be decided on. */
  report(waiting: readonly Waiting[]): void {
    const { approval, caller } = this.item;
    if (this.#tell({ kind: 'waiting', waiting }, JSON.stringify(waiting)))
      caller.log.debug('popup queue changed', { waiting: waiting.length });
    const isOpen = this.item.surfaces.includes('form');
    this.#tell({ kind: 'form', isOpen }, isOpen);
    if (approval !== undefined) this.#tell({ kind: 'approval', approval }, approval);
  }

  /**
   * Closes news, or a window that only keeps a draft, for a question that waits; and a minimized window for anything.
   *
   * @returns the time in milliseconds until it is free; undefined if it is closing
   */
  giveWay(items: readonly Pick<DeskItem, 'kind'>[]): number | undefined {
    const isGiving = this.item.givesWay;
    if (this.isClosing || items.length === 0) return undefined;
    if (this.#visibility === 'minimized') {
      this.#on.onEvent(isGiving ? { type: 'displaced', wasRead: true } : { type: 'later' });
      return undefined;
    }
    if (!isGiving || !items.some(({ kind }) => kind === 'question')) return undefined;
    const freeAtMs = this.#usedAtMs + IN_USE_MS;
    if (freeAtMs <= this.#nowMs) {
      const wasRead = this.#seenAtMs !== undefined && this.#nowMs - this.#seenAtMs >= IN_USE_MS;
      this.#on.onEvent({ type: 'displaced', wasRead });
      return undefined;
    }
    this.#tell({ kind: 'givesWay' }, true);
    return freeAtMs - this.#nowMs;
  }

  get #nowMs(): number {
    return this.#on.clock.elapsedMs();
  }

  /** @returns false if the page has this value, or there is no page yet */
  #tell(notice: Notice, value: unknown): boolean {
    const { kind } = notice;
    if (this.#presented === undefined || this.#told.get(kind) === value) return false;
    this.#told.set(kind, value);
    this.#presented.notify(notice);
    return true;
  }

  #send(event: PopupEvent): void {
    if (!this.isClosing) this.#on.onEvent(event);
  }

  #input(signal: AbortSignal): InputOptions {
    const { presenter, clock } = this.#on;
    // A failure is as on a platform that does not tell.
    const idleMs = () => presenter.idleMs(this.item.caller.client).catch(() => undefined);
    return { idleMs, signal, clock };
  }

  /**
   * What is visible is seen. News is seen if the person also gives a sign, where the platform tells, and closes then.
   */
  #look(): void {
    this.#looking.abort();
    const isVisible = this.#visibility === 'visible';
    if (this.item.request.kind !== 'news') return void (isVisible && this.#seen());
    if (this.#seenAtMs !== undefined) this.#presented?.notify({ kind: 'seen', isSeen: false });
    if (isVisible) void this.#awaitReader();
  }

  async #awaitReader(): Promise<void> {
    const { signal } = (this.#looking = new AbortController());
    const isThere = await nextInput(this.#input(signal));
    if (signal.aborted) return;
    this.#seen();
    if (isThere) this.#presented?.notify({ kind: 'seen', isSeen: true });
  }

  #seen(): void {
    this.#seenAtMs ??= this.#nowMs;
    this.#send({ type: 'seen' });
  }

  /** @returns false if it has ended before */
  #end(): boolean {
    if (this.isClosing) return false;
    this.#closing.abort();
    this.#looking.abort();
    return true;
  }

  #closed(): void {
    this.item.caller.log.debug('popup closed');
    this.#on.onClosed();
  }
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
