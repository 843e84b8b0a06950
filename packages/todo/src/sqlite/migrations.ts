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
CREATE TABLE "tasks" (
	"user_id" text NOT NULL,
	"id" integer NOT NULL,
	"title" text NOT NULL,
	"description" text,
	"completed" integer NOT NULL,
	"created_at" integer NOT NULL,
	PRIMARY KEY("user_id", "id"),
	FOREIGN KEY ("user_id") REFERENCES "users"("id") ON UPDATE no action ON DELETE no action
) STRICT;
CREATE INDEX "tasks_by_status" ON "tasks" ("user_id","completed","id");
CREATE TABLE "users" (
	"id" text PRIMARY KEY NOT NULL,
	"last_task_id" integer NOT NULL
) STRICT;
`,
  },
  {
    name: '0001_counters',
    sql: `
CREATE TABLE "refusals" (
	"actor" text PRIMARY KEY NOT NULL,
	"day" integer NOT NULL,
	"count" integer NOT NULL
) STRICT;
CREATE TABLE "task_counts" (
	"user_id" text NOT NULL,
	"block" integer NOT NULL,
	"pending" integer NOT NULL,
	"completed" integer NOT NULL,
	PRIMARY KEY("user_id", "block")
) STRICT;
INSERT INTO "task_counts" ("user_id", "block", "pending", "completed")
SELECT "user_id", "id" / 1000, sum(NOT "completed"), sum("completed") FROM "tasks" GROUP BY 1, 2;
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
  {
    name: '0002_beyond_the_contract',
    sql: `
CREATE TABLE "deleted_tasks" (
	"user_id" text NOT NULL,
	"id" integer NOT NULL,
	"title" text NOT NULL,
	"description" text,
	"completed" integer NOT NULL,
	"created_at" integer NOT NULL,
	"due_date" text,
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
CREATE TABLE "task_rows" (
	"row" integer PRIMARY KEY NOT NULL,
	"user_id" text NOT NULL,
	"id" integer NOT NULL
) STRICT;
CREATE UNIQUE INDEX "task_rows_by_id" ON "task_rows" ("user_id","id");
ALTER TABLE "tasks" ADD "due_date" text;
CREATE INDEX "tasks_by_due_date" ON "tasks" ("user_id","due_date") WHERE "tasks"."due_date" IS NOT NULL;
CREATE VIRTUAL TABLE "task_search" USING fts5(
	"owner", "title", "description", content='', contentless_delete=1,
	tokenize="unicode61 remove_diacritics 2 categories 'L* N* Co Mn Mc'"
);
INSERT INTO "task_rows" ("user_id", "id") SELECT "user_id", "id" FROM "tasks" ORDER BY "user_id", "id";
INSERT INTO "task_search" (rowid, "owner", "title", "description")
SELECT "row", 'u' || hex("user_id"), "title", "description" FROM "task_rows" JOIN "tasks" USING ("user_id", "id");
CREATE TRIGGER "index_added_task" AFTER INSERT ON "tasks" BEGIN
	INSERT OR IGNORE INTO "task_rows" ("user_id", "id") VALUES (new."user_id", new."id");
	INSERT INTO "task_search" (rowid, "owner", "title", "description")
	SELECT "row", 'u' || hex(new."user_id"), new."title", new."description"
	FROM "task_rows" WHERE "user_id" = new."user_id" AND "id" = new."id";
END;
CREATE TRIGGER "index_removed_task" AFTER DELETE ON "tasks" BEGIN
	DELETE FROM "task_search"
	WHERE rowid = (SELECT "row" FROM "task_rows" WHERE "user_id" = old."user_id" AND "id" = old."id");
END;
CREATE TRIGGER "index_changed_task" AFTER UPDATE OF "title", "description" ON "tasks" BEGIN
	UPDATE "task_search"
	SET "owner" = 'u' || hex(new."user_id"), "title" = new."title", "description" = new."description"
	WHERE rowid = (SELECT "row" FROM "task_rows" WHERE "user_id" = new."user_id" AND "id" = new."id");
END;
`,
  },
  {
    name: '0003_words',
    sql: `
CREATE TABLE "task_words" (
	"user_id" text NOT NULL,
	"word" text NOT NULL,
	"task_id" integer NOT NULL,
	PRIMARY KEY("user_id", "word", "task_id")
) STRICT, WITHOUT ROWID;
DROP TRIGGER "index_added_task";
DROP TRIGGER "index_removed_task";
DROP TRIGGER "index_changed_task";
DROP TABLE "task_search";
DROP TABLE "task_rows";
ALTER TABLE "tasks" ADD "has_words" integer DEFAULT false NOT NULL;
INSERT INTO "task_words" ("user_id", "word", "task_id")
SELECT "user_id", "value", "tasks"."id" FROM "tasks", json_each(words_of("title", "description")) ORDER BY 1, 2, 3;
UPDATE "tasks" SET "has_words" = true;
CREATE INDEX "tasks_without_words" ON "tasks" ("user_id","id") WHERE NOT has_words;
CREATE TRIGGER "forget_words_of_changed_task" AFTER UPDATE OF "title", "description" ON "tasks"
WHEN old."has_words" AND new."has_words" AND (old."title" <> new."title" OR old."description" IS NOT new."description") BEGIN
	DELETE FROM "task_words" WHERE "user_id" = old."user_id" AND "task_id" = old."id";
	UPDATE "tasks" SET "has_words" = false WHERE "user_id" = old."user_id" AND "id" = old."id";
END;
CREATE TRIGGER "forget_words_of_removed_task" AFTER DELETE ON "tasks" WHEN old."has_words" BEGIN
	DELETE FROM "task_words" WHERE "user_id" = old."user_id" AND "task_id" = old."id";
END;
`,
  },
  {
    name: '0004_claims',
    sql: `
ALTER TABLE "deleted_tasks" ADD "project" text;
ALTER TABLE "deleted_tasks" ADD "priority" integer;
ALTER TABLE "deleted_tasks" ADD "waits_for" text DEFAULT '[]' NOT NULL;
ALTER TABLE "tasks" ADD "project" text;
ALTER TABLE "tasks" ADD "priority" integer;
ALTER TABLE "tasks" ADD "waits_for" text DEFAULT '[]' NOT NULL;
ALTER TABLE "tasks" ADD "claimed_by" text;
ALTER TABLE "tasks" ADD "claim_key" text;
ALTER TABLE "tasks" ADD "claimed_until" integer;
`,
  },
  {
    name: '0005_call_counts',
    sql: `
CREATE TABLE "call_counts" (
	"actor" text NOT NULL,
	"day" integer NOT NULL,
	"tool" text NOT NULL,
	"outcome" text NOT NULL,
	"calls" integer NOT NULL,
	PRIMARY KEY("actor", "day", "tool", "outcome")
) STRICT;
`,
  },
  {
    name: '0006_tokens',
    sql: `
CREATE TABLE "tokens" (
	"name" text PRIMARY KEY NOT NULL,
	"user" text NOT NULL,
	"sha256" text NOT NULL,
	"created" integer NOT NULL,
	"used" integer
) STRICT;
`,
  },
  {
    name: '0007_recurrence',
    sql: `
ALTER TABLE "deleted_tasks" ADD "every" text;
ALTER TABLE "deleted_tasks" ADD "next_id" integer;
ALTER TABLE "tasks" ADD "every" text;
ALTER TABLE "tasks" ADD "next_id" integer;
`,
  },
  {
    name: '0008_letters',
    sql: `
-- A process of an earlier version, which may still run, writes words with these letters. Nothing would delete them.
CREATE TRIGGER "fold_word" AFTER INSERT ON "task_words" WHEN new."word" GLOB '*[ıßđħłøŧ]*' BEGIN
	INSERT OR IGNORE INTO "task_words" ("user_id", "word", "task_id")
	SELECT new."user_id", replace(replace(replace(replace(replace(replace(replace(
		new."word", 'ı', 'i'), 'ß', 'ss'), 'đ', 'd'), 'ħ', 'h'), 'ł', 'l'), 'ø', 'o'), 'ŧ', 't'), new."task_id";
	DELETE FROM "task_words" WHERE "user_id" = new."user_id" AND "word" = new."word" AND "task_id" = new."task_id";
END;
-- What is there passes through the trigger.
INSERT OR REPLACE INTO "task_words" SELECT * FROM "task_words" WHERE "word" GLOB '*[ıßđħłøŧ]*';
`,
  },
];
