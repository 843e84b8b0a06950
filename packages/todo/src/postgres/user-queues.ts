import { getOrAdd } from '@deskside/core/base';
import { UserError } from '@deskside/core/errors';
import { type ChangeCall, type WaitingCall, WaitingCalls } from '../store/waiting-calls.ts';

/** @returns an answer for each call, in their order */
type Send = (calls: readonly ChangeCall[], deadlineMs: number) => Promise<readonly unknown[]>;

/** Sends the changes of each user one after the other, and of different users at the same time. */
export class UserQueues {
  readonly #queues = new Map<string, WaitingCalls>();
  readonly #send: Send;

  constructor(send: Send) {
    this.#send = send;
  }

  /**
   * Rejects with StoreBusy at the deadline, or with the signal's reason, until the call is sent.
   *
   * @param deadlineMs on the clock `performance.now()`
   */
  run(call: ChangeCall, deadlineMs: number): Promise<unknown> {
    const { user } = call.caller;
    const isIdle = !this.#queues.has(user);
    const queue = getOrAdd(this.#queues, user, () => new WaitingCalls());
    const answer = queue.add(call, deadlineMs);
    if (isIdle) void this.#drain(user, queue);
    return answer;
  }

  async #drain(user: string, queue: WaitingCalls): Promise<void> {
    while (queue.all.length > 0) await this.#sendGroup(queue.take());
    this.#queues.delete(user);
  }

  async #sendGroup(group: readonly WaitingCall[]): Promise<void> {
    try {
      const deadlineMs = Math.min(...group.map((waiting) => waiting.deadlineMs));
      const calls = group.map(({ call }) => call);
      const answers = await this.#send(calls, deadlineMs);
      for (const [index, { resolve }] of group.entries()) resolve(answers[index]);
    } catch (error) {
      // A call that the database rejects fails alone.
      if (!UserError.is(error) && group.length > 1)
        for (const waiting of group) await this.#sendGroup([waiting]);
      else for (const { reject } of group) reject(error);
    }
  }
}
