import { foreignKey, index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core';

/** One row for everyone who ever had a task; `last_task_id` only grows, so a number is never used twice. */
export const users = sqliteTable('users', {
  id: text('id').primaryKey(),
  lastTaskId: integer('last_task_id').notNull(),
});

export const tasks = sqliteTable(
  'tasks',
  {
    userId: text('user_id').notNull(),
    id: integer('id').notNull(),
    title: text('title').notNull(),
    description: text('description'),
    completed: integer('completed', { mode: 'boolean' }).notNull(),
    /** Unix time in whole seconds. */
    createdAt: integer('created_at', { mode: 'timestamp' }).notNull(),
  },
  (task) => [
    primaryKey({ columns: [task.userId, task.id] }),
    foreignKey({ columns: [task.userId], foreignColumns: [users.id] }),
    index('tasks_by_status').on(task.userId, task.completed, task.id),
  ],
);

/** Ids per row of `task_counts`: the tasks before an id are the sum of a few rows and the count of a few tasks. */
export const TASKS_PER_BLOCK = 1000;

/**
 * Number of tasks per user and block of ids: `block` is `id / TASKS_PER_BLOCK`, rounded down. Triggers on `tasks`
 * maintain it, so that it is also correct while a process of the previous version writes to the same file.
 */
export const taskCounts = sqliteTable(
  'task_counts',
  {
    userId: text('user_id').notNull(),
    block: integer('block').notNull(),
    pending: integer('pending').notNull(),
    completed: integer('completed').notNull(),
  },
  (counts) => [primaryKey({ columns: [counts.userId, counts.block] })],
);

/** Audit rows of refused calls per caller on the last day that had any. */
export const refusals = sqliteTable('refusals', {
  actor: text('actor').primaryKey(),
  /** Days since 1970-01-01 in UTC. */
  day: integer('day').notNull(),
  count: integer('count').notNull(),
});

/** Who did what. It never holds a title or a description. */
export const audit = sqliteTable('audit', {
  /** AUTOINCREMENT, so that removed rows leave a gap. */
  id: integer('id').primaryKey({ autoIncrement: true }),
  /** Unix time in milliseconds. */
  at: integer('at', { mode: 'timestamp_ms' }).notNull(),
  actor: text('actor').notNull(),
  /** As the caller gave it, so it need not exist in `users`. */
  user: text('user').notNull(),
  tool: text('tool').notNull(),
  outcome: text('outcome').notNull(),
  taskId: integer('task_id'),
  /** Names of the fields that the call set, joined by commas. */
  changed: text('changed'),
});
