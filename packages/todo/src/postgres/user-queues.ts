import { getOrAdd } from '@deskside/core/base';
import { UserError } from '@deskside/core/errors';
import { type WaitingCall, WaitingCalls } from '../store/waiting-calls.ts';

/** Calls of one user in one transaction. */
const MAX_GROUP_CALLS = 32;

/** How much of its time a call may lose to an earlier one of its group. */
const MAX_LOST_MS = 500;

/** @returns an answer for each call, in their order */
type Send<Call> = (user: string, calls: readonly Call[], deadlineMs: number) => Promise<readonly unknown[]>;

/**
 * Sends the calls of each user one after the other, and of different users at the same time. Calls that wait and
 * can be sent together are, in their order.
 */
export class UserQueues<Call> {
  readonly #queues = new Map<string, WaitingCalls<Call>>();
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
    const isIdle = !this.#queues.has(user);
    const queue = getOrAdd(this.#queues, user, () => new WaitingCalls<Call>());
    const answer = queue.add(call, deadlineMs, signal);
    if (isIdle) void this.#drain(user, queue);
    return answer;
  }

  async #drain(user: string, queue: WaitingCalls<Call>): Promise<void> {
    while (queue.all.length > 0) await this.#sendGroup(user, queue.take(this.#groupSize(queue.all)));
    this.#queues.delete(user);
  }

  async #sendGroup(user: string, group: readonly WaitingCall<Call>[]): Promise<void> {
    const calls = group.map(({ call }) => call);
    try {
      const deadlineMs = Math.min(...group.map((waiting) => waiting.deadlineMs));
      const answers = await this.#send(user, calls, deadlineMs);
      for (const [index, { resolve }] of group.entries()) resolve(answers[index]);
    } catch (error) {
      const isDefect = !UserError.is(error);
      // A call that the database rejects fails alone.
      if (isDefect && group.length > 1) for (const waiting of group) await this.#sendGroup(user, [waiting]);
      else for (const { reject } of group) reject(error);
    }
  }

  /** A group has the earliest deadline of its calls. */
  #groupSize(waiting: readonly WaitingCall<Call>[]): number {
    const [first] = waiting;
    const other = waiting.findIndex(({ call, deadlineMs }) => {
      const lostMs = Math.abs(deadlineMs - (first?.deadlineMs ?? deadlineMs));
      return lostMs > MAX_LOST_MS || !this.#isTogether(call);
    });
    return Math.min(MAX_GROUP_CALLS, other === -1 ? waiting.length : Math.max(1, other));
  }
}
