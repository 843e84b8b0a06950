/** A step of the schema. Never edit or remove one that was released. */
export interface Migration {
  readonly name: string;
  /** Statements that raise the schema by one version. */
  readonly sql: string;
}

/** Tables with a column `user_id`: a transaction sees only the rows of the user that it names. */
const OWNED = ['tasks', 'deleted_tasks', 'idempotency_keys', 'task_counts'];

const policyOn = (table: string, rows: string): string => `
ALTER TABLE deskside_todo.${table} ENABLE ROW LEVEL SECURITY;
ALTER TABLE deskside_todo.${table} FORCE ROW LEVEL SECURITY;
CREATE POLICY own_rows ON deskside_todo.${table} USING (${rows});`;

const CURRENT_USER = "current_setting('deskside.user_id', true)";
const CURRENT_ACTOR = "current_setting('deskside.actor', true)";

export const migrations: readonly Migration[] = [
  {
    name: '0000_tasks',
    sql: `
CREATE TABLE deskside_todo.users (
  id text PRIMARY KEY,
  last_task_id bigint NOT NULL
);
CREATE TABLE deskside_todo.tasks (
  user_id text NOT NULL REFERENCES deskside_todo.users (id),
  id bigint NOT NULL,
  title text NOT NULL,
  description text,
  completed boolean NOT NULL,
  created_at timestamptz NOT NULL,
  due_date date,
  words tsvector NOT NULL,
  PRIMARY KEY (user_id, id)
);
CREATE INDEX tasks_by_status ON deskside_todo.tasks (user_id, completed, id);
CREATE INDEX tasks_by_due_date ON deskside_todo.tasks (user_id, due_date) WHERE due_date IS NOT NULL;
CREATE TABLE deskside_todo.deleted_tasks (
  user_id text NOT NULL REFERENCES deskside_todo.users (id),
  id bigint NOT NULL,
  title text NOT NULL,
  description text,
  completed boolean NOT NULL,
  created_at timestamptz NOT NULL,
  due_date date,
  words tsvector NOT NULL,
  deleted_at timestamptz NOT NULL,
  PRIMARY KEY (user_id, id)
);
CREATE INDEX deleted_tasks_by_time ON deskside_todo.deleted_tasks (user_id, deleted_at);
CREATE TABLE deskside_todo.idempotency_keys (
  user_id text NOT NULL REFERENCES deskside_todo.users (id),
  key text NOT NULL,
  digest text NOT NULL,
  task_id bigint NOT NULL,
  created_at timestamptz NOT NULL,
  PRIMARY KEY (user_id, key)
);
CREATE INDEX idempotency_keys_by_time ON deskside_todo.idempotency_keys (user_id, created_at);
CREATE TABLE deskside_todo.task_counts (
  user_id text NOT NULL,
  block bigint NOT NULL,
  pending bigint NOT NULL,
  completed bigint NOT NULL,
  PRIMARY KEY (user_id, block)
);
CREATE TABLE deskside_todo.refusals (
  actor text PRIMARY KEY,
  day bigint NOT NULL,
  count bigint NOT NULL
);
CREATE TABLE deskside_todo.audit (
  id bigserial PRIMARY KEY,
  at timestamptz NOT NULL,
  actor text NOT NULL,
  user_id text NOT NULL,
  tool text NOT NULL,
  outcome text NOT NULL,
  task_id bigint,
  changed text
);
CREATE FUNCTION deskside_todo.count_tasks() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP <> 'INSERT' THEN
    UPDATE deskside_todo.task_counts
    SET pending = pending - (NOT OLD.completed)::int, completed = completed - OLD.completed::int
    WHERE user_id = OLD.user_id AND block = OLD.id / 1000;
  END IF;
  IF TG_OP <> 'DELETE' THEN
    INSERT INTO deskside_todo.task_counts AS counts (user_id, block, pending, completed)
    VALUES (NEW.user_id, NEW.id / 1000, (NOT NEW.completed)::int, NEW.completed::int)
    ON CONFLICT (user_id, block) DO UPDATE
    SET pending = counts.pending + excluded.pending, completed = counts.completed + excluded.completed;
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER count_tasks AFTER INSERT OR DELETE ON deskside_todo.tasks
FOR EACH ROW EXECUTE FUNCTION deskside_todo.count_tasks();
CREATE TRIGGER count_changed_tasks AFTER UPDATE OF completed ON deskside_todo.tasks
FOR EACH ROW WHEN (OLD.completed <> NEW.completed) EXECUTE FUNCTION deskside_todo.count_tasks();
${OWNED.map((table) => policyOn(table, `user_id = ${CURRENT_USER}`)).join('')}
${policyOn('users', `id = ${CURRENT_USER}`)}
${policyOn('refusals', `actor = ${CURRENT_ACTOR}`)}
${policyOn('audit', `actor = ${CURRENT_ACTOR} OR user_id = ${CURRENT_USER}`)}
`,
  },
];
