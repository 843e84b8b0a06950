import { randomBytes } from 'node:crypto';
import type { Log } from '@deskside/core';
import { type Quiet, QUIET_LOOK_MS, type Answer, type InboxChange, type InboxItem } from '@deskside/desktop';
import type { Scheduler } from '@deskside/core/base';
import { escapeInvisible, truncateCodePoints } from '@deskside/core/text';
import type { LateInbox } from '../late-inbox.ts';
import { listen, type NtfyAction, type NtfyMessage, publish, reasonOf } from './ntfy.ts';

/** Where questions go that wait too long. */
export interface PhoneSettings {
  /** Of the ntfy server, without a slash at the end. */
  readonly url: string;
  readonly topic: string;
  readonly token?: string | undefined;
  /** May only write to the topics of answers: it goes to the phone. */
  readonly replyToken?: string | undefined;
  readonly afterMs: number;
  /** False at the public server without an access token: everyone who knows the topic can read it. */
  readonly hasTexts: boolean;
}

const MAX_ACTIONS = 3;
/** At most 4 bytes each: ntfy accepts 4096 bytes. */
const MAX_MESSAGE_CODE_POINTS = 900;
const MAX_LABEL_CODE_POINTS = 60;
const RANDOM_BYTES = 24;
const CLOSE_TIMEOUT_MS = 1000;
/** Until a question is sent again that did not arrive; it doubles. */
const [RETRY_MS, MAX_RETRY_MS] = [60_000, 15 * 60_000];
/** Of a message that asks, and of one that only says what has happened. */
const [LOUD, SILENT] = [4, 1];

export interface PhoneParts {
  readonly inbox: Pick<LateInbox, 'subscribe' | 'answer'>;
  readonly quiet: Pick<Quiet, 'leftMs'>;
  readonly clock: Scheduler;
  readonly log: Log;
}

interface Waiting {
  item: InboxItem;
  cancel: () => void;
  retryMs: number;
  /** The attempt that runs, or the last one: whether the server has taken it. */
  sent?: Promise<boolean> | undefined;
}

/**
 * Sends what waits for the person to a topic of ntfy, and takes answers from another one, whose name is random. Each button
 * has a random value that works once, and nothing connects to this machine. See docs/aggregator.md.
 */
export class Phone implements AsyncDisposable {
  readonly #settings: PhoneSettings;
  readonly #parts: PhoneParts;
  readonly #replyTopic = `deskside-${randomBytes(RANDOM_BYTES).toString('base64url')}`;
  readonly #waiting = new Map<string, Waiting>();
  /** Of the buttons. */
  readonly #values = new Map<string, { readonly id: string; readonly answer: Answer }>();
  readonly #unsubscribe: () => void;
  #listening: AbortController | undefined;
  /** The last message of the topic of answers that was received. */
  #since = 'all';
  #closing = new Set<Promise<void>>();

  constructor(settings: PhoneSettings, parts: PhoneParts) {
    this.#settings = settings;
    this.#parts = parts;
    this.#unsubscribe = parts.inbox.subscribe((change) => this.#follow(change));
  }

  #follow(change: InboxChange): void {
    if (change.kind === 'ended') return this.#end(change);
    const { item } = change;
    const known = this.#waiting.get(item.id);
    if (known !== undefined) known.item = item;
    else if (item.kind !== 'news') {
      const { now } = this.#parts.clock;
      const leftMs = item.askedAt.getTime() + this.#settings.afterMs - now().getTime();
      this.#waiting.set(item.id, {
        item,
        cancel: this.#later(item.id, leftMs),
        retryMs: RETRY_MS,
      });
    }
  }

  #later(id: string, ms: number): () => void {
    return this.#parts.clock.after(Math.max(0, ms), () => this.#due(id), { isBackground: true });
  }

  /** "Not now" holds for the phone, too. */
  #due(id: string): void {
    const waiting = this.#waiting.get(id);
    if (waiting === undefined) return;
    const heldMs = this.#parts.quiet.leftMs(waiting.item.caller);
    if (heldMs > 0) waiting.cancel = this.#later(id, Math.min(heldMs, QUIET_LOOK_MS));
    else waiting.sent = this.#ask(id, waiting);
  }

  async #ask(id: string, waiting: Waiting): Promise<boolean> {
    // The buttons of an earlier attempt, which may have arrived, work too.
    const message = asking(waiting.item, this.#settings, this.#actions(waiting.item));
    const isSent = await this.#send(message);
    if (isSent || !this.#waiting.has(id)) return isSent;
    waiting.cancel = this.#later(id, waiting.retryMs);
    waiting.retryMs = Math.min(2 * waiting.retryMs, MAX_RETRY_MS);
    return false;
  }

  #actions(item: InboxItem): readonly NtfyAction[] {
    if (!this.#settings.hasTexts) return [];
    const answers: readonly [string, Answer][] =
      item.kind === 'approval'
        ? [['Deny', { kind: 'denied', text: '', ids: item.calls.flatMap(({ id }) => id ?? []) }]]
        : (item.isSimple ? (item.options ?? []) : []).map((text) => [text, { kind: 'submitted', text }]);
    const actions = answers.slice(0, MAX_ACTIONS).map(([label, answer]) => {
      const value = randomBytes(RANDOM_BYTES).toString('base64url');
      this.#values.set(value, { id: item.id, answer });
      return this.#action(label, value);
    });
    if (actions.length > 0) this.#listen();
    return actions;
  }

  #action(label: string, value: string): NtfyAction {
    const { url, replyToken } = this.#settings;
    return {
      action: 'http',
      label: truncateCodePoints(escapeInvisible(label), MAX_LABEL_CODE_POINTS),
      url: `${url}/${this.#replyTopic}`,
      method: 'POST',
      ...(replyToken === undefined ? {} : { headers: { Authorization: `Bearer ${replyToken}` } }),
      body: value,
      clear: true,
    };
  }

  /** While an answer can come. */
  #listen(): void {
    if (this.#listening !== undefined) return;
    this.#listening = new AbortController();
    const { clock, log } = this.#parts;
    const { signal } = this.#listening;
    const onMessage = (value: string, id: string) => {
      this.#since = id;
      this.#receive(value);
    };
    const [topic, since] = [this.#replyTopic, this.#since];
    void listen(this.#settings, { topic, since, signal, clock, log, onMessage });
  }

  #receive(value: string): void {
    const { inbox } = this.#parts;
    const found = this.#values.get(value);
    // A button of an earlier question, or nothing that was offered.
    if (found === undefined) return;
    this.#forget(found.id);
    inbox.answer(found.id, found.answer, 'phone');
  }

  /** What was on the phone says what has happened. */
  #end({ id, outcome, via }: Extract<InboxChange, { kind: 'ended' }>): void {
    const waiting = this.#waiting.get(id);
    if (waiting === undefined) return;
    waiting.cancel();
    this.#waiting.delete(id);
    this.#forget(id);
    const { item, sent } = waiting;
    if (sent === undefined) return;
    const message = via === undefined ? 'The agent does not wait for an answer anymore.' : ENDINGS[via];
    const about = { ...asking(item, this.#settings, []), message, priority: SILENT };
    const said = via === 'phone' ? { ...about, message: `You answered: ${shortAnswer(outcome)}` } : about;
    const closing = sent
      .then(async (isSent) => void (isSent && (await this.#send(said))))
      .finally(() => {
        this.#closing.delete(closing);
      });
    this.#closing.add(closing);
  }

  /** Its buttons do nothing from now on. */
  #forget(id: string): void {
    for (const [value, of] of this.#values) if (of.id === id) this.#values.delete(value);
    if (this.#values.size > 0) return;
    this.#listening?.abort();
    this.#listening = undefined;
  }

  /** @returns whether the server has taken it */
  async #send(message: NtfyMessage): Promise<boolean> {
    try {
      await publish(this.#settings, message);
      return true;
    } catch (error) {
      this.#parts.log.warn('the phone was not reached', { reason: reasonOf(error) });
      return false;
    }
  }

  /** Sends for at most a second what has happened. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#unsubscribe();
    for (const { cancel } of this.#waiting.values()) cancel();
    this.#waiting.clear();
    this.#values.clear();
    this.#listening?.abort();
    const { promise, resolve } = Promise.withResolvers<void>();
    const cancel = this.#parts.clock.after(CLOSE_TIMEOUT_MS, resolve);
    await Promise.race([Promise.all(this.#closing), promise]);
    cancel();
  }
}

const ENDINGS = {
  window: 'It was answered in the window.',
  form: 'It was answered in the program of the agent.',
  page: 'It was answered on the page.',
  phone: 'It was answered here.',
} as const;

function shortAnswer(outcome: { readonly kind: string; readonly text?: string }): string {
  const { kind, text = '' } = outcome;
  return kind === 'denied' ? 'Deny' : truncateCodePoints(escapeInvisible(text), MAX_LABEL_CODE_POINTS);
}

/** Without texts it says only that something waits. */
function asking(
  item: InboxItem,
  { topic, hasTexts }: PhoneSettings,
  actions: readonly NtfyAction[],
): NtfyMessage {
  const { id, caller, title, message, kind } = item;
  const about = { topic, sequence_id: id, priority: LOUD };
  if (!hasTexts) {
    const what = kind === 'approval' ? 'A call that needs your permission' : 'A question';
    return { ...about, title: 'Deskside', message: `${what} waits at the desk.` };
  }
  const count = item.calls.reduce((sum, { calls }) => sum + calls, 0);
  const parts = [title, message, count > 1 ? `${count} calls wait. Deny denies all of them.` : ''];
  const whole = escapeInvisible(parts.filter((part) => part !== '').join('\n'), { multiline: true });
  return {
    ...about,
    title: truncateCodePoints(escapeInvisible(caller), MAX_LABEL_CODE_POINTS),
    message: truncateCodePoints(whole, MAX_MESSAGE_CODE_POINTS),
    ...(actions.length === 0 ? {} : { actions }),
  };
}
