CREATE TABLE `refusals` (
	`actor` text PRIMARY KEY NOT NULL,
	`day` integer NOT NULL,
	`count` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `task_counts` (
	`user_id` text NOT NULL,
	`block` integer NOT NULL,
	`pending` integer NOT NULL,
	`completed` integer NOT NULL,
	PRIMARY KEY(`user_id`, `block`)
);
--> statement-breakpoint
INSERT INTO `task_counts` (`user_id`, `block`, `pending`, `completed`)
SELECT `user_id`, `id` / 1000, sum(NOT `completed`), sum(`completed`) FROM `tasks` GROUP BY 1, 2;
--> statement-breakpoint
CREATE TRIGGER `count_added_task` AFTER INSERT ON `tasks` BEGIN
	INSERT INTO `task_counts` (`user_id`, `block`, `pending`, `completed`)
	VALUES (new.`user_id`, new.`id` / 1000, NOT new.`completed`, new.`completed`)
	ON CONFLICT (`user_id`, `block`) DO UPDATE
	SET `pending` = `pending` + excluded.`pending`, `completed` = `completed` + excluded.`completed`;
END;
--> statement-breakpoint
CREATE TRIGGER `count_removed_task` AFTER DELETE ON `tasks` BEGIN
	UPDATE `task_counts`
	SET `pending` = `pending` - (NOT old.`completed`), `completed` = `completed` - old.`completed`
	WHERE `user_id` = old.`user_id` AND `block` = old.`id` / 1000;
END;
--> statement-breakpoint
CREATE TRIGGER `count_changed_task` AFTER UPDATE OF `completed` ON `tasks` WHEN old.`completed` <> new.`completed` BEGIN
	UPDATE `task_counts`
	SET `pending` = `pending` + old.`completed` - new.`completed`, `completed` = `completed` + new.`completed` - old.`completed`
	WHERE `user_id` = old.`user_id` AND `block` = old.`id` / 1000;
END;
