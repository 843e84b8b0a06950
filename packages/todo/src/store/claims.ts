// Order of work, and who works on what.
import { sql } from 'drizzle-orm';
import {
  type Change,
  existingTasks,
  type FoundTask,
  foundTask,
  NO_CLAIM,
  taskOf,
  taskRow,
  write,
} from './changes.ts';
import { toTask } from './records.ts';
import { tasks } from './schema.ts';
import { ask, type Dialect, given, itemId, type Operation, query } from './statements.ts';
import type { ClaimHolder, ClaimOutcome, ClaimRequest } from './task-store.ts';

/**
 * Whether a task is pending, waits for no pending task, and nobody holds it. Each of the tasks that come first is looked up alone:
 * a join would read all tasks of the user for each task.
 */
export function isReady({ now, each }: Dialect) {
  return sql`(deleted_at IS NULL AND completed = 0 AND coalesce(claimed_until, 0) <= ${now} AND (waits_for = '[]' OR NOT EXISTS (
    SELECT 1 FROM ${each(sql`tasks.waits_for`)} WHERE (
      SELECT earlier.id FROM ${tasks} AS earlier
      WHERE earlier.user_id = tasks.user_id AND earlier.id = ${itemId} AND earlier.completed = 0
        AND earlier.deleted_at IS NULL) IS NOT NULL)))`;
}

/** No other transaction gets it. The own project is first, then by priority, due date and age. */
const nextReady = query(
  (dialect) => sql`SELECT ${dialect.now}, ${taskRow.fields} FROM ${tasks}
    WHERE user_id = ${given('user')} AND ${isReady(dialect)}
    ORDER BY CASE WHEN project = ${given('project')} THEN 0 ELSE 1 END, coalesce(priority, 4), coalesce(due_date, '9999'), id
    LIMIT 1${dialect.skipLocked}`,
  foundTask,
);

export function* claim(
  change: Change,
  { id, holder, leaseMs }: ClaimRequest,
): Operation<ClaimOutcome | undefined> {
  const { user } = change.caller;
  if (id === undefined) {
    const [[next]] = yield* ask(nextReady({ user, project: holder.project }));
    return next === undefined ? { kind: 'none' } : yield* give(change, next, holder, leaseMs);
  }
  const found = yield* taskOf(change, id);
  if (found === undefined) return undefined;
  const { task } = found;
  if (task.completed) return { kind: 'completed' };
  const held = heldBy(found);
  if (held !== undefined && task.claimKey !== holder.key) return held;
  if (held === undefined && task.after.length > 0) {
    const [earlier] = yield* ask(existingTasks({ user, ids: JSON.stringify(task.after) }));
    const ids = earlier.flatMap((first) => (first.isPending ? [first.id] : []));
    if (ids.length > 0) return { kind: 'waits', ids };
  }
  return yield* give(change, found, holder, leaseMs);
}

export function* release(
  change: Change,
  id: number,
  { key }: ClaimHolder,
): Operation<ClaimOutcome | undefined> {
  const found = yield* taskOf(change, id);
  if (found === undefined) return undefined;
  const held = heldBy(found);
  if (held !== undefined && found.task.claimKey !== key) return held;
  const task = yield* write(change, { ...found.task, ...NO_CLAIM });
  return { kind: 'done', task, until: null };
}

function heldBy({ task: { claimedBy, claimedUntil }, nowMs }: FoundTask): ClaimOutcome | undefined {
  if (claimedUntil === null || claimedUntil <= nowMs) return undefined;
  return { kind: 'held', by: claimedBy ?? '', until: new Date(claimedUntil) };
}

function* give(
  change: Change,
  { task, nowMs }: FoundTask,
  { key, label }: ClaimHolder,
  leaseMs: number,
): Operation<ClaimOutcome | undefined> {
  const claimed = { ...task, claimedBy: label, claimKey: key, claimedUntil: nowMs + leaseMs };
  yield* write(change, claimed);
  const until = new Date(claimed.claimedUntil);
  return { kind: 'done', task: toTask(claimed), until };
}
