import { sql } from 'drizzle-orm';
import { foreignKey, index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core';

/** One row for everyone who ever had a task; `last_task_id` only grows, so a number is never used twice. */
export const users = sqliteTable('users', {
  id: text('id').primaryKey(),
  lastTaskId: integer('last_task_id').notNull(),
});

/** What a deleted task has, too. */
const taskColumns = () => ({
  userId: text('user_id').notNull(),
  id: integer('id').notNull(),
  title: text('title').notNull(),
  description: text('description'),
  completed: integer('completed', { mode: 'boolean' }).notNull(),
  /** Unix time in whole seconds. */
  createdAt: integer('created_at', { mode: 'timestamp' }).notNull(),
  /** `2026-11-21` */
  dueDate: text('due_date'),
  /** The name of the project of the caller who added it. */
  project: text('project'),
  /** 1 is the highest, 3 the lowest. */
  priority: integer('priority'),
  /** Ids of the tasks that come first. */
  waitsFor: text('waits_for', { mode: 'json' }).$type<readonly number[]>().notNull().default([]),
  /** `week`, as `everyOf` writes it. When the task is completed, the next one takes it over. */
  every: text('every'),
  /** The task that follows a completed recurring one. */
  nextId: integer('next_id'),
});

export const tasks = sqliteTable(
  'tasks',
  {
    ...taskColumns(),
    /** For people: who works on the task. */
    claimedBy: text('claimed_by'),
    /** Who may renew and release the claim. */
    claimKey: text('claim_key'),
    /** Unix time in milliseconds on the clock of SQLite. */
    claimedUntil: integer('claimed_until'),
  },
  (task) => [
    primaryKey({ columns: [task.userId, task.id] }),
    foreignKey({ columns: [task.userId], foreignColumns: [users.id] }),
    index('tasks_by_status').on(task.userId, task.completed, task.id),
    index('tasks_by_due_date')
      .on(task.userId, task.dueDate)
      .where(sql`${task.dueDate} IS NOT NULL`),
  ],
);

/** Tasks that can be restored. */
export const deletedTasks = sqliteTable(
  'deleted_tasks',
  {
    ...taskColumns(),
    /** Unix time in milliseconds. */
    deletedAt: integer('deleted_at', { mode: 'timestamp_ms' }).notNull(),
  },
  (task) => [
    primaryKey({ columns: [task.userId, task.id] }),
    index('deleted_tasks_by_time').on(task.userId, task.deletedAt),
  ],
);

/** What a repeated call with the same key gets. */
export const idempotencyKeys = sqliteTable(
  'idempotency_keys',
  {
    userId: text('user_id').notNull(),
    key: text('key').notNull(),
    /** SHA-256 of the task as it was given. */
    digest: text('digest').notNull(),
    taskId: integer('task_id').notNull(),
    /** Unix time in milliseconds. */
    createdAt: integer('created_at', { mode: 'timestamp_ms' }).notNull(),
  },
  (entry) => [
    primaryKey({ columns: [entry.userId, entry.key] }),
    index('idempotency_keys_by_time').on(entry.userId, entry.createdAt),
  ],
);

/** The words of each task, as `wordsOf` writes them. A table WITHOUT ROWID, which drizzle does not know. */
export const taskWords = sqliteTable(
  'task_words',
  {
    userId: text('user_id').notNull(),
    word: text('word').notNull(),
    taskId: integer('task_id').notNull(),
  },
  (entry) => [primaryKey({ columns: [entry.userId, entry.word, entry.taskId] })],
);

/** Ids per row of `task_counts`: the tasks before an id are the sum of a few rows and the count of a few tasks. */
export const TASKS_PER_BLOCK = 1000;

/** Number of tasks per user and block of ids: `block` is `id / TASKS_PER_BLOCK`, rounded down. Triggers maintain it. */
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

/** Reads and refused calls per caller and day. */
export const callCounts = sqliteTable(
  'call_counts',
  {
    actor: text('actor').notNull(),
    /** Days since 1970-01-01 in UTC. */
    day: integer('day').notNull(),
    tool: text('tool').notNull(),
    outcome: text('outcome').notNull(),
    calls: integer('calls').notNull(),
  },
  (counts) => [primaryKey({ columns: [counts.actor, counts.day, counts.tool, counts.outcome] })],
);

/** Tokens for HTTP: one store with the tasks that they open, which each process of this file sees. Digests only. */
export const tokens = sqliteTable('tokens', {
  name: text('name').primaryKey(),
  user: text('user').notNull(),
  sha256: text('sha256').notNull(),
  /** Unix time in milliseconds. */
  created: integer('created', { mode: 'timestamp_ms' }).notNull(),
  used: integer('used', { mode: 'timestamp_ms' }),
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
