import { and, eq, lt, sql, type SQL } from 'drizzle-orm';
import { tasks, users } from './schema.ts';
import type { Transaction } from './sqlite-audit.ts';
import type { Task, TaskQuery } from './task-store.ts';

export type TaskRow = typeof tasks.$inferSelect;

export function toTask({ id, title, description, completed, createdAt }: TaskRow): Task {
  return { id, title, description, completed, createdAt: `${createdAt.toISOString().slice(0, 19)}Z` };
}

/** Takes the user's next number for good, and adds the user if this is the first. */
export function nextId(transaction: Transaction, user: string): number {
  const counted = transaction
    .insert(users)
    .values({ id: user, lastTaskId: 1 })
    .onConflictDoUpdate({ target: users.id, set: { lastTaskId: sql`${users.lastTaskId} + 1` } })
    .returning({ id: users.lastTaskId })
    .get();
  return counted.id;
}

export function taskOf(user: string, id: number): SQL | undefined {
  return and(eq(tasks.userId, user), eq(tasks.id, id));
}

/** The user's tasks of that status, below an id if one is given. */
export function tasksOf(user: string, status: TaskQuery['status'], belowId?: number): SQL | undefined {
  return and(
    eq(tasks.userId, user),
    status === 'all' ? undefined : eq(tasks.completed, status === 'completed'),
    belowId === undefined ? undefined : lt(tasks.id, belowId),
  );
}
