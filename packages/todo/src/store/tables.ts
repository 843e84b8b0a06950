// The tables of both databases as a release has created them. Never edit what was released: a further migration changes it. Tests
// compare the tables with `schema.ts`.

/** A step of the schema. */
export interface Migration {
  readonly name: string;
  /** Statements that raise the schema by one version. */
  readonly sql: string;
}

/** What the databases write differently. */
export interface TableWords {
  readonly integer: string;
  readonly text: string;
  /** A primary key that only grows. */
  readonly counter: string;
  readonly isDate: (column: string) => string;
  readonly isList: (column: string) => string;
  /** What ends a table. */
  readonly end: string;
}

/** The first tables. What another program writes is refused, if no answer could show it. */
export function createTables({ integer, text, counter, isDate, isList, end }: TableWords): string {
  return `
CREATE TABLE users (
  id ${text} PRIMARY KEY NOT NULL,
  last_task_id ${integer} NOT NULL
)${end};
CREATE TABLE tasks (
  user_id ${text} NOT NULL REFERENCES users (id),
  id ${integer} NOT NULL,
  title ${text} NOT NULL,
  description ${text},
  completed ${integer} NOT NULL CHECK (completed IN (0, 1)),
  created_at ${integer} NOT NULL CHECK (created_at BETWEEN -30610224000 AND 253402300799),
  due_date ${text} CHECK (${isDate('due_date')}),
  project ${text},
  priority ${integer} CHECK (priority BETWEEN 1 AND 3),
  waits_for ${text} DEFAULT '[]' NOT NULL CHECK (${isList('waits_for')}),
  every ${text},
  series_day ${integer},
  next_id ${integer},
  claimed_by ${text},
  claim_key ${text},
  claimed_until ${integer},
  deleted_at ${integer},
  PRIMARY KEY (user_id, id)
)${end};
CREATE INDEX all_tasks ON tasks (user_id, id) WHERE deleted_at IS NULL;
CREATE INDEX pending_tasks ON tasks (user_id, id) WHERE deleted_at IS NULL AND completed = 0;
CREATE INDEX completed_tasks ON tasks (user_id, id) WHERE deleted_at IS NULL AND completed = 1;
CREATE INDEX tasks_by_due_date ON tasks (user_id, due_date) WHERE due_date IS NOT NULL;
CREATE INDEX deleted_tasks ON tasks (deleted_at) WHERE deleted_at IS NOT NULL;
CREATE TABLE idempotency_keys (
  user_id ${text} NOT NULL REFERENCES users (id),
  key ${text} NOT NULL,
  digest ${text} NOT NULL,
  task_id ${integer} NOT NULL,
  created_at ${integer} NOT NULL,
  PRIMARY KEY (user_id, key)
)${end};
CREATE INDEX idempotency_keys_by_time ON idempotency_keys (created_at);
CREATE TABLE call_counts (
  actor ${text} NOT NULL,
  day ${integer} NOT NULL,
  tool ${text} NOT NULL,
  outcome ${text} NOT NULL,
  calls ${integer} NOT NULL,
  PRIMARY KEY (actor, day, tool, outcome)
)${end};
CREATE TABLE audit (
  id ${counter},
  at ${integer} NOT NULL,
  actor ${text} NOT NULL,
  "user" ${text} NOT NULL,
  tool ${text} NOT NULL,
  outcome ${text} NOT NULL,
  task_id ${integer},
  changed ${text}
)${end};
CREATE TABLE tokens (
  name ${text} PRIMARY KEY NOT NULL,
  "user" ${text} NOT NULL,
  sha256 ${text} NOT NULL,
  created ${integer} NOT NULL,
  used ${integer}
)${end};`;
}
