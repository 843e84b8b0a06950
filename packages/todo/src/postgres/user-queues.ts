import { UserError } from '@deskside/core/errors';
import { StoreBusy } from '../store/task-store.ts';

/** Calls of one user in one transaction. */
const MAX_GROUP_CALLS = 32;

/** How much of its time a call may lose to an earlier one of its group. */
const MAX_LOST_MS = 500;

interface Waiting<Call, Answer> {
  readonly call: Call;
  readonly deadlineMs: number;
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: unknown) => void;
}

/** @returns an answer for each call, in their order */
type Send<Call, Answer> = (
  user: string,
  calls: readonly Call[],
  deadlineMs: number,
) => Promise<readonly Answer[]>;

/**
 * Sends the calls of each user one after the other, and of different users at the same time. Calls that wait for one of the
 * same user are sent together, in their order.
 */
export class UserQueues<Call, Answer> {
  readonly #waiting = new Map<string, Waiting<Call, Answer>[]>();
  readonly #send: Send<Call, Answer>;

  constructor(send: Send<Call, Answer>) {
    this.#send = send;
  }

  /**
   * Rejects with StoreBusy at the deadline, or with the signal's reason, until the call is sent.
   *
   * @param deadlineMs on the clock `performance.now()`
   */
  run(user: string, call: Call, deadlineMs: number, signal?: AbortSignal): Promise<Answer> {
    return new Promise<Answer>((resolve, reject) => {
      signal?.throwIfAborted();
      const cancel = () => leave(signal?.reason);
      const timer = setTimeout(() => leave(new StoreBusy()), deadlineMs - performance.now());
      const done = () => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', cancel);
      };
      const waiting: Waiting<Call, Answer> = {
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
    while (queue.length > 0) await this.#sendGroup(user, queue.splice(0, groupSize(queue)));
    this.#waiting.delete(user);
  }

  async #sendGroup(user: string, group: readonly Waiting<Call, Answer>[]): Promise<void> {
    try {
      const deadlineMs = Math.min(...group.map((waiting) => waiting.deadlineMs));
      const answers = await this.#send(
        user,
        group.map(({ call }) => call),
        deadlineMs,
      );
      for (const [index, { resolve, reject }] of group.entries()) {
        const answer = answers[index];
        if (answer === undefined) reject(new Error('A change has no answer.'));
        else resolve(answer);
      }
    } catch (error) {
      const isDefect = !UserError.is(error);
      // A call that the database rejects fails alone.
      if (isDefect && group.length > 1) for (const waiting of group) await this.#sendGroup(user, [waiting]);
      else for (const { reject } of group) reject(error);
    }
  }
}

/** A group has the earliest deadline of its calls. */
function groupSize(queue: readonly { readonly deadlineMs: number }[]): number {
  let [first, last] = [Infinity, -Infinity];
  const other = queue.findIndex(({ deadlineMs }) => {
    first = Math.min(first, deadlineMs);
    last = Math.max(last, deadlineMs);
    return last - first > MAX_LOST_MS;
  });
  return Math.min(MAX_GROUP_CALLS, other === -1 ? queue.length : other);
}
