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
CREATE TABLE "deskside_todo"."call_counts" (
	"actor" text NOT NULL,
	"day" bigint NOT NULL,
	"tool" text NOT NULL,
	"outcome" text NOT NULL,
	"calls" bigint NOT NULL,
	CONSTRAINT "call_counts_pkey" PRIMARY KEY("actor","day","tool","outcome")
);
ALTER TABLE "deskside_todo"."call_counts" ENABLE ROW LEVEL SECURITY;
CREATE TABLE "deskside_todo"."deleted_tasks" (
	"user_id" text NOT NULL,
	"id" bigint NOT NULL,
	"title" text NOT NULL,
	"description" text,
	"completed" boolean NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"due_date" date,
	"project" text,
	"priority" integer,
	"waits_for" bigint[] DEFAULT '{}' NOT NULL,
	"every" text,
	"next_id" bigint,
	"deleted_at" timestamp with time zone NOT NULL,
	"words" text[] NOT NULL,
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
CREATE TABLE "deskside_todo"."task_counts" (
	"user_id" text NOT NULL,
	"block" bigint NOT NULL,
	"pending" bigint NOT NULL,
	"completed" bigint NOT NULL,
	CONSTRAINT "task_counts_pkey" PRIMARY KEY("user_id","block")
);
ALTER TABLE "deskside_todo"."task_counts" ENABLE ROW LEVEL SECURITY;
CREATE TABLE "deskside_todo"."task_words" (
	"user_id" text NOT NULL,
	"word" text COLLATE "C" NOT NULL,
	"task_id" bigint NOT NULL,
	CONSTRAINT "task_words_pkey" PRIMARY KEY("user_id","word","task_id")
);
ALTER TABLE "deskside_todo"."task_words" ENABLE ROW LEVEL SECURITY;
CREATE TABLE "deskside_todo"."tasks" (
	"user_id" text NOT NULL,
	"id" bigint NOT NULL,
	"title" text NOT NULL,
	"description" text,
	"completed" boolean NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"due_date" date,
	"project" text,
	"priority" integer,
	"waits_for" bigint[] DEFAULT '{}' NOT NULL,
	"every" text,
	"next_id" bigint,
	"claimed_by" text,
	"claim_key" text,
	"claimed_until" timestamp with time zone,
	CONSTRAINT "tasks_pkey" PRIMARY KEY("user_id","id")
);
ALTER TABLE "deskside_todo"."tasks" ENABLE ROW LEVEL SECURITY;
CREATE TABLE "deskside_todo"."tokens" (
	"name" text PRIMARY KEY NOT NULL,
	"user" text NOT NULL,
	"sha256" text NOT NULL,
	"created" timestamp with time zone NOT NULL,
	"used" timestamp with time zone
);
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
CREATE INDEX "task_words_by_task" ON "deskside_todo"."task_words" USING btree ("user_id","task_id");
CREATE INDEX "tasks_by_status" ON "deskside_todo"."tasks" USING btree ("user_id","completed","id");
CREATE INDEX "tasks_by_due_date" ON "deskside_todo"."tasks" USING btree ("user_id","due_date") WHERE due_date IS NOT NULL;
CREATE POLICY "own_rows" ON "deskside_todo"."audit" AS PERMISSIVE FOR ALL TO public USING (actor = current_setting('deskside.actor', true) OR user_id = current_setting('deskside.user_id', true));
CREATE POLICY "own_rows" ON "deskside_todo"."call_counts" AS PERMISSIVE FOR ALL TO public USING (actor = current_setting('deskside.actor', true));
CREATE POLICY "own_rows" ON "deskside_todo"."deleted_tasks" AS PERMISSIVE FOR ALL TO public USING (user_id = current_setting('deskside.user_id', true));
CREATE POLICY "expired" ON "deskside_todo"."deleted_tasks" AS PERMISSIVE FOR ALL TO public USING (current_setting('deskside.purge', true) = 'on' AND deleted_at < now() - interval '30 days');
CREATE POLICY "own_rows" ON "deskside_todo"."idempotency_keys" AS PERMISSIVE FOR ALL TO public USING (user_id = current_setting('deskside.user_id', true));
CREATE POLICY "expired" ON "deskside_todo"."idempotency_keys" AS PERMISSIVE FOR ALL TO public USING (current_setting('deskside.purge', true) = 'on' AND created_at < now() - interval '24 hours');
CREATE POLICY "own_rows" ON "deskside_todo"."task_counts" AS PERMISSIVE FOR ALL TO public USING (user_id = current_setting('deskside.user_id', true));
CREATE POLICY "own_rows" ON "deskside_todo"."task_words" AS PERMISSIVE FOR ALL TO public USING (user_id = current_setting('deskside.user_id', true));
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
ALTER TABLE "deskside_todo"."call_counts" FORCE ROW LEVEL SECURITY;
ALTER TABLE "deskside_todo"."deleted_tasks" FORCE ROW LEVEL SECURITY;
ALTER TABLE "deskside_todo"."idempotency_keys" FORCE ROW LEVEL SECURITY;
ALTER TABLE "deskside_todo"."task_counts" FORCE ROW LEVEL SECURITY;
ALTER TABLE "deskside_todo"."task_words" FORCE ROW LEVEL SECURITY;
ALTER TABLE "deskside_todo"."tasks" FORCE ROW LEVEL SECURITY;
ALTER TABLE "deskside_todo"."users" FORCE ROW LEVEL SECURITY;
`,
  },
];
