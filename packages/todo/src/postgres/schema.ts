import { sql } from 'drizzle-orm';
import {
  bigint,
  bigserial,
  boolean,
  date,
  foreignKey,
  index,
  integer,
  pgPolicy,
  pgSchema,
  primaryKey,
  text,
  timestamp,
} from 'drizzle-orm/pg-core';

/** Everything is in one schema, so that the database may contain other things too. */
export const SCHEMA = 'deskside_todo';

/** Transaction-local settings that the row level security compares with. */
export const SETTINGS = { user: 'deskside.user_id', actor: 'deskside.actor' } as const;

/** @public drizzle-kit reads it. */
export const schema = pgSchema(SCHEMA);
const number = (name: string) => bigint(name, { mode: 'number' });
const time = (name: string) => timestamp(name, { withTimezone: true });

const CURRENT_USER = sql.raw(`current_setting('${SETTINGS.user}', true)`);
const CURRENT_ACTOR = sql.raw(`current_setting('${SETTINGS.actor}', true)`);

/** A transaction sees only the rows of the user that it names. The migration adds FORCE, which drizzle does not know. */
const ownRows = () => pgPolicy('own_rows', { using: sql`user_id = ${CURRENT_USER}` });

/** A purge sees only what can't be restored or replayed any more, of all users. */
const expired = (condition: string) =>
  pgPolicy('expired', { using: sql.raw(`current_setting('deskside.purge', true) = 'on' AND ${condition}`) });

/** One row for everyone who ever had a task; `last_task_id` only grows, so a number is never used twice. */
export const users = schema.table(
  'users',
  {
    id: text('id').primaryKey(),
    lastTaskId: number('last_task_id').notNull(),
  },
  () => [pgPolicy('own_rows', { using: sql`id = ${CURRENT_USER}` })],
);

/** What a deleted task has, too. */
const taskColumns = () => ({
  userId: text('user_id').notNull(),
  id: number('id').notNull(),
  title: text('title').notNull(),
  description: text('description'),
  completed: boolean('completed').notNull(),
  /** In whole seconds. */
  createdAt: time('created_at').notNull(),
  dueDate: date('due_date', { mode: 'string' }),
  /** The name of the project of the caller who added it. */
  project: text('project'),
  /** 1 is the highest, 3 the lowest. */
  priority: integer('priority'),
  /** Ids of the tasks that come first. */
  waitsFor: number('waits_for').array().notNull().default([]),
  /** `week`, as `everyOf` writes it. When the task is completed, the next one takes it over. */
  every: text('every'),
  /** The task that follows a completed recurring one. */
  nextId: number('next_id'),
});

export const tasks = schema.table(
  'tasks',
  {
    ...taskColumns(),
    /** For people: who works on the task. */
    claimedBy: text('claimed_by'),
    /** Who may renew and release the claim. */
    claimKey: text('claim_key'),
    /** On the clock of PostgreSQL. */
    claimedUntil: time('claimed_until'),
  },
  (task) => [
    primaryKey({ name: 'tasks_pkey', columns: [task.userId, task.id] }),
    foreignKey({ name: 'tasks_user_id_fkey', columns: [task.userId], foreignColumns: [users.id] }),
    index('tasks_by_status').on(task.userId, task.completed, task.id),
    index('tasks_by_due_date')
      .on(task.userId, task.dueDate)
      .where(sql`due_date IS NOT NULL`),
    ownRows(),
  ],
);

/** Tasks that can be restored. */
export const deletedTasks = schema.table(
  'deleted_tasks',
  {
    ...taskColumns(),
    deletedAt: time('deleted_at').notNull(),
    /** Its words in `task_words` before the deletion. */
    words: text('words').array().notNull(),
  },
  (task) => [
    primaryKey({ name: 'deleted_tasks_pkey', columns: [task.userId, task.id] }),
    foreignKey({ name: 'deleted_tasks_user_id_fkey', columns: [task.userId], foreignColumns: [users.id] }),
    index('deleted_tasks_by_time').on(task.userId, task.deletedAt),
    ownRows(),
    expired("deleted_at < now() - interval '30 days'"),
  ],
);

/** What a repeated call with the same key gets. */
export const idempotencyKeys = schema.table(
  'idempotency_keys',
  {
    userId: text('user_id').notNull(),
    key: text('key').notNull(),
    /** SHA-256 of the task as it was given. */
    digest: text('digest').notNull(),
    taskId: number('task_id').notNull(),
    createdAt: time('created_at').notNull(),
  },
  (entry) => [
    primaryKey({ name: 'idempotency_keys_pkey', columns: [entry.userId, entry.key] }),
    foreignKey({
      name: 'idempotency_keys_user_id_fkey',
      columns: [entry.userId],
      foreignColumns: [users.id],
    }),
    index('idempotency_keys_by_time').on(entry.userId, entry.createdAt),
    ownRows(),
    expired("created_at < now() - interval '24 hours'"),
  ],
);

/**
 * The words of each task, as `wordsOf` writes them, ordered by code point: the migration adds COLLATE "C", which drizzle does
 * not know.
 */
export const taskWords = schema.table(
  'task_words',
  {
    userId: text('user_id').notNull(),
    word: text('word').notNull(),
    taskId: number('task_id').notNull(),
  },
  (entry) => [
    primaryKey({ name: 'task_words_pkey', columns: [entry.userId, entry.word, entry.taskId] }),
    index('task_words_by_task').on(entry.userId, entry.taskId),
    ownRows(),
  ],
);

/** Number of tasks per user and block of ids: `block` is `id / 1000`, rounded down. Triggers maintain it. */
export const taskCounts = schema.table(
  'task_counts',
  {
    userId: text('user_id').notNull(),
    block: number('block').notNull(),
    pending: number('pending').notNull(),
    completed: number('completed').notNull(),
  },
  (counts) => [primaryKey({ name: 'task_counts_pkey', columns: [counts.userId, counts.block] }), ownRows()],
);

/** Reads and refused calls per caller and day. */
export const callCounts = schema.table(
  'call_counts',
  {
    actor: text('actor').notNull(),
    /** Days since 1970-01-01 in UTC. */
    day: number('day').notNull(),
    tool: text('tool').notNull(),
    outcome: text('outcome').notNull(),
    calls: number('calls').notNull(),
  },
  (counts) => [
    primaryKey({
      name: 'call_counts_pkey',
      columns: [counts.actor, counts.day, counts.tool, counts.outcome],
    }),
    pgPolicy('own_rows', { using: sql`actor = ${CURRENT_ACTOR}` }),
  ],
);

/**
 * Tokens for HTTP: one store with the tasks that they open, which all replicas see. Digests only. A server looks for a token
 * before it knows the user, so no policy limits the rows.
 */
export const tokens = schema.table('tokens', {
  name: text('name').primaryKey(),
  user: text('user').notNull(),
  sha256: text('sha256').notNull(),
  created: time('created').notNull(),
  used: time('used'),
});

/** Who did what. It never holds a title or a description. */
export const audit = schema.table(
  'audit',
  {
    id: bigserial('id', { mode: 'number' }).primaryKey(),
    at: time('at').notNull(),
    actor: text('actor').notNull(),
    /** As the caller gave it, so it need not exist in `users`. */
    userId: text('user_id').notNull(),
    tool: text('tool').notNull(),
    outcome: text('outcome').notNull(),
    taskId: number('task_id'),
    /** Names of the fields that the call set, joined by commas. */
    changed: text('changed'),
  },
  () => [pgPolicy('own_rows', { using: sql`actor = ${CURRENT_ACTOR} OR user_id = ${CURRENT_USER}` })],
);
