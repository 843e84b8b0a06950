import { and, asc, desc, eq, inArray, or, sql, type SQL } from 'drizzle-orm';
import type { NodePgDatabase } from 'drizzle-orm/node-postgres';
import type { ClaimHolder, ClaimOutcome, ClaimRequest } from '../store/task-store.ts';
import { InvalidOrder, requireExisting } from '../store/claims.ts';
import { toTask } from '../store/records.ts';
import { matchesTask } from './reading.ts';
import { isReady, NOW } from './ready.ts';
import { tasks } from './schema.ts';

export const NO_CLAIM = { claimedBy: null, claimKey: null, claimedUntil: null };

const isHeld = sql`coalesce(${tasks.claimedUntil} > ${NOW}, false)`;

/** One compare-and-set. */
export async function claimTask(
  database: NodePgDatabase,
  user: string,
  { id, holder, leaseMs }: ClaimRequest,
): Promise<{ readonly id: number | undefined; readonly outcome: ClaimOutcome | undefined }> {
  const wanted = id ?? (await nextReady(database, user, holder));
  if (wanted === undefined) return { id, outcome: { kind: 'none' } };
  const isOwn = and(eq(tasks.completed, false), eq(tasks.claimKey, holder.key), isHeld);
  const [claimed] = await database
    .update(tasks)
    .set({
      claimedBy: holder.label,
      claimKey: holder.key,
      claimedUntil: sql`${NOW} + ${leaseMs} * interval '1 millisecond'`,
    })
    .where(and(matchesTask(user, wanted), or(isReady(), isOwn)))
    .returning();
  if (claimed === undefined) return { id: wanted, outcome: await refusal(database, user, wanted) };
  const until = claimed.claimedUntil;
  return { id: wanted, outcome: { kind: 'done', task: toTask(claimed), until } };
}

export async function releaseTask(
  database: NodePgDatabase,
  user: string,
  id: number,
  { key }: ClaimHolder,
): Promise<ClaimOutcome | undefined> {
  const isFree = sql`(${tasks.claimKey} = ${key} OR NOT (${isHeld}))`;
  const [released] = await database
    .update(tasks)
    .set(NO_CLAIM)
    .where(and(matchesTask(user, id), isFree))
    .returning();
  return released === undefined
    ? refusal(database, user, id)
    : { kind: 'done', task: toTask(released), until: null };
}

/** @throws InvalidOrder */
export async function checkOrder(
  database: NodePgDatabase,
  user: string,
  after: readonly number[],
  id?: number,
): Promise<void> {
  if (after.length === 0) return;
  const existing = await database.select({ id: tasks.id }).from(tasks).where(isOneOf(user, after));
  requireExisting(
    after,
    existing.map((task) => task.id),
  );
  if (id === undefined) return;
  const { rows } = await database.execute<{ loops: boolean }>(sql`
    WITH RECURSIVE earlier (id) AS (
      SELECT unnest(${sql.param(after)}::bigint[])
      UNION
      SELECT unnest(${tasks.waitsFor}) FROM earlier
      JOIN ${tasks} ON ${tasks.userId} = ${user} AND ${tasks.id} = earlier.id
    ) SELECT EXISTS (SELECT 1 FROM earlier WHERE id = ${id}) AS loops`);
  if (rows[0]?.loops === true) throw new InvalidOrder(`Task ${id} would wait for itself`);
}

async function nextReady(
  database: NodePgDatabase,
  user: string,
  { project }: ClaimHolder,
): Promise<number | undefined> {
  // Other calls go on to the next task.
  const [next] = await database
    .select({ id: tasks.id })
    .from(tasks)
    .where(and(eq(tasks.userId, user), isReady()))
    .orderBy(
      ...(project === undefined ? [] : [desc(sql`${tasks.project} IS NOT DISTINCT FROM ${project}::text`)]),
      asc(sql`coalesce(${tasks.priority}, 4)`),
      asc(sql`${tasks.dueDate}`),
      asc(tasks.id),
    )
    .limit(1)
    .for('update', { skipLocked: true });
  return next?.id;
}

async function refusal(
  database: NodePgDatabase,
  user: string,
  id: number,
): Promise<ClaimOutcome | undefined> {
  const [found] = await database
    .select({ task: tasks, isHeld: sql<boolean>`${isHeld}` })
    .from(tasks)
    .where(matchesTask(user, id));
  if (found === undefined) return undefined;
  const { completed, claimedBy, claimedUntil, waitsFor } = found.task;
  if (completed) return { kind: 'completed' };
  if (found.isHeld) return { kind: 'held', by: claimedBy ?? '', until: claimedUntil ?? new Date(0) };
  const pending = await database
    .select({ id: tasks.id })
    .from(tasks)
    .where(and(isOneOf(user, waitsFor), eq(tasks.completed, false)))
    .orderBy(asc(tasks.id));
  return { kind: 'waits', ids: pending.map((task) => task.id) };
}

function isOneOf(user: string, ids: readonly number[]): SQL | undefined {
  return and(eq(tasks.userId, user), inArray(tasks.id, [...ids]));
}
