import type { Awaitable, Log } from '@deskside/core';
import { messageOf } from '@deskside/core/errors';
import { inMount, type Mount, type MountStatus } from '../mounts/mount.ts';
import type { StartTimer } from '../mounts/timer.ts';

/** How long a list waits for one mount. Hosts give up on a whole server after some seconds. */
const LISTING_LIMIT_MS = 2000;

/** What a mount is asked for a list of all mounts. */
export type Question = 'tools' | 'prompts' | 'resources' | 'resource URIs' | 'resource templates';

interface Asked<T> {
  readonly answer: Promise<T | undefined>;
  /** From now on the mount counts as late until it answers. */
  giveUp(): void;
}

/** What goes wrong with one mount, and when it has passed. */
export class MountHealth {
  readonly mount: Mount;
  readonly #problems = new Map<string, string>();
  readonly #late = new Map<Question, number>();
  readonly #log: Log;
  readonly #recovered: (question: Question) => void;

  /** @param recovered called when a question is answered again after a failure */
  constructor(mount: Mount, log: Log, recovered: (question: Question) => void) {
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

  /** Asks the mount; a mount that still owes an answer to an earlier request is not asked again. */
  ask<T>(question: Question, work: () => Awaitable<T>): Asked<T> {
    if (this.#lateness(question) > 0) return { answer: Promise.resolve(undefined), giveUp: () => undefined };
    let isLate = false;
    let isSettled = false;
    const settle = () => {
      isSettled = true;
      if (isLate) this.#late.set(question, this.#lateness(question) - 1);
    };
    const answer = inMount(this.mount, async () => work()).then(
      (value) => {
        settle();
        this.#answered(question);
        return value;
      },
      (error: unknown) => {
        settle();
        this.report(question, `Listing its ${question} failed: ${messageOf(error)}.`, error);
        return undefined;
      },
    );
    return {
      answer,
      giveUp: () => {
        if (isSettled || isLate) return;
        isLate = true;
        this.#late.set(question, this.#lateness(question) + 1);
        this.report(question, `Listing its ${question} takes longer than ${LISTING_LIMIT_MS / 1000} s.`);
      },
    };
  }

  #lateness(question: Question): number {
    return this.#late.get(question) ?? 0;
  }

  #answered(question: Question): void {
    if (!this.#problems.has(question) || this.#lateness(question) > 0) return;
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
  question: Question,
  startTimer: StartTimer,
  work: (mount: Mount) => Awaitable<T>,
): Promise<readonly (T | undefined)[]> {
  const asked = all.map((health) => health.ask(question, () => work(health.mount)));
  const { promise: expired, resolve: expire } = Promise.withResolvers<void>();
  const answers: (T | undefined)[] = asked.map(() => undefined);
  const stop = startTimer(LISTING_LIMIT_MS, expire);
  const complete = Promise.all(
    asked.map(async ({ answer }, index) => {
      answers[index] = await answer;
    }),
  );
  await Promise.race([complete, expired]);
  stop();
  for (const { giveUp } of asked) giveUp();
  return [...answers];
}
