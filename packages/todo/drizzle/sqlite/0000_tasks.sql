CREATE TABLE `audit` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`at` integer NOT NULL,
	`actor` text NOT NULL,
	`user` text NOT NULL,
	`tool` text NOT NULL,
	`outcome` text NOT NULL,
	`task_id` integer,
	`changed` text
);
--> statement-breakpoint
CREATE TABLE `tasks` (
	`user_id` text NOT NULL,
	`id` integer NOT NULL,
	`title` text NOT NULL,
	`description` text,
	`completed` integer NOT NULL,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`user_id`, `id`),
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `tasks_by_status` ON `tasks` (`user_id`,`completed`,`id`);--> statement-breakpoint
CREATE TABLE `users` (
	`id` text PRIMARY KEY NOT NULL,
	`last_task_id` integer NOT NULL
);
