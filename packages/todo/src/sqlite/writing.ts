// What a change writes, under the write lock.
import { and, eq, lte, sql } from 'drizzle-orm';
import {
  addedTask,
  type AuditedResult,
  daysBefore,
  digestOf,
  fieldsOf,
  hoursBefore,
  replayedTask,
  toTask,
} from '../store/records.ts';
import {
  type CallCount,
  IDEMPOTENCY_HOURS,
  type NewTask,
  RESTORE_DAYS,
  type Task,
} from '../store/task-store.ts';
import { localDate, recurrenceOf } from '../store/recurrence.ts';
import { type TaskText, wordsOfTask } from '../store/words.ts';
import { checkOrder, NO_CLAIM } from './claims.ts';
import { matchesTask } from './reading.ts';
import { callCounts, deletedTasks, idempotencyKeys, tasks } from './schema.ts';
import type { Connection } from './statements.ts';

export function addTask(connection: Connection, user: string, task: NewTask, now: Date): Task {
  const { orm, statements } = connection;
  const { completed = false, createdAt = now, after = [] } = task;
  checkOrder(orm, user, after);
  const id = Number(statements.reserveId.get(user));
  const fields = fieldsOf(task);
  statements.addTask.run({
    user,
    id,
    ...fields,
    completed: completed ? 1 : 0,
    createdAt: Math.floor(createdAt.getTime() / 1000),
    waitsFor: JSON.stringify(fields.waitsFor),
  });
  addWords(connection, user, { ...task, id });
  return toTask({ id, completed, ...fields, createdAt, nextId: null });
}

/** A recurring task is followed by the next one, which takes `every` over: no second completion adds another one. */
export function completeTask(connection: Connection, user: string, id: number, now: Date): Task | undefined {
  const { orm } = connection;
  const before = orm.select().from(tasks).where(matchesTask(user, id)).get();
  if (before === undefined) return undefined;
  const { title, description, project, priority } = before;
  const recurrence = recurrenceOf(before, localDate(now));
  const next =
    recurrence && addTask(connection, user, { title, description, project, priority, ...recurrence }, now);
  const handedOver = next === undefined ? {} : { every: null, nextId: next.id };
  const update = orm.update(tasks).set({ completed: true, ...NO_CLAIM, ...handedOver });
  return toTask(update.where(matchesTask(user, id)).returning().get());
}

export function removeTask(
  connection: Connection,
  user: string,
  id: number,
): typeof tasks.$inferSelect | undefined {
  const { orm } = connection;
  const row = orm.select().from(tasks).where(matchesTask(user, id)).get();
  if (row === undefined) return undefined;
  removeWords(connection, user, row);
  orm.delete(tasks).where(matchesTask(user, id)).run();
  return row;
}

type IndexedTask = TaskText & { readonly id: number };

export function addWords({ statements }: Connection, user: string, task: IndexedTask): void {
  statements.addWords.run({ user, id: task.id, words: JSON.stringify(wordsOfTask(task)) });
}

/** @param task as its words were added */
export function removeWords({ statements }: Connection, user: string, task: IndexedTask): void {
  statements.removeWords.run({ user, id: task.id, words: JSON.stringify(wordsOfTask(task)) });
}

/** @returns undefined as result if the key was used for another task */
export function addOnce(
  connection: Connection,
  user: string,
  task: NewTask,
  { key, now }: { readonly key: string; readonly now: Date },
): AuditedResult<Task | undefined> {
  const { orm } = connection;
  const expired = lte(idempotencyKeys.createdAt, hoursBefore(now, IDEMPOTENCY_HOURS));
  orm
    .delete(idempotencyKeys)
    .where(and(eq(idempotencyKeys.userId, user), expired))
    .run();
  const isKey = and(eq(idempotencyKeys.userId, user), eq(idempotencyKeys.key, key));
  const used = orm.select().from(idempotencyKeys).where(isKey).get();
  if (used !== undefined) return replayedTask(task, used);
  const added = addTask(connection, user, task, now);
  const digest = digestOf(task);
  orm.insert(idempotencyKeys).values({ userId: user, key, digest, taskId: added.id, createdAt: now }).run();
  return addedTask(added);
}

/**
 * Removes what can no longer be restored, and keys that no longer replay, of all users.
 *
 * @returns whether texts were removed
 */
export function cleanUp({ orm }: Connection, now: Date): boolean {
  const isOld = lte(deletedTasks.deletedAt, daysBefore(now, RESTORE_DAYS));
  const { changes } = orm.delete(deletedTasks).where(isOld).run();
  orm
    .delete(idempotencyKeys)
    .where(lte(idempotencyKeys.createdAt, hoursBefore(now, IDEMPOTENCY_HOURS)))
    .run();
  return changes > 0;
}

export function addCounts({ orm }: Connection, counts: readonly CallCount[]): void {
  for (const count of counts) {
    orm
      .insert(callCounts)
      .values(count)
      .onConflictDoUpdate({
        target: [callCounts.actor, callCounts.day, callCounts.tool, callCounts.outcome],
        set: { calls: sql`${callCounts.calls} + excluded.calls` },
      })
      .run();
  }
}
