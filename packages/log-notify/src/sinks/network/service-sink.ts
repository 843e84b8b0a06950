import type { Notification } from '../../notification/notification.ts';
import type { Sink } from '../sink.ts';
import { type Post, post, type ProxyEnvironment } from './post.ts';

/** Makes the request that carries a notification to a service. */
export type PostFor = (notification: Notification) => Post;

/** A service that gets one request per notification. */
export class ServiceSink implements Sink {
  readonly batchSize = 1;
  readonly timeoutMs = 10_000;
  readonly #postFor: PostFor;
  readonly #env: ProxyEnvironment;

  constructor(postFor: PostFor, env: ProxyEnvironment = {}) {
    this.#postFor = postFor;
    this.#env = env;
  }

  async deliver(batch: readonly Notification[], signal: AbortSignal): Promise<void> {
    for (const each of batch) await post(this.#postFor(each), this.#env, signal);
  }
}
