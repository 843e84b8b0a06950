CREATE TABLE `tokens` (
	`name` text PRIMARY KEY NOT NULL,
	`user` text NOT NULL,
	`sha256` text NOT NULL,
	`created` integer NOT NULL,
	`used` integer
);
