import type { Level, Notification } from '../../notification/notification.ts';
import { escapeLine, redactedExcerpt } from '../../notification/safe-text.ts';
import type { Sink } from '../sink.ts';
import { post } from './post.ts';

export interface NtfyOptions {
  readonly url: URL;
  readonly topic: string;
  readonly token: string | undefined;
}

const MAX_CODE_POINTS = 1000;
/** ntfy turns a longer message into an attachment. */
const MAX_MESSAGE_BYTES = 4096;

const PRIORITIES: Readonly<Record<Level, number>> = { info: 2, warn: 3, error: 5 };
const TAGS: Readonly<Record<Level, string>> = {
  info: 'information_source',
  warn: 'warning',
  error: 'rotating_light',
};

/** An ntfy server. The texts are sent as JSON, not as headers. */
export class NtfySink implements Sink {
  readonly batchSize = 1;
  readonly timeoutMs = 10_000;
  readonly #options: NtfyOptions;

  constructor(options: NtfyOptions) {
    this.#options = options;
  }

  async deliver(batch: readonly Notification[], signal: AbortSignal): Promise<void> {
    const { url, topic, token } = this.#options;
    const headers: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` };
    for (const { level, context, message } of batch) {
      const body = JSON.stringify({
        topic,
        title: escapeLine(context),
        message: messageText(message),
        priority: PRIORITIES[level],
        tags: [TAGS[level]],
      });
      await post({ url, headers, body }, signal);
    }
  }
}

/** Fits the message into ntfy's limit: text with many escapes is truncated more. */
function messageText(message: string): string {
  for (let count = MAX_CODE_POINTS; ; count = Math.floor(count / 2)) {
    const text = escapeLine(redactedExcerpt(message, count), Infinity);
    if (Buffer.byteLength(JSON.stringify(text)) <= MAX_MESSAGE_BYTES) return text;
  }
}
