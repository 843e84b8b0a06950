CREATE TABLE `deleted_tasks` (
	`user_id` text NOT NULL,
	`id` integer NOT NULL,
	`title` text NOT NULL,
	`description` text,
	`completed` integer NOT NULL,
	`created_at` integer NOT NULL,
	`due_date` text,
	`deleted_at` integer NOT NULL,
	PRIMARY KEY(`user_id`, `id`)
);
--> statement-breakpoint
CREATE INDEX `deleted_tasks_by_time` ON `deleted_tasks` (`user_id`,`deleted_at`);--> statement-breakpoint
CREATE TABLE `idempotency_keys` (
	`user_id` text NOT NULL,
	`key` text NOT NULL,
	`digest` text NOT NULL,
	`task_id` integer NOT NULL,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`user_id`, `key`)
);
--> statement-breakpoint
CREATE INDEX `idempotency_keys_by_time` ON `idempotency_keys` (`user_id`,`created_at`);--> statement-breakpoint
CREATE TABLE `task_rows` (
	`row` integer PRIMARY KEY NOT NULL,
	`user_id` text NOT NULL,
	`id` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `task_rows_by_id` ON `task_rows` (`user_id`,`id`);--> statement-breakpoint
ALTER TABLE `tasks` ADD `due_date` text;--> statement-breakpoint
CREATE INDEX `tasks_by_due_date` ON `tasks` (`user_id`,`due_date`) WHERE "tasks"."due_date" IS NOT NULL;
--> statement-breakpoint
CREATE VIRTUAL TABLE `task_search` USING fts5(
	`owner`, `title`, `description`, content='', contentless_delete=1,
	tokenize="unicode61 remove_diacritics 2 categories 'L* N* Co Mn Mc'"
);
--> statement-breakpoint
INSERT INTO `task_rows` (`user_id`, `id`) SELECT `user_id`, `id` FROM `tasks` ORDER BY `user_id`, `id`;
--> statement-breakpoint
INSERT INTO `task_search` (rowid, `owner`, `title`, `description`)
SELECT `row`, 'u' || hex(`user_id`), `title`, `description` FROM `task_rows` JOIN `tasks` USING (`user_id`, `id`);
--> statement-breakpoint
CREATE TRIGGER `index_added_task` AFTER INSERT ON `tasks` BEGIN
	INSERT OR IGNORE INTO `task_rows` (`user_id`, `id`) VALUES (new.`user_id`, new.`id`);
	INSERT INTO `task_search` (rowid, `owner`, `title`, `description`)
	SELECT `row`, 'u' || hex(new.`user_id`), new.`title`, new.`description`
	FROM `task_rows` WHERE `user_id` = new.`user_id` AND `id` = new.`id`;
END;
--> statement-breakpoint
CREATE TRIGGER `index_removed_task` AFTER DELETE ON `tasks` BEGIN
	DELETE FROM `task_search`
	WHERE rowid = (SELECT `row` FROM `task_rows` WHERE `user_id` = old.`user_id` AND `id` = old.`id`);
END;
--> statement-breakpoint
CREATE TRIGGER `index_changed_task` AFTER UPDATE OF `title`, `description` ON `tasks` BEGIN
	UPDATE `task_search`
	SET `owner` = 'u' || hex(new.`user_id`), `title` = new.`title`, `description` = new.`description`
	WHERE rowid = (SELECT `row` FROM `task_rows` WHERE `user_id` = new.`user_id` AND `id` = new.`id`);
END;
