import type { Scheduler } from '@deskside/core/base';
import type { DeskItem } from '../desktop/desk.ts';
import { type InputOptions, isPause, nextInput, pauseOfInput } from '../desktop/pause.ts';
import type { NoWindow } from '@deskside/desktop';
import type { InboxEntry } from './inbox-entry.ts';
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

/** What the inbox puts into a window. */
export type Content = Pick<
  PopupSpec,
  'history' | 'drafts' | 'typed' | 'images' | 'inView' | 'missed' | 'onDeleteDraft'
>;

export interface ShowingHandlers {
  /** Resolves before the window opens. */
  readonly content: Promise<Content>;
  /** The person goes to it: it does not wait for a pause. */
  readonly isNext: boolean;
  /** The window starts, or the person can see more or less of it. */
  readonly onChange: () => void;
  readonly onEvent: (event: PopupEvent) => void;
  /** The person or the window ended it; the event follows. */
  readonly onEnding: (ending: Ending) => void;
  /** Its window is gone. */
  readonly onClosed: () => void;
}

/** The one popup on the screen, from the start of its window to the end. */
export class Showing {
  readonly entry: InboxEntry;
  readonly #clock: Scheduler;
  readonly #on: ShowingHandlers;
  #presented: PresentedPopup | undefined;
  #seenAt: number | undefined;
  #visibility: Visibility | undefined;
  /** Ends when the visibility of news changes. */
  #looking = new AbortController();
  /** Time of the last key or click in the window. */
  #usedAt = Number.NEGATIVE_INFINITY;
  readonly #closing = new AbortController();
  /** What the page has of each notice. */
  readonly #told = new Map<Notice['kind'], unknown>();

  constructor(entry: InboxEntry, clock: Scheduler, handlers: ShowingHandlers) {
    this.entry = entry;
    this.#clock = clock;
    this.#on = handlers;
  }

  get isClosing(): boolean {
    return this.#closing.signal.aborted;
  }

  get isLocked(): boolean {
    return this.#visibility === 'locked';
  }

  async open(presenter: PopupPresenter): Promise<void> {
    const { entry } = this;
    const { caller } = entry;
    const content = await this.#on.content;
    // A question takes the keyboard: it waits until the person pauses.
    const input = this.#input(presenter, this.#closing.signal);
    const isNew = !this.#on.isNext && !entry.givesWay;
    const hasPaused = !isNew || (await pauseOfInput(input));
    if (this.isClosing) return this.#closed();
    const used = () => {
      this.#usedAt = this.#clock.elapsedMs();
      this.#seen();
    };
    this.#told.set('form', false).set('approval', entry.approval);
    const presented = presenter.present({
      ...content,
      question: entry.question(),
      ...(isNew ? { isTyping: async () => !hasPaused || !(await isPause(input)) } : {}),
      log: caller.log,
      ...(caller.client === undefined ? {} : { client: caller.client }),
      onDraft: (text) => {
        used();
        // Also from a page that closes: it sends what was typed last.
        this.#on.onEvent({ type: 'typed', text });
      },
      onImages: (images) => void (entry.images = images),
      onInView(pieces) {
        for (const piece of pieces) entry.inView.add(piece);
      },
      onActivity: used,
      onVisibility: (visibility) => {
        this.#visibility = visibility;
        this.#look(presenter);
        this.#on.onChange();
      },
      onAcceptsKeys: (accepts) => caller.log.debug(accepts ? 'popup accepts keys' : 'popup ignores keys'),
    });
    this.#presented = presented;
    this.#on.onChange();
    try {
      await presented.shown;
      if (!this.isClosing) caller.log.debug('popup shown');
      this.#send({ type: 'visible' });
      this.#look(presenter);
    } catch (error) {
      if (!this.isClosing) caller.log.warn('popup not shown', { error });
      return this.#send({ type: 'failed', obstacle: obstacleOf(error) });
    }
    const ending = await presented.ended;
    if (this.isClosing) return;
    this.#on.onEnding(ending);
    this.#send(eventOf(ending));
  }

  async close(): Promise<void> {
    if (this.isClosing) return;
    this.#closing.abort();
    this.#looking.abort();
    // The opening popup sees `isClosing` and ends.
    if (this.#presented === undefined) return;
    await this.#presented.close(this.entry.ended);
    this.#closed();
  }

  /** @returns false if the window cannot stay by itself */
  leave(): boolean {
    if (this.isClosing || this.#presented?.leave() !== true) return false;
    this.#closing.abort();
    this.#looking.abort();
    this.#closed();
    return true;
  }

  callerGone(): void {
    this.entry.caller.log.debug('caller gone, popup stays open');
    this.#presented?.notify({ kind: 'callerGone' });
  }

  /** Shows the queue in the window. */
  report(waiting: readonly Waiting[]): void {
    if (this.#tell({ kind: 'waiting', waiting }, JSON.stringify(waiting)))
      this.entry.caller.log.debug('popup queue changed', { waiting: waiting.length });
  }

  /** Shows in the window whether the client's form is open, too, and which calls wait. */
  reportEntry(): void {
    const { surfaces, approval } = this.entry;
    const isOpen = surfaces.includes('form');
    this.#tell({ kind: 'form', isOpen }, isOpen);
    if (approval !== undefined) this.#tell({ kind: 'approval', approval }, approval);
  }

  /** @returns false if the page has this value, or there is no page yet */
  #tell(notice: Notice, value: unknown): boolean {
    const { kind } = notice;
    if (this.#presented === undefined || this.#told.get(kind) === value) return false;
    this.#told.set(kind, value);
    this.#presented.notify(notice);
    return true;
  }

  /**
   * Closes news, or a window that only keeps a draft, for a question that waits; and a minimized window for anything.
   *
   * @returns the time in milliseconds until it is free; undefined if it is closing
   */
  giveWay(items: readonly Pick<DeskItem, 'kind'>[]): number | undefined {
    const { entry } = this;
    if (this.isClosing || items.length === 0) return undefined;
    if (this.#visibility === 'minimized') {
      this.#on.onEvent(entry.givesWay ? { type: 'displaced', wasRead: true } : { type: 'later' });
      return undefined;
    }
    if (!entry.givesWay || !items.some(({ kind }) => kind === 'question')) return undefined;
    const atMs = this.#clock.elapsedMs();
    const freeAt = this.#usedAt + IN_USE_MS;
    if (freeAt <= atMs) {
      const wasRead = this.#seenAt !== undefined && atMs - this.#seenAt >= IN_USE_MS;
      this.#on.onEvent({ type: 'displaced', wasRead });
      return undefined;
    }
    this.#tell({ kind: 'givesWay' }, true);
    return freeAt - atMs;
  }

  #send(event: PopupEvent): void {
    if (!this.isClosing) this.#on.onEvent(event);
  }

  #input(presenter: PopupPresenter, signal: AbortSignal): InputOptions {
    // A failure is as on a platform that does not tell.
    const idleMs = () => presenter.idleMs(this.entry.caller.client).catch(() => undefined);
    return { idleMs, signal, clock: this.#clock };
  }

  /**
   * What is visible is seen. News is seen if the person also gives a sign, where the platform tells, and closes then.
   */
  #look(presenter: PopupPresenter): void {
    this.#looking.abort();
    const isVisible = this.#visibility === 'visible';
    if (this.entry.request.kind !== 'news') return void (isVisible && this.#seen());
    if (this.#seenAt !== undefined) this.#presented?.notify({ kind: 'seen', isSeen: false });
    if (isVisible) void this.#awaitReader(presenter);
  }

  async #awaitReader(presenter: PopupPresenter): Promise<void> {
    const { signal } = (this.#looking = new AbortController());
    const isThere = await nextInput(this.#input(presenter, signal));
    if (signal.aborted) return;
    this.#seen();
    if (isThere) this.#presented?.notify({ kind: 'seen', isSeen: true });
  }

  #seen(): void {
    this.#seenAt ??= this.#clock.elapsedMs();
    this.#send({ type: 'seen' });
  }

  #closed(): void {
    this.entry.caller.log.debug('popup closed');
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
