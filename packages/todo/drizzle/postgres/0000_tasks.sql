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
--> statement-breakpoint
ALTER TABLE "deskside_todo"."audit" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
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
--> statement-breakpoint
ALTER TABLE "deskside_todo"."deleted_tasks" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE TABLE "deskside_todo"."idempotency_keys" (
	"user_id" text NOT NULL,
	"key" text NOT NULL,
	"digest" text NOT NULL,
	"task_id" bigint NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	CONSTRAINT "idempotency_keys_pkey" PRIMARY KEY("user_id","key")
);
--> statement-breakpoint
ALTER TABLE "deskside_todo"."idempotency_keys" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE TABLE "deskside_todo"."refusals" (
	"actor" text PRIMARY KEY NOT NULL,
	"day" bigint NOT NULL,
	"count" bigint NOT NULL
);
--> statement-breakpoint
ALTER TABLE "deskside_todo"."refusals" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE TABLE "deskside_todo"."task_counts" (
	"user_id" text NOT NULL,
	"block" bigint NOT NULL,
	"pending" bigint NOT NULL,
	"completed" bigint NOT NULL,
	CONSTRAINT "task_counts_pkey" PRIMARY KEY("user_id","block")
);
--> statement-breakpoint
ALTER TABLE "deskside_todo"."task_counts" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
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
--> statement-breakpoint
ALTER TABLE "deskside_todo"."tasks" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE TABLE "deskside_todo"."users" (
	"id" text PRIMARY KEY NOT NULL,
	"last_task_id" bigint NOT NULL
);
--> statement-breakpoint
ALTER TABLE "deskside_todo"."users" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE "deskside_todo"."deleted_tasks" ADD CONSTRAINT "deleted_tasks_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "deskside_todo"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "deskside_todo"."idempotency_keys" ADD CONSTRAINT "idempotency_keys_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "deskside_todo"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "deskside_todo"."tasks" ADD CONSTRAINT "tasks_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "deskside_todo"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "deleted_tasks_by_time" ON "deskside_todo"."deleted_tasks" USING btree ("user_id","deleted_at");--> statement-breakpoint
CREATE INDEX "idempotency_keys_by_time" ON "deskside_todo"."idempotency_keys" USING btree ("user_id","created_at");--> statement-breakpoint
CREATE INDEX "tasks_by_status" ON "deskside_todo"."tasks" USING btree ("user_id","completed","id");--> statement-breakpoint
CREATE INDEX "tasks_by_due_date" ON "deskside_todo"."tasks" USING btree ("user_id","due_date") WHERE "due_date" IS NOT NULL;--> statement-breakpoint
CREATE POLICY "own_rows" ON "deskside_todo"."audit" AS PERMISSIVE FOR ALL TO public USING (actor = current_setting('deskside.actor', true) OR user_id = current_setting('deskside.user_id', true));--> statement-breakpoint
CREATE POLICY "own_rows" ON "deskside_todo"."deleted_tasks" AS PERMISSIVE FOR ALL TO public USING (user_id = current_setting('deskside.user_id', true));--> statement-breakpoint
CREATE POLICY "own_rows" ON "deskside_todo"."idempotency_keys" AS PERMISSIVE FOR ALL TO public USING (user_id = current_setting('deskside.user_id', true));--> statement-breakpoint
CREATE POLICY "own_rows" ON "deskside_todo"."refusals" AS PERMISSIVE FOR ALL TO public USING (actor = current_setting('deskside.actor', true));--> statement-breakpoint
CREATE POLICY "own_rows" ON "deskside_todo"."task_counts" AS PERMISSIVE FOR ALL TO public USING (user_id = current_setting('deskside.user_id', true));--> statement-breakpoint
CREATE POLICY "own_rows" ON "deskside_todo"."tasks" AS PERMISSIVE FOR ALL TO public USING (user_id = current_setting('deskside.user_id', true));--> statement-breakpoint
CREATE POLICY "own_rows" ON "deskside_todo"."users" AS PERMISSIVE FOR ALL TO public USING (id = current_setting('deskside.user_id', true));
--> statement-breakpoint
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
--> statement-breakpoint
CREATE TRIGGER count_tasks AFTER INSERT OR DELETE ON deskside_todo.tasks
FOR EACH ROW EXECUTE FUNCTION deskside_todo.count_tasks();
--> statement-breakpoint
CREATE TRIGGER count_changed_tasks AFTER UPDATE OF completed ON deskside_todo.tasks
FOR EACH ROW WHEN (OLD.completed <> NEW.completed) EXECUTE FUNCTION deskside_todo.count_tasks();
--> statement-breakpoint
ALTER TABLE "deskside_todo"."audit" FORCE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE "deskside_todo"."deleted_tasks" FORCE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE "deskside_todo"."idempotency_keys" FORCE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE "deskside_todo"."refusals" FORCE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE "deskside_todo"."task_counts" FORCE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE "deskside_todo"."tasks" FORCE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE "deskside_todo"."users" FORCE ROW LEVEL SECURITY;
