import { StoreBusy } from './task-store.ts';

/** A call that waits for its turn in the database. */
export interface WaitingCall<Call> {
  readonly call: Call;
  /** On the clock `performance.now()`. */
  readonly deadlineMs: number;
  readonly resolve: (answer: unknown) => void;
  readonly reject: (error: unknown) => void;
  /** Rejects the call without carrying it out. */
  readonly leave: (reason: unknown) => void;
  /** It is carried out now: nothing cancels it any more. */
  readonly start: () => void;
}

/** Calls in their order. One that waits for too long, or that its caller cancels, is not carried out. */
export class WaitingCalls<Call> {
  readonly #calls: WaitingCall<Call>[] = [];

  get all(): readonly WaitingCall<Call>[] {
    return this.#calls;
  }

  /** Rejects with StoreBusy at the deadline, or with the signal's reason, until the call is taken. */
  add(call: Call, deadlineMs: number, signal?: AbortSignal): Promise<unknown> {
    return new Promise((resolve, reject) => {
      signal?.throwIfAborted();
      const cancel = () => waiting.leave(signal?.reason);
      const timer = setTimeout(() => waiting.leave(new StoreBusy()), deadlineMs - performance.now());
      const start = () => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', cancel);
      };
      const leave = (reason: unknown) => {
        this.#calls.splice(this.#calls.indexOf(waiting), 1);
        start();
        reject(reason);
      };
      const waiting: WaitingCall<Call> = { call, deadlineMs, resolve, reject, leave, start };
      signal?.addEventListener('abort', cancel, { once: true });
      this.#calls.push(waiting);
    });
  }

  /** The first calls, which are carried out now. */
  take(count: number): readonly WaitingCall<Call>[] {
    const taken = this.#calls.splice(0, count);
    for (const { start } of taken) start();
    return taken;
  }
}
