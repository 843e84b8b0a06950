// The columns of both databases: numbers, texts and JSON only, so that both store, compare and return the same values. `tables.ts` adds
// keys, rules and indexes.
import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';

/** One row for everyone who ever had a task; `last_task_id` only grows, so a number is never used twice. */
export const users = sqliteTable('users', {
  id: text('id').notNull(),
  lastTaskId: integer('last_task_id').notNull(),
});

export const tasks = sqliteTable('tasks', {
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
  after: text('waits_for', { mode: 'json' }).$type<readonly number[]>().notNull(),
  /** `week`, as `everyOf` writes it. When the task is completed, the next one takes it over. */
  every: text('every'),
  /** The day of a monthly series that the month of `dueDate` does not have. A new date or `every` begins a new series. */
  seriesDay: integer('series_day'),
  /** The task that follows a completed recurring one. */
  nextId: integer('next_id'),
  /** For people: who works on the task. */
  claimedBy: text('claimed_by'),
  /** Who may renew and release the claim. */
  claimKey: text('claim_key'),
  /** Unix time in milliseconds on the clock of the database. */
  claimedUntil: integer('claimed_until'),
  /** Unix time in milliseconds of a task that can be restored, and that nothing else shows. */
  deletedAt: integer('deleted_at', { mode: 'timestamp_ms' }),
});

/** What a repeated call with the same key gets. */
export const idempotencyKeys = sqliteTable('idempotency_keys', {
  userId: text('user_id').notNull(),
  key: text('key').notNull(),
  /** SHA-256 of the task as it was given. */
  digest: text('digest').notNull(),
  taskId: integer('task_id').notNull(),
  /** Unix time in milliseconds. */
  createdAt: integer('created_at', { mode: 'timestamp_ms' }).notNull(),
});

/** Reads and refused calls per caller and day. */
export const callCounts = sqliteTable('call_counts', {
  actor: text('actor').notNull(),
  /** Days since 1970-01-01 in UTC. */
  day: integer('day').notNull(),
  tool: text('tool').notNull(),
  outcome: text('outcome').notNull(),
  calls: integer('calls').notNull(),
});

/** Tokens for HTTP: one store with the tasks that they open, which each server of the database sees. Digests only. */
export const tokens = sqliteTable('tokens', {
  name: text('name').notNull(),
  user: text('user').notNull(),
  sha256: text('sha256').notNull(),
  /** As `toISOString` writes it. */
  created: text('created').notNull(),
  used: text('used'),
});

/** Who did what. It never holds a title or a description. */
export const audit = sqliteTable('audit', {
  id: integer('id').notNull(),
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
