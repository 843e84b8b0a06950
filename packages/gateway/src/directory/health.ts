import type { Awaitable, Log } from '@deskside/core';
import { messageOf } from '@deskside/core/errors';
import { inMount, type Mount, type MountStatus } from '../mounts/mount.ts';
import type { StartTimer } from '../mounts/timer.ts';

/** How long a list waits for one mount. Hosts give up on a whole server after some seconds. */
const LISTING_LIMIT_MS = 2000;

/** What a mount is asked for a list of all mounts. */
export type ListQuestion = 'tools' | 'prompts' | 'resources' | 'resource URIs' | 'resource templates';

/** What goes wrong with one mount, and when it has passed. */
export class MountHealth {
  readonly mount: Mount;
  readonly #problems = new Map<string, string>();
  /** Whose answers the mount owes longer than it should. */
  readonly #late = new Set<ListQuestion>();
  readonly #log: Log;
  readonly #recovered: (question: ListQuestion) => void;

  /** @param recovered called when a question is answered again after a failure */
  constructor(mount: Mount, log: Log, recovered: (question: ListQuestion) => void) {
    this.mount = mount;
    this.#log = log;
    this.#recovered = recovered;
  }

  status(): MountStatus {
    const own = this.mount.status?.() ?? { state: 'ready' };
    if (own.state !== 'ready' || this.#problems.size === 0) return own;
    return { state: 'degraded', reason: [...this.#problems.values()].join(' ') };
  }

  /** Reports a problem of the mount under a key, or that the problem has passed. */
  report(key: string, problem: string | undefined, error?: unknown): void {
    if (this.#problems.get(key) === problem) return;
    if (problem === undefined) this.#problems.delete(key);
    else {
      this.#problems.set(key, problem);
      this.#log.error('mount degraded', { mount: this.mount.id, problem, error });
    }
  }

  /** @returns undefined if the mount fails, does not answer in time, or still owes an answer to an earlier request */
  async ask<T>(
    question: ListQuestion,
    work: () => Awaitable<T>,
    expired: Promise<void>,
  ): Promise<T | undefined> {
    if (this.#late.has(question)) return undefined;
    let isSettled = false;
    const answer = inMount(this.mount, async () => work())
      .finally(() => {
        isSettled = true;
        this.#late.delete(question);
      })
      .then(
        (value) => {
          this.#answered(question);
          return value;
        },
        (error: unknown) => {
          this.report(question, `Listing its ${question} failed: ${messageOf(error)}.`, error);
          return undefined;
        },
      );
    const nothing = expired.then(() => {
      if (isSettled) return undefined;
      this.#late.add(question);
      this.report(question, `Listing its ${question} takes longer than ${LISTING_LIMIT_MS / 1000} s.`);
      return undefined;
    });
    return Promise.race([answer, nothing]);
  }

  #answered(question: ListQuestion): void {
    if (!this.#problems.has(question)) return;
    this.report(question, undefined);
    this.#log.info('mount answers again', { mount: this.mount.id });
    this.#recovered(question);
  }
}

/**
 * Asks all mounts at once. A mount that fails or is too slow is left out and reported.
 *
 * @returns the answers in the order of the mounts, undefined for a mount that is left out
 */
export async function askAll<T>(
  all: readonly MountHealth[],
  question: ListQuestion,
  startTimer: StartTimer,
  work: (mount: Mount) => Awaitable<T>,
): Promise<readonly (T | undefined)[]> {
  const { promise: expired, resolve: expire } = Promise.withResolvers<void>();
  const answers = Promise.all(all.map((health) => health.ask(question, () => work(health.mount), expired)));
  const stop = startTimer(LISTING_LIMIT_MS, expire);
  await answers;
  stop();
  return answers;
}
