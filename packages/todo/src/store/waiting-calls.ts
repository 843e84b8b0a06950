import { addTogether, type Addition } from './changes.ts';
import type { Operation } from './statements.ts';
import { type CallerContext, StoreBusy } from './task-store.ts';

/** Calls in one transaction. */
export const MAX_GROUP_CALLS = 32;

/** Starts the operation; a call that is repeated starts it again. */
export type Work<T> = () => Operation<T>;

/** Who calls, for the rights in the database, and whether the call is still wanted. */
export type Caller = Pick<CallerContext, 'user' | 'actor' | 'signal'>;

/** Work that no call waits for has no caller. */
export const NOBODY: Caller = { user: '', actor: '' };

/** A change that waits for its turn. */
export interface ChangeCall<T = unknown> {
  readonly caller: Caller;
  readonly work: Work<T>;
  /** What it adds, if its tasks wait for nothing: additions of one user that wait together are made together. */
  readonly addition?: Addition | undefined;
  /** How many tasks it adds. */
  readonly added?: number;
}

/** A database that runs operations, each in one transaction. */
export interface Driver extends AsyncDisposable {
  prepare(): Promise<readonly string[]>;
  read<T>(caller: Caller, work: Work<T>): Promise<T>;
  change<T>(call: ChangeCall<T>): Promise<T>;
  /** Texts of a user were removed so that nothing restores them. */
  forgotten?(): void;
}

/** @returns the answers of additions of one user, or of one other call */
export function* together(calls: readonly ChangeCall[]): Operation<readonly unknown[]> {
  const [first] = calls;
  if (first === undefined) return [];
  if (first.addition === undefined) return [yield* first.work()];
  const all = calls.flatMap(({ addition }) => addition ?? []);
  return yield* addTogether(first.caller.user, all);
}

/** A call that waits for its turn in the database. */
export interface WaitingCall {
  readonly call: ChangeCall;
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
export class WaitingCalls {
  readonly #calls: WaitingCall[] = [];
  readonly #lastTry: () => void;

  /** @param lastTry runs when the time of a call has passed: it may still take the call */
  constructor(lastTry: () => void = () => undefined) {
    this.#lastTry = lastTry;
  }

  get all(): readonly WaitingCall[] {
    return this.#calls;
  }

  /** Rejects with StoreBusy at the deadline, or with the signal's reason, until the call is taken. */
  add<T>(call: ChangeCall<T>, deadlineMs: number): Promise<T> {
    const { signal } = call.caller;
    return new Promise((resolve, reject) => {
      signal?.throwIfAborted();
      const cancel = () => waiting.leave(signal?.reason);
      const end = () => {
        this.#lastTry();
        if (this.#calls.includes(waiting)) waiting.leave(new StoreBusy());
      };
      const timer = setTimeout(end, deadlineMs - performance.now());
      const start = () => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', cancel);
      };
      const leave = (reason: unknown) => {
        this.#calls.splice(this.#calls.indexOf(waiting), 1);
        start();
        reject(reason);
      };
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the answer is the value of the work
      const answer = (value: unknown) => resolve(value as T);
      const waiting: WaitingCall = { call, deadlineMs, resolve: answer, reject, leave, start };
      signal?.addEventListener('abort', cancel, { once: true });
      this.#calls.push(waiting);
    });
  }

  /** The first call, with those behind it that can be made together with it, is carried out now. */
  take(): readonly WaitingCall[] {
    const [first] = this.#calls;
    const other = this.#calls.findIndex(
      (next, index) => index === MAX_GROUP_CALLS || (index > 0 && first && !isTogether(first, next)),
    );
    const taken = this.#calls.splice(0, other === -1 ? this.#calls.length : other);
    for (const { start } of taken) start();
    return taken;
  }
}

function isTogether({ call: first }: WaitingCall, { call: next }: WaitingCall): boolean {
  return (
    first.addition !== undefined && next.addition !== undefined && first.caller.user === next.caller.user
  );
}
