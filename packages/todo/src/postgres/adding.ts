import { and, eq, lte, sql } from 'drizzle-orm';
import type { NodePgDatabase } from 'drizzle-orm/node-postgres';
import {
  addedTask,
  type AuditedResult,
  digestOf,
  fieldsOf,
  hoursBefore,
  replayedTask,
  toTask,
} from '../store/records.ts';
import { IDEMPOTENCY_HOURS, type NewTask, type Task } from '../store/task-store.ts';
import { checkOrder } from './claims.ts';
import { idempotencyKeys, tasks, users } from './schema.ts';
import { addWords } from './words.ts';

/** A statement can have 65,535 parameters. */
const MAX_INSERTED_ROWS = 1000;

export async function addTask(
  database: NodePgDatabase,
  user: string,
  task: NewTask,
  now: Date,
): Promise<Task> {
  const [added] = await addTasks(database, user, [task], now);
  if (added === undefined) throw new Error('One task was not added.');
  return added;
}

export async function addTasks(
  database: NodePgDatabase,
  user: string,
  all: readonly NewTask[],
  now: Date,
): Promise<readonly Task[]> {
  await checkOrder(database, user, [...new Set(all.flatMap(({ after = [] }) => after))]);
  const [reserved] = await database
    .insert(users)
    .values({ id: user, lastTaskId: all.length })
    .onConflictDoUpdate({
      target: users.id,
      set: { lastTaskId: sql`${users.lastTaskId} + excluded.last_task_id` },
    })
    .returning({ lastId: users.lastTaskId });
  const firstId = (reserved?.lastId ?? 0) - all.length + 1;
  const rows = all.map((task, index) => {
    const { completed = false, createdAt = now } = task;
    return { userId: user, id: firstId + index, completed, createdAt, ...fieldsOf(task) };
  });
  for (let start = 0; start < rows.length; start += MAX_INSERTED_ROWS) {
    const some = rows.slice(start, start + MAX_INSERTED_ROWS);
    await database.insert(tasks).values(some);
    await addWords(database, some);
  }
  return rows.map(toTask);
}

/** @returns undefined as result if the key was used for another task */
export async function addOnce(
  database: NodePgDatabase,
  user: string,
  task: NewTask,
  { key, now }: { readonly key: string; readonly now: Date },
): Promise<AuditedResult<Task | undefined>> {
  // Locks the user's row: two calls with one key run one after the other.
  await database
    .insert(users)
    .values({ id: user, lastTaskId: 0 })
    .onConflictDoUpdate({ target: users.id, set: { lastTaskId: sql`${users.lastTaskId}` } });
  const expired = lte(idempotencyKeys.createdAt, hoursBefore(now, IDEMPOTENCY_HOURS));
  await database.delete(idempotencyKeys).where(and(eq(idempotencyKeys.userId, user), expired));
  const isKey = and(eq(idempotencyKeys.userId, user), eq(idempotencyKeys.key, key));
  const [used] = await database.select().from(idempotencyKeys).where(isKey);
  if (used !== undefined) return replayedTask(task, used);
  const added = await addTask(database, user, task, now);
  const values = { userId: user, key, digest: digestOf(task), taskId: added.id, createdAt: now };
  await database.insert(idempotencyKeys).values(values);
  return addedTask(added);
}
