import { createHmac } from 'node:crypto';
import { jsonText } from '../../notification/json-line.ts';
import { type Notification, TARGET } from '../../notification/notification.ts';
import { redactedExcerpt } from '../../notification/safe-text.ts';
import type { Sink } from '../sink.ts';
import { post } from './post.ts';

export interface WebhookOptions {
  readonly url: URL;
  /** `whsec_` and base64, or any other text. Undefined: requests are not signed. */
  readonly secret: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly now: () => number;
}

/** Sends JSON to any URL, signed as Standard Webhooks specifies: HMAC-SHA256 over id, time and body. */
export class WebhookSink implements Sink {
  readonly batchSize = 1;
  readonly timeoutMs = 5000;
  readonly #options: WebhookOptions;

  constructor(options: WebhookOptions) {
    this.#options = options;
  }

  async deliver(batch: readonly Notification[], signal: AbortSignal): Promise<void> {
    const { url, secret, headers, now } = this.#options;
    for (const each of batch) {
      const body = payload(each);
      const seconds = String(Math.floor(now() / 1000));
      const signed =
        secret === undefined ? {} : { 'webhook-signature': signature(secret, each.id, seconds, body) };
      const own = { 'webhook-id': each.id, 'webhook-timestamp': seconds, ...signed };
      await post({ url, headers: { ...headers, ...own }, body }, signal);
    }
  }
}

function payload({ id, time, level, context, message, client }: Notification): string {
  const type = `${TARGET}.${level}`;
  const data = {
    id,
    level,
    context,
    message: redactedExcerpt(message),
    ...(client === undefined ? {} : { client }),
  };
  return jsonText({ type, timestamp: new Date(time).toISOString(), data });
}

/** @returns `v1,` and the base64 of the HMAC */
function signature(secret: string, id: string, seconds: string, body: string): string {
  const key = secret.startsWith('whsec_') ? Buffer.from(secret.slice(6), 'base64') : secret;
  return `v1,${createHmac('sha256', key).update(`${id}.${seconds}.${body}`).digest('base64')}`;
}
