import { UserError } from '@deskside/core/errors';
import { StoreBusy } from '../store/task-store.ts';

/** Calls of one user in one transaction. */
const MAX_GROUP_CALLS = 32;

/** How much of its time a call may lose to an earlier one of its group. */
const MAX_LOST_MS = 500;

interface Waiting<Call> {
  readonly call: Call;
  readonly deadlineMs: number;
  readonly resolve: (answer: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/** @returns an answer for each call, in their order */
type Send<Call> = (user: string, calls: readonly Call[], deadlineMs: number) => Promise<readonly unknown[]>;

/**
 * Sends the calls of each user one after the other, and of different users at the same time. Calls that wait and
 * can be sent together are, in their order.
 */
export class UserQueues<Call> {
  readonly #waiting = new Map<string, Waiting<Call>[]>();
  readonly #send: Send<Call>;
  readonly #isTogether: (call: Call) => boolean;

  /** @param isTogether whether a call can be sent with others */
  constructor(send: Send<Call>, isTogether: (call: Call) => boolean) {
    this.#send = send;
    this.#isTogether = isTogether;
  }

  /**
   * Rejects with StoreBusy at the deadline, or with the signal's reason, until the call is sent.
   *
   * @param deadlineMs on the clock `performance.now()`
   */
  run(user: string, call: Call, deadlineMs: number, signal?: AbortSignal): Promise<unknown> {
    return new Promise<unknown>((resolve, reject) => {
      signal?.throwIfAborted();
      const cancel = () => leave(signal?.reason);
      const timer = setTimeout(() => leave(new StoreBusy()), deadlineMs - performance.now());
      const done = () => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', cancel);
      };
      const waiting: Waiting<Call> = {
        call,
        deadlineMs,
        resolve: (answer) => (done(), resolve(answer)),
        reject: (error) => (done(), reject(error)),
      };
      const leave = (reason: unknown) => {
        const queue = this.#waiting.get(user) ?? [];
        const index = queue.indexOf(waiting);
        // A call that was sent is answered by the database, or by its deadline there.
        if (index === -1) return;
        queue.splice(index, 1);
        waiting.reject(reason);
      };
      signal?.addEventListener('abort', cancel, { once: true });
      const queue = this.#waiting.get(user);
      if (queue !== undefined) queue.push(waiting);
      else {
        this.#waiting.set(user, [waiting]);
        void this.#drain(user);
      }
    });
  }

  async #drain(user: string): Promise<void> {
    const queue = this.#waiting.get(user) ?? [];
    while (queue.length > 0) await this.#sendGroup(user, queue.splice(0, this.#groupSize(queue)));
    this.#waiting.delete(user);
  }

  async #sendGroup(user: string, group: readonly Waiting<Call>[]): Promise<void> {
    try {
      const deadlineMs = Math.min(...group.map((waiting) => waiting.deadlineMs));
      const answers = await this.#send(
        user,
        group.map(({ call }) => call),
        deadlineMs,
      );
      for (const [index, { resolve, reject }] of group.entries()) {
        if (index < answers.length) resolve(answers[index]);
        else reject(new Error('A change has no answer.'));
      }
    } catch (error) {
      const isDefect = !UserError.is(error);
      // A call that the database rejects fails alone.
      if (isDefect && group.length > 1) for (const waiting of group) await this.#sendGroup(user, [waiting]);
      else for (const { reject } of group) reject(error);
    }
  }

  /** A group has the earliest deadline of its calls. */
  #groupSize(queue: readonly Waiting<Call>[]): number {
    let [first, last] = [Infinity, -Infinity];
    const other = queue.findIndex(({ call, deadlineMs }) => {
      first = Math.min(first, deadlineMs);
      last = Math.max(last, deadlineMs);
      return last - first > MAX_LOST_MS || !this.#isTogether(call);
    });
    return Math.min(MAX_GROUP_CALLS, other === -1 ? queue.length : Math.max(1, other));
  }
}
