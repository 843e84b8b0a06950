import { and, asc, desc, eq, inArray, or, sql, type SQL } from 'drizzle-orm';
import type { BetterSQLite3Database } from 'drizzle-orm/better-sqlite3';
import type { ClaimHolder, ClaimOutcome, ClaimRequest } from '../store/task-store.ts';
import { InvalidOrder, missingTasks } from '../store/claims.ts';
import { toTask } from '../store/records.ts';
import { isReady, matchesTask, NOW_MS } from './reading.ts';
import { tasks } from './schema.ts';

type Orm = BetterSQLite3Database;

export const NO_CLAIM = { claimedBy: null, claimKey: null, claimedUntil: null };

const isHeld = sql`coalesce(${tasks.claimedUntil}, 0) > ${NOW_MS}`;

/** One compare-and-set, under the write lock. */
export function claimTask(
  orm: Orm,
  user: string,
  { id, holder, leaseMs }: ClaimRequest,
): { readonly id: number | undefined; readonly outcome: ClaimOutcome | undefined } {
  const wanted = id ?? nextReady(orm, user, holder);
  if (wanted === undefined) return { id, outcome: { kind: 'none' } };
  const isOwn = and(eq(tasks.completed, false), eq(tasks.claimKey, holder.key), isHeld);
  const [claimed] = orm
    .update(tasks)
    .set({ claimedBy: holder.label, claimKey: holder.key, claimedUntil: sql`${NOW_MS} + ${leaseMs}` })
    .where(and(matchesTask(user, wanted), or(isReady(), isOwn)))
    .returning()
    .all();
  if (claimed === undefined) return { id: wanted, outcome: refusal(orm, user, wanted) };
  const until = new Date(claimed.claimedUntil ?? 0);
  return { id: wanted, outcome: { kind: 'done', task: toTask(claimed), until } };
}

export function releaseTask(
  orm: Orm,
  user: string,
  id: number,
  { key }: ClaimHolder,
): ClaimOutcome | undefined {
  const isFree = sql`(${tasks.claimKey} = ${key} OR NOT (${isHeld}))`;
  const [released] = orm
    .update(tasks)
    .set(NO_CLAIM)
    .where(and(matchesTask(user, id), isFree))
    .returning()
    .all();
  return released === undefined
    ? refusal(orm, user, id)
    : { kind: 'done', task: toTask(released), until: null };
}

/** @throws InvalidOrder */
export function checkOrder(orm: Orm, user: string, after: readonly number[], id?: number): void {
  if (after.length === 0) return;
  const existing = orm.select({ id: tasks.id }).from(tasks).where(isOneOf(user, after)).all();
  const missing = after.filter((wanted) => !existing.some((task) => task.id === wanted));
  if (missing.length > 0) throw missingTasks(missing);
  if (id !== undefined && isLoop(orm, user, after, id))
    throw new InvalidOrder(`Task ${id} would wait for itself`);
}

/** Whether a task that waits for these waits for itself. */
export function isLoop(orm: Orm, user: string, after: readonly number[], id: number): boolean {
  const found = orm.get<{ loops: number }>(sql`
    WITH RECURSIVE earlier (id) AS (
      SELECT value FROM json_each(${JSON.stringify(after)})
      UNION
      SELECT next.value FROM earlier
      JOIN ${tasks} ON ${tasks.userId} = ${user} AND ${tasks.id} = earlier.id, json_each(${tasks.waitsFor}) AS next
    ) SELECT EXISTS (SELECT 1 FROM earlier WHERE id = ${id}) AS loops`);
  return found.loops === 1;
}

function nextReady(orm: Orm, user: string, { project }: ClaimHolder): number | undefined {
  return orm
    .select({ id: tasks.id })
    .from(tasks)
    .where(and(eq(tasks.userId, user), isReady()))
    .orderBy(
      ...(project === undefined ? [] : [desc(sql`${tasks.project} IS ${project}`)]),
      asc(sql`coalesce(${tasks.priority}, 4)`),
      asc(sql`coalesce(${tasks.dueDate}, '9999')`),
      asc(tasks.id),
    )
    .limit(1)
    .get()?.id;
}

function refusal(orm: Orm, user: string, id: number): ClaimOutcome | undefined {
  const found = orm
    .select({ task: tasks, isHeld: sql<number>`${isHeld}` })
    .from(tasks)
    .where(matchesTask(user, id))
    .get();
  if (found === undefined) return undefined;
  const { completed, claimedBy, claimedUntil, waitsFor } = found.task;
  if (completed) return { kind: 'completed' };
  if (found.isHeld === 1) return { kind: 'held', by: claimedBy ?? '', until: new Date(claimedUntil ?? 0) };
  const pending = orm
    .select({ id: tasks.id })
    .from(tasks)
    .where(and(isOneOf(user, waitsFor), eq(tasks.completed, false)))
    .orderBy(asc(tasks.id));
  return { kind: 'waits', ids: pending.all().map((task) => task.id) };
}

function isOneOf(user: string, ids: readonly number[]): SQL | undefined {
  return and(eq(tasks.userId, user), inArray(tasks.id, [...ids]));
}
