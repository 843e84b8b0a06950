import type { Ending } from '../service/presenter.ts';
import type { PageMessage } from './page-message.ts';

/** Milliseconds in which a page that left may be loaded again. */
const RELOAD_GRACE_MS = 800;
/** Unanswered pings after which a page hangs. */
const MISSED_PINGS = 5;

/** What the page said and did, and what that means: one ending, the first. */
export class PageState {
  readonly ready: Promise<void>;
  readonly ended: Promise<Ending>;
  readonly #onDraft: (text: string) => void;
  readonly #resolveReady: () => void;
  readonly #resolveEnded: (ending: Ending) => void;
  #isReady = false;
  #isOver = false;
  #hasLeft = false;
  #missedPings = 0;
  #load: string | undefined;
  #grace: NodeJS.Timeout | undefined;

  constructor(onDraft: (text: string) => void) {
    this.#onDraft = onDraft;
    const ready = Promise.withResolvers<void>();
    this.ready = ready.promise;
    this.#resolveReady = ready.resolve;
    const ended = Promise.withResolvers<Ending>();
    this.ended = ended.promise;
    this.#resolveEnded = ended.resolve;
  }

  /** @returns false for an answer that comes after the end */
  take(message: PageMessage): boolean {
    this.#missedPings = 0;
    switch (message.type) {
      case 'ready':
        this.#isReady = true;
        this.#resolveReady();
        return true;
      case 'alive':
      case 'link':
        return true;
      case 'draft':
        if (!this.#isOver) this.#onDraft(message.text);
        return !this.#isOver;
      case 'submit':
        return this.#end({ kind: 'submitted', text: message.text });
      case 'cancel':
        return this.#end({ kind: 'cancelled' });
      case 'leave':
        // The page before a reload may say so after the new one is there.
        if (this.#isOver || message.load !== this.#load) return false;
        if (message.text !== '') this.#onDraft(message.text);
        this.#hasLeft = true;
        this.#awaitReload();
        return true;
    }
  }

  /** A page listens: the first, or the same loaded again. */
  listens(load: string): void {
    clearTimeout(this.#grace);
    this.#load = load;
    this.#hasLeft = false;
    this.#missedPings = 0;
  }

  streamBroke(): void {
    if (!this.#isOver) this.#awaitReload();
  }

  windowGone(wasClosed: boolean): void {
    this.#hasLeft ||= wasClosed;
    this.#gone();
  }

  void(reason: string): void {
    this.#end({ kind: 'lost', reason });
  }

  /** Counts a ping that is about to be sent. @returns false when nobody is there to answer any more */
  missesPing(): boolean {
    if (this.#isReady) this.#missedPings += 1;
    if (this.#missedPings > MISSED_PINGS) this.#end({ kind: 'lost', reason: 'its window hangs' });
    return !this.#isOver;
  }

  dispose(): void {
    this.#isOver = true;
    clearTimeout(this.#grace);
  }

  #awaitReload(): void {
    clearTimeout(this.#grace);
    this.#grace = setTimeout(() => this.#gone(), RELOAD_GRACE_MS);
  }

  #gone(): void {
    this.#end(
      this.#hasLeft ? { kind: 'dismissed' } : { kind: 'lost', reason: 'its browser ended by itself' },
    );
  }

  #end(ending: Ending): boolean {
    if (this.#isOver) return false;
    this.dispose();
    this.#resolveEnded(ending);
    return true;
  }
}
