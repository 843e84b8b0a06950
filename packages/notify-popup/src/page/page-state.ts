import * as z from 'zod';
import type { Ending, PopupSpec } from '../service/presenter.ts';

/** A page that left may load again within this time. */
const RELOAD_GRACE_MS = 800;
/** A page that answers none of this many pings hangs. */
const MAX_MISSED_PINGS = 5;

/** A message of the page. Untrusted, like everything from a socket. */
const pageMessage = z.discriminatedUnion('type', [
  z.object({ type: z.literal('ready') }),
  z.object({ type: z.literal('alive') }),
  z.object({ type: z.literal('draft'), text: z.string() }),
  z.object({
    type: z.literal('submit'),
    text: z.string(),
    /** Ids of the drafts that the text contains. */
    sentDrafts: z.array(z.string()).optional(),
  }),
  z.object({ type: z.literal('cancel') }),
  /** The window closes, or the page loads again. */
  z.object({ type: z.literal('leave'), load: z.string(), text: z.string() }),
  z.object({ type: z.literal('link'), index: z.int().min(0) }),
  /** A key or the pointer was used; at most once per second. */
  z.object({ type: z.literal('activity') }),
  /** True when the window has the keyboard and the guard interval is over; false when an interval starts again. */
  z.object({ type: z.literal('acceptsKeys'), accepts: z.boolean() }),
  z.object({ type: z.literal('later') }),
  z.object({ type: z.literal('show'), id: z.string() }),
  z.object({ type: z.literal('deleteDraft'), id: z.string() }),
]);

export type PageMessage = z.output<typeof pageMessage>;

/** @returns undefined if the body is not a page message */
export function parsePageMessage(body: string): PageMessage | undefined {
  try {
    return pageMessage.safeParse(JSON.parse(body)).data;
  } catch {
    return undefined;
  }
}

/** Called for messages that do not end the popup. */
export type PageHandlers = Pick<
  PopupSpec,
  'typed' | 'onDraft' | 'onDeleteDraft' | 'onActivity' | 'onAcceptsKeys'
>;

/** Derives one ending, the first, from the messages and the connections of a page. */
export class PageState {
  readonly ready: Promise<void>;
  readonly ended: Promise<Ending>;
  readonly #handlers: PageHandlers;
  readonly #resolveReady: () => void;
  readonly #resolveEnded: (ending: Ending) => void;
  #typed: string;
  #isReady = false;
  #hasEnded = false;
  #hasLeft = false;
  #missedPings = 0;
  #load: string | undefined;
  #graceTimer: NodeJS.Timeout | undefined;

  constructor(handlers: PageHandlers) {
    this.#handlers = handlers;
    this.#typed = handlers.typed ?? '';
    const ready = Promise.withResolvers<void>();
    this.ready = ready.promise;
    this.#resolveReady = ready.resolve;
    const ended = Promise.withResolvers<Ending>();
    this.ended = ended.promise;
    this.#resolveEnded = ended.resolve;
  }

  /** The text in the box. */
  get typed(): string {
    return this.#typed;
  }

  /** @returns false if the message came after the end */
  receive(message: PageMessage): boolean {
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
        if (!this.#hasEnded) this.#setTyped(message.text);
        return !this.#hasEnded;
      case 'deleteDraft':
        this.#handlers.onDeleteDraft(message.id);
        return true;
      case 'activity':
        if (!this.#hasEnded) this.#handlers.onActivity();
        return !this.#hasEnded;
      case 'acceptsKeys':
        this.#handlers.onAcceptsKeys?.(message.accepts);
        return true;
      case 'later':
        return this.#end({ kind: 'later' });
      case 'show':
        return this.#end({ kind: 'show', id: message.id });
      case 'submit':
        if (this.#hasEnded) return false;
        for (const id of message.sentDrafts ?? []) this.#handlers.onDeleteDraft(id);
        return this.#end({ kind: 'submitted', text: message.text });
      case 'cancel':
        return this.#end({ kind: 'cancelled' });
      case 'leave':
        // After a reload the message of the old page can arrive last.
        if (this.#hasEnded || message.load !== this.#load) return false;
        this.#setTyped(message.text);
        this.#hasLeft = true;
        this.#waitForReload();
        return true;
    }
  }

  /** @param load identifies one load of the page */
  connected(load: string): void {
    clearTimeout(this.#graceTimer);
    this.#load = load;
    this.#hasLeft = false;
    this.#missedPings = 0;
  }

  disconnected(): void {
    if (!this.#hasEnded) this.#waitForReload();
  }

  windowGone(wasClosed: boolean): void {
    this.#hasLeft ||= wasClosed;
    this.#endWithoutAnswer();
  }

  /** Ends the popup because its page cannot be trusted. */
  invalidate(reason: string): void {
    this.#end({ kind: 'lost', reason });
  }

  /** Counts a ping before it is sent. @returns false after the end; the ping is then not needed */
  countPing(): boolean {
    if (this.#isReady) this.#missedPings += 1;
    if (this.#missedPings > MAX_MISSED_PINGS) this.#end({ kind: 'lost', reason: 'its window hangs' });
    return !this.#hasEnded;
  }

  dispose(): void {
    this.#hasEnded = true;
    clearTimeout(this.#graceTimer);
  }

  #setTyped(text: string): void {
    if (text === this.#typed) return;
    this.#typed = text;
    this.#handlers.onDraft(text);
  }

  #waitForReload(): void {
    clearTimeout(this.#graceTimer);
    this.#graceTimer = setTimeout(() => this.#endWithoutAnswer(), RELOAD_GRACE_MS);
  }

  #endWithoutAnswer(): void {
    this.#end(
      this.#hasLeft ? { kind: 'dismissed' } : { kind: 'lost', reason: 'its browser ended unexpectedly' },
    );
  }

  #end(ending: Ending): boolean {
    if (this.#hasEnded) return false;
    this.dispose();
    this.#resolveEnded(ending);
    return true;
  }
}
