ALTER TABLE `deleted_tasks` ADD `every` text;--> statement-breakpoint
ALTER TABLE `deleted_tasks` ADD `next_id` integer;--> statement-breakpoint
ALTER TABLE `tasks` ADD `every` text;--> statement-breakpoint
ALTER TABLE `tasks` ADD `next_id` integer;