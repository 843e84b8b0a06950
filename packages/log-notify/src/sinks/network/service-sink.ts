import type { Notification } from '../../notification/notification.ts';
import type { Sink } from '../sink.ts';
import { type Post, post, type ProxyEnvironment } from './post.ts';

/**
 * Makes the request that carries a notification to a service.
 *
 * @param now when it is sent, in milliseconds since the epoch
 */
export type PostFor = (notification: Notification, now: number) => Post;

/** A service that gets one request per notification. */
export class ServiceSink implements Sink {
  readonly batchSize = 1;
  readonly timeoutMs = 10_000;
  readonly #postFor: PostFor;
  readonly #env: ProxyEnvironment;
  readonly #now: () => number;

  constructor(postFor: PostFor, env: ProxyEnvironment = {}, now: () => number = Date.now) {
    this.#postFor = postFor;
    this.#env = env;
    this.#now = now;
  }

  async deliver(batch: readonly Notification[], signal: AbortSignal): Promise<void> {
    for (const each of batch) await post(this.#postFor(each, this.#now()), this.#env, signal);
  }
}
