ALTER TABLE `deleted_tasks` ADD `project` text;--> statement-breakpoint
ALTER TABLE `deleted_tasks` ADD `priority` integer;--> statement-breakpoint
ALTER TABLE `deleted_tasks` ADD `waits_for` text DEFAULT '[]' NOT NULL;--> statement-breakpoint
ALTER TABLE `tasks` ADD `project` text;--> statement-breakpoint
ALTER TABLE `tasks` ADD `priority` integer;--> statement-breakpoint
ALTER TABLE `tasks` ADD `waits_for` text DEFAULT '[]' NOT NULL;--> statement-breakpoint
ALTER TABLE `tasks` ADD `claimed_by` text;--> statement-breakpoint
ALTER TABLE `tasks` ADD `claim_key` text;--> statement-breakpoint
ALTER TABLE `tasks` ADD `claimed_until` integer;