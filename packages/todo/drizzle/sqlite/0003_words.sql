CREATE TABLE `task_words` (
	`user_id` text NOT NULL,
	`word` text NOT NULL,
	`task_id` integer NOT NULL,
	PRIMARY KEY(`user_id`, `word`, `task_id`)
) WITHOUT ROWID;
--> statement-breakpoint
DROP TRIGGER `index_added_task`;--> statement-breakpoint
DROP TRIGGER `index_removed_task`;--> statement-breakpoint
DROP TRIGGER `index_changed_task`;--> statement-breakpoint
DROP TABLE `task_search`;--> statement-breakpoint
DROP TABLE `task_rows`;--> statement-breakpoint
ALTER TABLE `tasks` ADD `has_words` integer DEFAULT false NOT NULL;--> statement-breakpoint
INSERT INTO `task_words` (`user_id`, `word`, `task_id`)
SELECT `user_id`, `value`, `tasks`.`id` FROM `tasks`, json_each(words_of(`title`, `description`)) ORDER BY 1, 2, 3;
--> statement-breakpoint
UPDATE `tasks` SET `has_words` = true;
--> statement-breakpoint
CREATE INDEX `tasks_without_words` ON `tasks` (`user_id`,`id`) WHERE NOT has_words;
--> statement-breakpoint
CREATE TRIGGER `forget_words_of_changed_task` AFTER UPDATE OF `title`, `description` ON `tasks`
WHEN old.`has_words` AND new.`has_words` AND (old.`title` <> new.`title` OR old.`description` IS NOT new.`description`) BEGIN
	DELETE FROM `task_words` WHERE `user_id` = old.`user_id` AND `task_id` = old.`id`;
	UPDATE `tasks` SET `has_words` = false WHERE `user_id` = old.`user_id` AND `id` = old.`id`;
END;
--> statement-breakpoint
CREATE TRIGGER `forget_words_of_removed_task` AFTER DELETE ON `tasks` WHEN old.`has_words` BEGIN
	DELETE FROM `task_words` WHERE `user_id` = old.`user_id` AND `task_id` = old.`id`;
END;
