import { CallCounter } from './call-counts.ts';
import { add, type Change, complete, remove, reopen, restore, update } from './changes.ts';
import { claim, release } from './claims.ts';
import type { Outcome } from './records.ts';
import { get, list, readAudit } from './reading.ts';
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
import { type Driver, NOBODY, type Work } from './waiting-calls.ts';

/** A TaskStore in a database of SQL. What the calls do is the same in all of them. See docs/decisions/0043. */
export function sqlTaskStore(driver: Driver, now: () => Date): TaskStore {
  const counter = new CallCounter((counts) =>
    driver.change({ caller: NOBODY, work: () => addCounts(counts) }),
  );
  const count = (caller: CallerContext, outcome: Outcome) => counter.count(caller, outcome, now());
  let closed: Promise<void> | undefined;

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
    const done = await driver.change({ caller, work: () => work(call) });
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
    const work = () => add(addition, key);
    const waits = tasks.some(({ after = [], afterAdded = [] }) => after.length + afterAdded.length > 0);
    const atOnce = key === undefined && !waits ? addition : undefined;
    const added = await driver.change({ caller, work, addition: atOnce, added: tasks.length });
    if (added === undefined) count(caller, 'invalid');
    return added ?? [];
  }

  return {
    tokens: storedTokens(driver, now),
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
      if (removed !== undefined) driver.forgotten?.();
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
    watch: (user, changed) => watchTasks(driver, user, changed),
    async [Symbol.asyncDispose]() {
      closed ??= counter.flush().then(() => driver[Symbol.asyncDispose]());
      await closed;
    },
  };
}
