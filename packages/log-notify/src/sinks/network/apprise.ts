import type { Level, Notification } from '../../notification/notification.ts';
import { escapeLine, redactedExcerpt } from '../../notification/safe-text.ts';
import type { Sink } from '../sink.ts';
import { post } from './post.ts';

export interface AppriseOptions {
  /** Address of the apprise-api server. */
  readonly url: URL;
  /** Key of the configuration stored there. */
  readonly key: string;
  /** Selects some of its services. Undefined means all. */
  readonly tag: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
}

const TYPES: Readonly<Record<Level, string>> = { info: 'info', warn: 'warning', error: 'failure' };

/** An apprise-api server, which forwards to many services. */
export class AppriseSink implements Sink {
  readonly batchSize = 1;
  readonly timeoutMs = 10_000;
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
        title: `${level.toUpperCase()}: ${escapeLine(context)}`,
        body: escapeLine(redactedExcerpt(message), Infinity),
        type: TYPES[level],
        format: 'text',
        ...(tag === undefined ? {} : { tag }),
      });
      await post({ url: this.#url, headers, body }, signal);
    }
  }
}
