// `pnpm --filter @deskside/todo migrations` appends an entry if schema.ts changed. Never edit or remove one that was released.
import type { Migration } from '../store/migration.ts';

export const migrations: readonly Migration[] = [
  {
    name: '0000_tasks',
    sql: `
CREATE TABLE "audit" (
	"id" integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	"at" integer NOT NULL,
	"actor" text NOT NULL,
	"user" text NOT NULL,
	"tool" text NOT NULL,
	"outcome" text NOT NULL,
	"task_id" integer,
	"changed" text
) STRICT;
CREATE TABLE "call_counts" (
	"actor" text NOT NULL,
	"day" integer NOT NULL,
	"tool" text NOT NULL,
	"outcome" text NOT NULL,
	"calls" integer NOT NULL,
	PRIMARY KEY("actor", "day", "tool", "outcome")
) STRICT;
CREATE TABLE "deleted_tasks" (
	"user_id" text NOT NULL,
	"id" integer NOT NULL,
	"title" text NOT NULL,
	"description" text,
	"completed" integer NOT NULL,
	"created_at" integer NOT NULL,
	"due_date" text,
	"project" text,
	"priority" integer,
	"waits_for" text DEFAULT '[]' NOT NULL,
	"every" text,
	"next_id" integer,
	"deleted_at" integer NOT NULL,
	PRIMARY KEY("user_id", "id")
) STRICT;
CREATE INDEX "deleted_tasks_by_time" ON "deleted_tasks" ("user_id","deleted_at");
CREATE TABLE "idempotency_keys" (
	"user_id" text NOT NULL,
	"key" text NOT NULL,
	"digest" text NOT NULL,
	"task_id" integer NOT NULL,
	"created_at" integer NOT NULL,
	PRIMARY KEY("user_id", "key")
) STRICT;
CREATE INDEX "idempotency_keys_by_time" ON "idempotency_keys" ("user_id","created_at");
CREATE TABLE "task_counts" (
	"user_id" text NOT NULL,
	"block" integer NOT NULL,
	"pending" integer NOT NULL,
	"completed" integer NOT NULL,
	PRIMARY KEY("user_id", "block")
) STRICT;
CREATE TABLE "task_words" (
	"user_id" text NOT NULL,
	"word" text NOT NULL,
	"task_id" integer NOT NULL,
	PRIMARY KEY("user_id", "word", "task_id")
) STRICT, WITHOUT ROWID;
CREATE TABLE "tasks" (
	"user_id" text NOT NULL,
	"id" integer NOT NULL,
	"title" text NOT NULL,
	"description" text,
	"completed" integer NOT NULL,
	"created_at" integer NOT NULL,
	"due_date" text,
	"project" text,
	"priority" integer,
	"waits_for" text DEFAULT '[]' NOT NULL,
	"every" text,
	"next_id" integer,
	"claimed_by" text,
	"claim_key" text,
	"claimed_until" integer,
	PRIMARY KEY("user_id", "id"),
	FOREIGN KEY ("user_id") REFERENCES "users"("id") ON UPDATE no action ON DELETE no action
) STRICT;
CREATE INDEX "tasks_by_status" ON "tasks" ("user_id","completed","id");
CREATE INDEX "tasks_by_due_date" ON "tasks" ("user_id","due_date") WHERE "tasks"."due_date" IS NOT NULL;
CREATE TABLE "tokens" (
	"name" text PRIMARY KEY NOT NULL,
	"user" text NOT NULL,
	"sha256" text NOT NULL,
	"created" integer NOT NULL,
	"used" integer
) STRICT;
CREATE TABLE "users" (
	"id" text PRIMARY KEY NOT NULL,
	"last_task_id" integer NOT NULL
) STRICT;
CREATE TRIGGER "count_added_task" AFTER INSERT ON "tasks" BEGIN
	INSERT INTO "task_counts" ("user_id", "block", "pending", "completed")
	VALUES (new."user_id", new."id" / 1000, NOT new."completed", new."completed")
	ON CONFLICT ("user_id", "block") DO UPDATE
	SET "pending" = "pending" + excluded."pending", "completed" = "completed" + excluded."completed";
END;
CREATE TRIGGER "count_removed_task" AFTER DELETE ON "tasks" BEGIN
	UPDATE "task_counts"
	SET "pending" = "pending" - (NOT old."completed"), "completed" = "completed" - old."completed"
	WHERE "user_id" = old."user_id" AND "block" = old."id" / 1000;
END;
CREATE TRIGGER "count_changed_task" AFTER UPDATE OF "completed" ON "tasks" WHEN old."completed" <> new."completed" BEGIN
	UPDATE "task_counts"
	SET "pending" = "pending" + old."completed" - new."completed", "completed" = "completed" + new."completed" - old."completed"
	WHERE "user_id" = old."user_id" AND "block" = old."id" / 1000;
END;
`,
  },
];
