CREATE TABLE "deskside_todo"."task_words" (
	"user_id" text NOT NULL,
	"word" text COLLATE "C" NOT NULL,
	"task_id" bigint NOT NULL,
	CONSTRAINT "task_words_pkey" PRIMARY KEY("user_id","word","task_id")
);
--> statement-breakpoint
ALTER TABLE "deskside_todo"."task_words" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE "deskside_todo"."deleted_tasks" DROP COLUMN "words";--> statement-breakpoint
ALTER TABLE "deskside_todo"."tasks" DROP COLUMN "words";--> statement-breakpoint
CREATE POLICY "own_rows" ON "deskside_todo"."task_words" AS PERMISSIVE FOR ALL TO public USING (user_id = current_setting('deskside.user_id', true));--> statement-breakpoint
ALTER TABLE "deskside_todo"."task_words" FORCE ROW LEVEL SECURITY;
