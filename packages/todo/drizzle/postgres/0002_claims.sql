ALTER TABLE "deskside_todo"."deleted_tasks" ADD COLUMN "project" text;--> statement-breakpoint
ALTER TABLE "deskside_todo"."deleted_tasks" ADD COLUMN "priority" integer;--> statement-breakpoint
ALTER TABLE "deskside_todo"."deleted_tasks" ADD COLUMN "waits_for" bigint[] DEFAULT '{}' NOT NULL;--> statement-breakpoint
ALTER TABLE "deskside_todo"."tasks" ADD COLUMN "project" text;--> statement-breakpoint
ALTER TABLE "deskside_todo"."tasks" ADD COLUMN "priority" integer;--> statement-breakpoint
ALTER TABLE "deskside_todo"."tasks" ADD COLUMN "waits_for" bigint[] DEFAULT '{}' NOT NULL;--> statement-breakpoint
ALTER TABLE "deskside_todo"."tasks" ADD COLUMN "claimed_by" text;--> statement-breakpoint
ALTER TABLE "deskside_todo"."tasks" ADD COLUMN "claim_key" text;--> statement-breakpoint
ALTER TABLE "deskside_todo"."tasks" ADD COLUMN "claimed_until" timestamp with time zone;