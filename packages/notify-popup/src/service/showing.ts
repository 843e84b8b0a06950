import type { Scheduler } from '@deskside/core/base';
import type { InboxEntry } from './inbox-entry.ts';
import type { NoWindow, PopupEvent } from './popup-state.ts';
import {
  CannotPresent,
  type Ending,
  type PopupPresenter,
  type PopupSpec,
  type PresentedPopup,
  type Waiting,
} from './presenter.ts';

/** A window that was used within this time does not give way. */
const IN_USE_MS = 10_000;

/** What the inbox puts into a window. */
export type Content = Pick<PopupSpec, 'history' | 'drafts' | 'typed' | 'missed' | 'onDeleteDraft'>;

export interface ShowingHandlers {
  /** Resolves before the window opens. */
  readonly content: Promise<Content>;
  /** The window starts. */
  readonly onStart: () => void;
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
  #shownAt: number | undefined;
  /** Time of the last key or click in the window. */
  #usedAt = Number.NEGATIVE_INFINITY;
  #isClosing = false;
  #givesWay = false;
  /** The waiting items that the page has. */
  #reported = '';

  constructor(entry: InboxEntry, clock: Scheduler, handlers: ShowingHandlers) {
    this.entry = entry;
    this.#clock = clock;
    this.#on = handlers;
  }

  get isClosing(): boolean {
    return this.#isClosing;
  }

  async open(presenter: PopupPresenter): Promise<void> {
    const { entry } = this;
    const { caller } = entry;
    const content = await this.#on.content;
    if (this.#isClosing) return this.#closed();
    const used = () => {
      this.#usedAt = this.#clock.elapsedMs();
    };
    const presented = presenter.present({
      ...content,
      question: entry.question(),
      ...(caller.client === undefined ? {} : { client: caller.client }),
      onDraft: (text) => {
        used();
        this.#send({ type: 'typed', text });
      },
      onActivity: used,
      onAcceptsKeys: (accepts) => caller.log.debug(accepts ? 'popup accepts keys' : 'popup ignores keys'),
    });
    this.#presented = presented;
    this.#on.onStart();
    try {
      await presented.shown;
      this.#shownAt = this.#clock.elapsedMs();
      if (!this.#isClosing) caller.log.debug('popup shown');
      this.#send({ type: 'visible' });
    } catch (error) {
      if (!this.#isClosing) caller.log.warn('popup not shown', { error });
      return this.#send({ type: 'failed', obstacle: obstacleOf(error) });
    }
    const ending = await presented.ended;
    if (this.#isClosing) return;
    this.#on.onEnding(ending);
    this.#send(eventOf(ending));
  }

  async close(): Promise<void> {
    if (this.#isClosing) return;
    this.#isClosing = true;
    // The opening popup sees `isClosing` and ends.
    if (this.#presented === undefined) return;
    await this.#presented.close(this.entry.ended);
    this.#closed();
  }

  callerGone(): void {
    this.entry.caller.log.debug('caller gone, popup stays open');
    this.#presented?.notify({ kind: 'callerGone' });
  }

  /** Shows the queue in the window. */
  report(waiting: readonly Waiting[]): void {
    const text = JSON.stringify(waiting);
    if (this.#presented === undefined || this.#reported === text) return;
    this.entry.caller.log.debug('popup queue changed', { waiting: waiting.length });
    this.#reported = text;
    this.#presented.notify({ kind: 'waiting', waiting });
  }

  /**
   * Closes news, or a window that only keeps a draft, for a question that waits.
   *
   * @returns the time in milliseconds until it is free; undefined if it is closing
   */
  giveWay(): number | undefined {
    if (this.#isClosing || !this.entry.givesWay) return undefined;
    const atMs = this.#clock.elapsedMs();
    const freeAt = this.#usedAt + IN_USE_MS;
    if (freeAt <= atMs) {
      const wasRead = this.#shownAt !== undefined && atMs - this.#shownAt >= IN_USE_MS;
      this.#on.onEvent({ type: 'displaced', wasRead });
      return undefined;
    }
    if (!this.#givesWay) this.#presented?.notify({ kind: 'givesWay' });
    this.#givesWay = true;
    return freeAt - atMs;
  }

  #send(event: PopupEvent): void {
    if (!this.#isClosing) this.#on.onEvent(event);
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
    case 'later':
      return { type: 'later' };
    case 'submitted':
    case 'cancelled':
    case 'dismissed':
      return { type: 'answered', answer: ending, via: 'window' };
  }
}

export function obstacleOf(error: unknown): NoWindow {
  const reason = error instanceof CannotPresent ? error.message : 'the popup failed, see the log';
  return { kind: 'failed', reason };
}
