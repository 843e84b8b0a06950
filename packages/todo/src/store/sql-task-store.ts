import { CallCounter } from './call-counts.ts';
import { add, type Change, complete, remove, reopen, restore, update } from './changes.ts';
import { claim, release } from './claims.ts';
import type { Outcome } from './records.ts';
import { changesSince, get, list, readAudit } from './reading.ts';
import type { Operation } from './statements.ts';
import {
  type CallerContext,
  type ClaimOutcome,
  IdempotencyConflict,
  type NewTask,
  type Task,
  type TaskStore,
} from './task-store.ts';
import { watchTasks } from './task-watch.ts';
import { addCounts, storedTokens } from './upkeep.ts';
import type { Caller, ChangeCall, Work } from './waiting-calls.ts';

/** Work that no call waits for has no caller. */
export const NOBODY: Caller = { user: '', actor: '' };

/** A database that runs operations, each in one transaction. */
export interface Driver extends AsyncDisposable {
  prepare(): Promise<readonly string[]>;
  read<T>(caller: Caller, work: Work<T>): Promise<T>;
  /** @returns the answer of its work, or the tasks of an addition: those of one user that wait together are made together */
  change(call: ChangeCall): Promise<unknown>;
  /** Texts of a user were removed so that nothing restores them. */
  forgotten(): void;
}

/** A TaskStore in a database of SQL. What the calls do is the same in all of them. See docs/decisions/0043. */
export function sqlTaskStore(driver: Driver, now: () => Date): TaskStore {
  const counter = new CallCounter((counts) => changed(NOBODY, () => addCounts(counts)));
  const count = (caller: CallerContext, outcome: Outcome) => counter.count(caller, outcome, now());
  let closed: Promise<void> | undefined;

  async function changed<T>(caller: Caller, work: Work<T>): Promise<T> {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the answer is the value of the work
    return (await driver.change({ caller, work })) as T;
  }

  async function read<T>(caller: CallerContext, work: Work<T>): Promise<T> {
    const found = await driver.read(caller, work);
    count(caller, found === undefined ? 'task_not_found' : 'ok');
    return found;
  }

  /** A change that is refused has no row in the audit: it is counted. */
  async function change<T extends Task | ClaimOutcome>(
    caller: CallerContext,
    work: (change: Change) => Operation<T | undefined>,
  ): Promise<T | undefined> {
    const call = { caller, now: now() };
    const done = await changed(caller, () => work(call));
    if (done === undefined) count(caller, 'task_not_found');
    else if ('kind' in done && done.kind !== 'done') count(caller, 'not_claimed');
    return done;
  }

  async function addAll(
    caller: CallerContext,
    tasks: readonly NewTask[],
    key?: string,
  ): Promise<readonly Task[]> {
    const addition = { caller, tasks, now: now() };
    const waits = tasks.some(({ after = [], afterAdded = [] }) => after.length + afterAdded.length > 0);
    const isTogether = key === undefined && !waits;
    const call = isTogether ? addition : { caller, work: () => add(addition, key) };
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the answer of an addition
    const added = (await driver.change(call)) as readonly Task[] | undefined;
    if (added === undefined) count(caller, 'invalid');
    return added ?? [];
  }

  async function close(): Promise<void> {
    await counter.flush();
    await driver[Symbol.asyncDispose]();
  }

  return {
    tokens: storedTokens((work, kind) => {
      return kind === 'read' ? driver.read(NOBODY, work) : changed(NOBODY, work);
    }, now),
    prepare: () => driver.prepare(),
    async add(caller, task, idempotencyKey) {
      const [added] = await addAll(caller, [task], idempotencyKey);
      if (added === undefined) throw new IdempotencyConflict();
      return added;
    },
    addAll: async (caller, tasks) => (tasks.length === 0 ? [] : addAll(caller, tasks)),
    get: (caller, id) => read(caller, () => get(caller.user, id)),
    list: (caller, query) => read(caller, () => list(caller.user, query)),
    complete: (caller, id) => change(caller, (call) => complete(call, id)),
    reopen: (caller, id) => change(caller, (call) => reopen(call, id)),
    remove: (caller, id) => change(caller, (call) => remove(call, id, false)),
    async removeForGood(caller, id) {
      const removed = await change(caller, (call) => remove(call, id, true));
      if (removed !== undefined) driver.forgotten();
      return removed;
    },
    restore: (caller, id) => change(caller, (call) => restore(call, id)),
    update: (caller, id, changes) => change(caller, (call) => update(call, id, changes)),
    claim: (caller, request) => change(caller, (call) => claim(call, request)),
    release: (caller, id, holder) => change(caller, (call) => release(call, id, holder)),
    async readAudit(caller, limit) {
      await counter.flush();
      return driver.read({ ...caller, actor: caller.user }, () => readAudit(caller.user, limit));
    },
    recordRejection: count,
    watch(user, changed) {
      const caller = { user, actor: user };
      return watchTasks((since) => driver.read(caller, () => changesSince(user, since)), changed);
    },
    async [Symbol.asyncDispose]() {
      closed ??= close();
      await closed;
    },
  };
}
