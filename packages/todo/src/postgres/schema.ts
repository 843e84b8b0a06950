import {
  bigint,
  bigserial,
  boolean,
  customType,
  date,
  pgSchema,
  primaryKey,
  text,
  timestamp,
} from 'drizzle-orm/pg-core';

/** Everything is in one schema, so that the database may contain other things too. */
export const SCHEMA = 'deskside_todo';

/** Transaction-local settings that the row level security compares with. */
export const SETTINGS = { user: 'deskside.user_id', actor: 'deskside.actor' } as const;

const schema = pgSchema(SCHEMA);
const number = (name: string) => bigint(name, { mode: 'number' });
const tsvector = customType<{ data: string }>({ dataType: () => 'tsvector' });
const time = (name: string) => timestamp(name, { withTimezone: true });

/** One row for everyone who ever had a task; `last_task_id` only grows, so a number is never used twice. */
export const users = schema.table('users', {
  id: text('id').primaryKey(),
  lastTaskId: number('last_task_id').notNull(),
});

export const tasks = schema.table(
  'tasks',
  {
    userId: text('user_id').notNull(),
    id: number('id').notNull(),
    title: text('title').notNull(),
    description: text('description'),
    completed: boolean('completed').notNull(),
    /** In whole seconds. */
    createdAt: time('created_at').notNull(),
    dueDate: date('due_date', { mode: 'string' }),
    /** `wordsOf` title and description. */
    words: tsvector('words').notNull(),
  },
  (task) => [primaryKey({ columns: [task.userId, task.id] })],
);

/** Tasks that can be restored. */
export const deletedTasks = schema.table(
  'deleted_tasks',
  {
    userId: text('user_id').notNull(),
    id: number('id').notNull(),
    title: text('title').notNull(),
    description: text('description'),
    completed: boolean('completed').notNull(),
    createdAt: time('created_at').notNull(),
    dueDate: date('due_date', { mode: 'string' }),
    words: tsvector('words').notNull(),
    deletedAt: time('deleted_at').notNull(),
  },
  (task) => [primaryKey({ columns: [task.userId, task.id] })],
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
  (entry) => [primaryKey({ columns: [entry.userId, entry.key] })],
);

/** Ids per row of `task_counts`, as in the triggers of the first migration. */
export const TASKS_PER_BLOCK = 1000;

/** Number of tasks per user and block of ids: `block` is `id / TASKS_PER_BLOCK`, rounded down. Triggers maintain it. */
export const taskCounts = schema.table(
  'task_counts',
  {
    userId: text('user_id').notNull(),
    block: number('block').notNull(),
    pending: number('pending').notNull(),
    completed: number('completed').notNull(),
  },
  (counts) => [primaryKey({ columns: [counts.userId, counts.block] })],
);

/** Audit rows of refused calls per caller on the last day that had any. */
export const refusals = schema.table('refusals', {
  actor: text('actor').primaryKey(),
  /** Days since 1970-01-01 in UTC. */
  day: number('day').notNull(),
  count: number('count').notNull(),
});

/** Who did what. It never holds a title or a description. */
export const audit = schema.table('audit', {
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
});
