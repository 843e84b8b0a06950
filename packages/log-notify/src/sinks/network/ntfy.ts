import type { Level } from '../../message/levels.ts';
import { neutralize } from '../../message/neutralize.ts';
import type { Notification } from '../../message/notification.ts';
import { outgoing } from '../../message/redact.ts';
import type { Sink } from '../sink.ts';
import { post } from './post.ts';

export interface NtfyOptions {
  readonly url: URL;
  readonly topic: string;
  readonly token: string | undefined;
}

/** Code points a notification shows. */
const SHOWN = 1000;
/** ntfy makes an attachment of a longer message. */
const MOST_BYTES = 4096;

const PRIORITIES: Readonly<Record<Level, number>> = { info: 2, warn: 3, error: 5 };
const TAGS: Readonly<Record<Level, string>> = {
  info: 'information_source',
  warn: 'warning',
  error: 'rotating_light',
};

/** An ntfy server, ntfy.sh or one's own. The words travel as JSON, never as headers. */
export class NtfySink implements Sink {
  readonly batch = 1;
  readonly timeLimit = 10_000;
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
        title: neutralize(context),
        message: shown(message),
        priority: PRIORITIES[level],
        tags: [TAGS[level]],
      });
      await post({ url, headers, body }, signal);
    }
  }
}

/** As much of a message as ntfy takes: one that is escaped a lot is cut shorter. */
function shown(message: string): string {
  for (let count = SHOWN; ; count = Math.floor(count / 2)) {
    const text = neutralize(outgoing(message, count), Infinity);
    if (Buffer.byteLength(JSON.stringify(text)) <= MOST_BYTES) return text;
  }
}
