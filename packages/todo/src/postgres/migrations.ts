// `pnpm --filter @deskside/todo migrations` appends an entry if schema.ts changed. Never edit or remove one that was released.
import type { Migration } from '../store/migration.ts';

export const migrations: readonly Migration[] = [
  {
    name: '0000_tasks',
    sql: `
CREATE TABLE "deskside_todo"."audit" (
	"id" bigserial PRIMARY KEY NOT NULL,
	"at" timestamp with time zone NOT NULL,
	"actor" text NOT NULL,
	"user_id" text NOT NULL,
	"tool" text NOT NULL,
	"outcome" text NOT NULL,
	"task_id" bigint,
	"changed" text
);
ALTER TABLE "deskside_todo"."audit" ENABLE ROW LEVEL SECURITY;
CREATE TABLE "deskside_todo"."deleted_tasks" (
	"user_id" text NOT NULL,
	"id" bigint NOT NULL,
	"title" text NOT NULL,
	"description" text,
	"completed" boolean NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"due_date" date,
	"words" tsvector NOT NULL,
	"deleted_at" timestamp with time zone NOT NULL,
	CONSTRAINT "deleted_tasks_pkey" PRIMARY KEY("user_id","id")
);
ALTER TABLE "deskside_todo"."deleted_tasks" ENABLE ROW LEVEL SECURITY;
CREATE TABLE "deskside_todo"."idempotency_keys" (
	"user_id" text NOT NULL,
	"key" text NOT NULL,
	"digest" text NOT NULL,
	"task_id" bigint NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	CONSTRAINT "idempotency_keys_pkey" PRIMARY KEY("user_id","key")
);
ALTER TABLE "deskside_todo"."idempotency_keys" ENABLE ROW LEVEL SECURITY;
CREATE TABLE "deskside_todo"."refusals" (
	"actor" text PRIMARY KEY NOT NULL,
	"day" bigint NOT NULL,
	"count" bigint NOT NULL
);
ALTER TABLE "deskside_todo"."refusals" ENABLE ROW LEVEL SECURITY;
CREATE TABLE "deskside_todo"."task_counts" (
	"user_id" text NOT NULL,
	"block" bigint NOT NULL,
	"pending" bigint NOT NULL,
	"completed" bigint NOT NULL,
	CONSTRAINT "task_counts_pkey" PRIMARY KEY("user_id","block")
);
ALTER TABLE "deskside_todo"."task_counts" ENABLE ROW LEVEL SECURITY;
CREATE TABLE "deskside_todo"."tasks" (
	"user_id" text NOT NULL,
	"id" bigint NOT NULL,
	"title" text NOT NULL,
	"description" text,
	"completed" boolean NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"due_date" date,
	"words" tsvector NOT NULL,
	CONSTRAINT "tasks_pkey" PRIMARY KEY("user_id","id")
);
ALTER TABLE "deskside_todo"."tasks" ENABLE ROW LEVEL SECURITY;
CREATE TABLE "deskside_todo"."users" (
	"id" text PRIMARY KEY NOT NULL,
	"last_task_id" bigint NOT NULL
);
ALTER TABLE "deskside_todo"."users" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "deskside_todo"."deleted_tasks" ADD CONSTRAINT "deleted_tasks_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "deskside_todo"."users"("id") ON DELETE no action ON UPDATE no action;
ALTER TABLE "deskside_todo"."idempotency_keys" ADD CONSTRAINT "idempotency_keys_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "deskside_todo"."users"("id") ON DELETE no action ON UPDATE no action;
ALTER TABLE "deskside_todo"."tasks" ADD CONSTRAINT "tasks_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "deskside_todo"."users"("id") ON DELETE no action ON UPDATE no action;
CREATE INDEX "deleted_tasks_by_time" ON "deskside_todo"."deleted_tasks" USING btree ("user_id","deleted_at");
CREATE INDEX "idempotency_keys_by_time" ON "deskside_todo"."idempotency_keys" USING btree ("user_id","created_at");
CREATE INDEX "tasks_by_status" ON "deskside_todo"."tasks" USING btree ("user_id","completed","id");
CREATE INDEX "tasks_by_due_date" ON "deskside_todo"."tasks" USING btree ("user_id","due_date") WHERE "due_date" IS NOT NULL;
CREATE POLICY "own_rows" ON "deskside_todo"."audit" AS PERMISSIVE FOR ALL TO public USING (actor = current_setting('deskside.actor', true) OR user_id = current_setting('deskside.user_id', true));
CREATE POLICY "own_rows" ON "deskside_todo"."deleted_tasks" AS PERMISSIVE FOR ALL TO public USING (user_id = current_setting('deskside.user_id', true));
CREATE POLICY "own_rows" ON "deskside_todo"."idempotency_keys" AS PERMISSIVE FOR ALL TO public USING (user_id = current_setting('deskside.user_id', true));
CREATE POLICY "own_rows" ON "deskside_todo"."refusals" AS PERMISSIVE FOR ALL TO public USING (actor = current_setting('deskside.actor', true));
CREATE POLICY "own_rows" ON "deskside_todo"."task_counts" AS PERMISSIVE FOR ALL TO public USING (user_id = current_setting('deskside.user_id', true));
CREATE POLICY "own_rows" ON "deskside_todo"."tasks" AS PERMISSIVE FOR ALL TO public USING (user_id = current_setting('deskside.user_id', true));
CREATE POLICY "own_rows" ON "deskside_todo"."users" AS PERMISSIVE FOR ALL TO public USING (id = current_setting('deskside.user_id', true));
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
ALTER TABLE "deskside_todo"."audit" FORCE ROW LEVEL SECURITY;
ALTER TABLE "deskside_todo"."deleted_tasks" FORCE ROW LEVEL SECURITY;
ALTER TABLE "deskside_todo"."idempotency_keys" FORCE ROW LEVEL SECURITY;
ALTER TABLE "deskside_todo"."refusals" FORCE ROW LEVEL SECURITY;
ALTER TABLE "deskside_todo"."task_counts" FORCE ROW LEVEL SECURITY;
ALTER TABLE "deskside_todo"."tasks" FORCE ROW LEVEL SECURITY;
ALTER TABLE "deskside_todo"."users" FORCE ROW LEVEL SECURITY;
`,
  },
  {
    name: '0001_words',
    sql: `
CREATE TABLE "deskside_todo"."task_words" (
	"user_id" text NOT NULL,
	"word" text COLLATE "C" NOT NULL,
	"task_id" bigint NOT NULL,
	CONSTRAINT "task_words_pkey" PRIMARY KEY("user_id","word","task_id")
);
ALTER TABLE "deskside_todo"."task_words" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "deskside_todo"."deleted_tasks" DROP COLUMN "words";
ALTER TABLE "deskside_todo"."tasks" DROP COLUMN "words";
CREATE POLICY "own_rows" ON "deskside_todo"."task_words" AS PERMISSIVE FOR ALL TO public USING (user_id = current_setting('deskside.user_id', true));
ALTER TABLE "deskside_todo"."task_words" FORCE ROW LEVEL SECURITY;
`,
  },
  {
    name: '0002_claims',
    sql: `
ALTER TABLE "deskside_todo"."deleted_tasks" ADD COLUMN "project" text;
ALTER TABLE "deskside_todo"."deleted_tasks" ADD COLUMN "priority" integer;
ALTER TABLE "deskside_todo"."deleted_tasks" ADD COLUMN "waits_for" bigint[] DEFAULT '{}' NOT NULL;
ALTER TABLE "deskside_todo"."tasks" ADD COLUMN "project" text;
ALTER TABLE "deskside_todo"."tasks" ADD COLUMN "priority" integer;
ALTER TABLE "deskside_todo"."tasks" ADD COLUMN "waits_for" bigint[] DEFAULT '{}' NOT NULL;
ALTER TABLE "deskside_todo"."tasks" ADD COLUMN "claimed_by" text;
ALTER TABLE "deskside_todo"."tasks" ADD COLUMN "claim_key" text;
ALTER TABLE "deskside_todo"."tasks" ADD COLUMN "claimed_until" timestamp with time zone;
`,
  },
  {
    name: '0003_functions',
    sql: `
CREATE TABLE "deskside_todo"."call_counts" (
	"actor" text NOT NULL,
	"day" bigint NOT NULL,
	"tool" text NOT NULL,
	"outcome" text NOT NULL,
	"calls" bigint NOT NULL,
	CONSTRAINT "call_counts_pkey" PRIMARY KEY("actor","day","tool","outcome")
);
ALTER TABLE "deskside_todo"."call_counts" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "deskside_todo"."deleted_tasks" ADD COLUMN "words" text[];
CREATE INDEX "task_words_by_task" ON "deskside_todo"."task_words" USING btree ("user_id","task_id");
CREATE POLICY "own_rows" ON "deskside_todo"."call_counts" AS PERMISSIVE FOR ALL TO public USING (actor = current_setting('deskside.actor', true));
ALTER TABLE "deskside_todo"."call_counts" FORCE ROW LEVEL SECURITY;
-- A purge sees only what can't be restored or replayed any more, of all users.
CREATE POLICY "expired" ON "deskside_todo"."deleted_tasks" FOR ALL TO public
USING (current_setting('deskside.purge', true) = 'on' AND deleted_at < now() - interval '30 days');
CREATE POLICY "expired" ON "deskside_todo"."idempotency_keys" FOR ALL TO public
USING (current_setting('deskside.purge', true) = 'on' AND created_at < now() - interval '24 hours');
`,
  },
  {
    name: '0004_tokens',
    sql: `
CREATE TABLE "deskside_todo"."tokens" (
	"name" text PRIMARY KEY NOT NULL,
	"user" text NOT NULL,
	"sha256" text NOT NULL,
	"created" timestamp with time zone NOT NULL,
	"used" timestamp with time zone
);
`,
  },
  {
    name: '0005_recurrence',
    sql: `
ALTER TABLE "deskside_todo"."deleted_tasks" ADD COLUMN "every" text;
ALTER TABLE "deskside_todo"."deleted_tasks" ADD COLUMN "next_id" bigint;
ALTER TABLE "deskside_todo"."tasks" ADD COLUMN "every" text;
ALTER TABLE "deskside_todo"."tasks" ADD COLUMN "next_id" bigint;
`,
  },
  {
    name: '0006_purge',
    sql: '-- Only the functions change.',
  },
  {
    name: '0007_reopen',
    sql: '-- Only the functions change.',
  },
  {
    name: '0008_restore',
    sql: '-- Only the functions change.',
  },
  {
    name: '0009_letters',
    sql: `
-- A server of an earlier version writes words with these letters, and looks for them; a deleted task gets them back when it is
-- restored. Not each encoding has all of these letters, so none of them stands here.
CREATE FUNCTION deskside_todo.fold_word() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO deskside_todo.task_words
  SELECT NEW.user_id, regexp_replace(regexp_replace(regexp_replace(regexp_replace(regexp_replace(regexp_replace(regexp_replace(
    NEW.word, '\\u0131', 'i', 'g'), '\\u00df', 'ss', 'g'), '\\u0111', 'd', 'g'), '\\u0127', 'h', 'g'), '\\u0142', 'l', 'g'),
    '\\u00f8', 'o', 'g'), '\\u0167', 't', 'g'), NEW.task_id
  ON CONFLICT DO NOTHING;
  RETURN NULL;
END $$;
CREATE TRIGGER fold_word AFTER INSERT ON deskside_todo.task_words
FOR EACH ROW WHEN (NEW.word ~ '[\\u0131\\u00df\\u0111\\u0127\\u0142\\u00f8\\u0167]') EXECUTE FUNCTION deskside_todo.fold_word();
-- What is there passes through the trigger.
ALTER TABLE "deskside_todo"."task_words" NO FORCE ROW LEVEL SECURITY;
WITH words AS (
  DELETE FROM deskside_todo.task_words WHERE word ~ '[\\u0131\\u00df\\u0111\\u0127\\u0142\\u00f8\\u0167]' RETURNING *
) INSERT INTO deskside_todo.task_words SELECT * FROM words;
ALTER TABLE "deskside_todo"."task_words" FORCE ROW LEVEL SECURITY;
`,
  },
];
