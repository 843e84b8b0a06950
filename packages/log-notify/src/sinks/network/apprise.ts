import type { Level } from '../../message/levels.ts';
import { neutralize } from '../../message/neutralize.ts';
import type { Notification } from '../../message/notification.ts';
import { outgoing } from '../../message/redact.ts';
import type { Sink } from '../sink.ts';
import { post } from './post.ts';

export interface AppriseOptions {
  /** Where the apprise-api server is. */
  readonly url: URL;
  /** Of the configuration kept there. */
  readonly key: string;
  /** Which of its services; undefined for all. */
  readonly tag: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
}

const TYPES: Readonly<Record<Level, string>> = { info: 'info', warn: 'warning', error: 'failure' };

/** An apprise-api server, and with it the hundred services it knows. */
export class AppriseSink implements Sink {
  readonly batch = 1;
  readonly timeLimit = 10_000;
  readonly #options: AppriseOptions;
  readonly #url: URL;

  constructor(options: AppriseOptions) {
    this.#options = options;
    const base = options.url.href.replace(/\/*$/, '');
    this.#url = new URL(`${base}/notify/${encodeURIComponent(options.key)}`);
  }

  async deliver(batch: readonly Notification[], signal: AbortSignal): Promise<void> {
    const { tag, headers } = this.#options;
    for (const { level, context, message } of batch) {
      const body = JSON.stringify({
        title: `${level.toUpperCase()}: ${neutralize(context)}`,
        body: neutralize(outgoing(message), Infinity),
        type: TYPES[level],
        format: 'text',
        ...(tag === undefined ? {} : { tag }),
      });
      await post({ url: this.#url, headers, body }, signal);
    }
  }
}
