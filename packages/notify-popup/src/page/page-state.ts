import { parseObject, type Scheduler, systemClock } from '@deskside/core/base';
import * as z from 'zod';
import { type AnswerImage, type Approval, type Decision, decisionFor } from '@deskside/desktop';
import { type Ending, FOLLOWED, type Notice, type PopupSpec, type Waiting } from '../service/presenter.ts';
import { answersText } from '../service/questions.ts';
import { imageOf, MAX_IMAGES } from './images.ts';

/** A page that left may load again within this time. */
const RELOAD_GRACE_MS = 800;
/** A page that answers none of this many pings hangs. */
const MAX_MISSED_PINGS = 5;
/** The person can take back a cancellation in this time. */
const UNDO_MS = 3000;

/** Of all that is typed, in UTF-8. The page counts, and sends no more. */
export const MAX_TEXT_BYTES = 256 * 1024;

/** What is in the box; of several questions, in each box. */
const typedText = z.union([z.string(), z.array(z.string())]);

/** Of an approval: those that the page showed. */
const calls = z.array(z.string()).optional();

/** A message of the page. Untrusted, like everything from a socket. */
const pageMessage = z.discriminatedUnion('type', [
  z.object({ type: z.literal('ready') }),
  z.object({ type: z.literal('alive') }),
  z.object({ type: z.literal('draft'), text: typedText }),
  z.object({
    type: z.literal('submit'),
    text: typedText,
    /** Ids of the drafts that the text contains. */
    sentDrafts: z.array(z.string()).optional(),
    /** How many images go with it. The page has sent them before. */
    images: z.int().min(0).max(MAX_IMAGES).optional(),
  }),
  z.object({
    type: z.literal('allow'),
    /** `reading`: of a review, without the tools that do more than read. */
    scope: z.enum(['once', 'session', 'always', 'reading']),
    ids: calls,
    text: typedText.optional(),
  }),
  z.object({ type: z.literal('deny'), text: z.string(), ids: calls }),
  z.object({ type: z.literal('cancel'), text: typedText.optional(), canUndo: z.boolean().optional() }),
  /** News had the time to be read. */
  z.object({ type: z.literal('read') }),
  /** Takes back a cancellation. */
  z.object({ type: z.literal('undo') }),
  /** The window closes, or the page loads again. */
  z.object({ type: z.literal('leave'), load: z.string(), text: typedText.optional() }),
  z.object({ type: z.literal('link'), index: z.int().min(0) }),
  /** A key or the pointer was used; at most once per second. */
  z.object({ type: z.literal('activity') }),
  /** True when the window has the keyboard and the guard interval is over; false when an interval starts again. */
  z.object({ type: z.literal('acceptsKeys'), accepts: z.boolean() }),
  /** Minimized, or on a screen that shows other windows. */
  z.object({ type: z.literal('visibility'), isHidden: z.boolean() }),
  z.object({ type: z.literal('later'), text: typedText.optional() }),
  /** "Not now". */
  z.object({
    type: z.literal('quiet'),
    period: z.enum(['15m', '1h', 'until-back']),
    isForAll: z.boolean(),
    text: typedText.optional(),
  }),
  z.object({ type: z.literal('show'), id: z.string(), text: typedText.optional() }),
  z.object({ type: z.literal('deleteDraft'), id: z.string() }),
  /** Pieces of a review, by their place in the page. */
  z.object({ type: z.literal('inView'), pieces: z.array(z.int().min(0)) }),
  z.object({ type: z.literal('deleteImage'), place: z.int() }),
]);

export type PageMessage = z.output<typeof pageMessage>;

/** @returns undefined if the body is not a page message */
export function parsePageMessage(body: string): PageMessage | undefined {
  return pageMessage.safeParse(parseObject(body)).data;
}

/** Derives one ending, the first, from the messages and the connections of a page. */
export class PageState {
  readonly #ready = Promise.withResolvers<void>();
  readonly #ended = Promise.withResolvers<Ending>();
  readonly ready = this.#ready.promise;
  readonly ended = this.#ended.promise;
  readonly #spec: PopupSpec;
  readonly #clock: Scheduler;
  /** The text in the box. */
  typed: string;
  /** By their place, the oldest first. */
  readonly images: Map<number, AnswerImage>;
  /** What waits for a decision now. */
  approval: Approval | undefined;
  /** What else waits. */
  #waiting: readonly Waiting[] = [];
  /** The next question appears in this window. */
  isFollowed = false;
  #isCallerGone = false;
  /** The person has pressed a key or a button in it. */
  isUsed = false;
  #isReady = false;
  #hasEnded = false;
  #hasLeft = false;
  #missedPings = 0;
  #load: string | undefined;
  #isCancelled = false;
  #stopTimer = () => {};

  constructor(spec: PopupSpec, clock: Scheduler = systemClock) {
    this.#spec = spec;
    this.#clock = clock;
    this.typed = spec.typed ?? '';
    this.approval = spec.question.approval;
    this.images = new Map((spec.images ?? []).entries());
  }

  /** Call it with each notice for the page. A message of the page can be older than the notice. */
  notify(notice: Notice): void {
    if (notice.kind === 'waiting') this.#waiting = notice.waiting;
    if (notice.kind === 'callerGone') this.#isCallerGone = true;
    if (notice.kind === 'approval') this.approval = notice.approval;
  }

  /** @returns false if the message came after the end, or cannot be obeyed */
  receive(message: PageMessage): boolean {
    this.#missedPings = 0;
    switch (message.type) {
      case 'ready':
        this.#isReady = true;
        this.#ready.resolve();
        return true;
      case 'alive':
      case 'link':
        return true;
      case 'draft':
        this.#setTyped(message.text);
        return !this.#hasEnded;
      case 'deleteDraft':
        this.#spec.onDeleteDraft(message.id);
        return true;
      case 'inView':
        this.#spec.onInView?.(message.pieces);
        return true;
      case 'deleteImage':
        this.images.delete(message.place);
        this.#reportImages();
        return !this.#hasEnded;
      case 'activity':
        this.isUsed = true;
        if (!this.#hasEnded) this.#spec.onActivity();
        return !this.#hasEnded;
      case 'acceptsKeys':
        this.#spec.onAcceptsKeys?.(message.accepts);
        return true;
      case 'visibility':
        this.#spec.onVisibility?.(message.isHidden ? 'minimized' : 'visible');
        return true;
      case 'quiet':
        this.#setTyped(message.text);
        return this.#end({ kind: 'quiet', period: message.period, isForAll: message.isForAll });
      case 'later':
        this.#setTyped(message.text);
        // Without another question this one would open again at once.
        return (this.#waiting.length > 0 || this.#isCallerGone) && this.#end({ kind: 'later' });
      case 'show':
        this.#setTyped(message.text);
        return (
          this.#waiting.some(({ id }) => id === message.id) && this.#end({ kind: 'show', id: message.id })
        );
      case 'submit':
        return this.#submit(message);
      case 'allow':
        return this.#allow(message);
      case 'deny':
        return this.#decide({ kind: 'denied', text: message.text, ids: message.ids });
      case 'cancel':
        if (this.approval !== undefined) return false;
        this.#setTyped(message.text);
        if (message.canUndo !== true) return this.#end({ kind: 'cancelled' });
        if (this.#hasEnded) return false;
        this.#isCancelled = true;
        this.#endAfter(UNDO_MS);
        return true;
      case 'read':
        return this.#spec.question.kind === 'news' && this.#end({ kind: 'read' });
      case 'undo':
        if (this.#hasEnded) return false;
        this.#isCancelled = false;
        this.#stopTimer();
        return true;
      case 'leave':
        // After a reload the message of the old page can arrive last.
        if (this.#hasEnded || message.load !== this.#load) return false;
        this.#setTyped(message.text);
        this.#hasLeft = true;
        this.#waitForReload();
        return true;
    }
  }

  /**
   * @param place 0 to 2; an image at this place is replaced
   * @returns false if the bytes are no image of a known type, or the caller wants none
   */
  addImage(place: number, bytes: Uint8Array): boolean {
    const image = this.#spec.question.acceptsImages === true ? imageOf(bytes) : undefined;
    if (image === undefined || place >= MAX_IMAGES || this.#hasEnded) return false;
    this.images.delete(place);
    this.images.set(place, image);
    this.#reportImages();
    return true;
  }

  /** @param load identifies one load of the page */
  connected(load: string): void {
    if (!this.#isCancelled) this.#stopTimer();
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
    this.#stopTimer();
  }

  #submit({ text, sentDrafts = [], images: count = 0 }: PageMessage & { readonly type: 'submit' }): boolean {
    const images = [...this.images.values()];
    if (this.#hasEnded || images.length !== count || this.approval !== undefined) return false;
    for (const id of sentDrafts) this.#spec.onDeleteDraft(id);
    return this.#end({ kind: 'submitted', text: this.#textOf(text), ...(count === 0 ? {} : { images }) });
  }

  #allow({ scope, ids }: PageMessage & { readonly type: 'allow' }): boolean {
    if (scope === 'reading') return this.#decide({ kind: 'allowed', scope: 'once', isReadingOnly: true });
    return this.#decide({ kind: 'allowed', scope, ids });
  }

  #decide(given: Decision): boolean {
    const decision = this.approval && decisionFor(this.approval, given);
    return decision !== undefined && this.#end(decision);
  }

  #reportImages(): void {
    if (!this.#hasEnded) this.#spec.onImages?.([...this.images.values()]);
  }

  #textOf(text: z.output<typeof typedText>): string {
    return typeof text === 'string' ? text : answersText(this.#spec.question.questions ?? [], text);
  }

  #setTyped(given: z.output<typeof typedText> | undefined): void {
    if (this.#hasEnded || given === undefined) return;
    const text = this.#textOf(given);
    if (text === this.typed) return;
    this.typed = text;
    this.#spec.onDraft(text);
  }

  /** A window that is closed after Cancel takes back nothing. */
  #waitForReload(): void {
    if (this.#isCancelled) this.#endWithoutAnswer();
    else this.#endAfter(RELOAD_GRACE_MS);
  }

  #endAfter(ms: number): void {
    this.#stopTimer();
    this.#stopTimer = this.#clock.after(ms, () => this.#endWithoutAnswer());
  }

  #endWithoutAnswer(): void {
    if (this.#isCancelled) return void this.#end({ kind: 'cancelled' });
    this.#end(
      this.#hasLeft ? { kind: 'dismissed' } : { kind: 'lost', reason: 'its browser ended unexpectedly' },
    );
  }

  #end(ending: Ending): boolean {
    if (this.#hasEnded) return false;
    this.dispose();
    const next = this.#waiting.find(({ id }) => ending.kind !== 'show' || id === ending.id);
    this.isFollowed = FOLLOWED.has(ending.kind) && next?.follows === true;
    this.#ended.resolve(ending);
    return true;
  }
}
