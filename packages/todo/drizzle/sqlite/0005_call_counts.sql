CREATE TABLE `call_counts` (
	`actor` text NOT NULL,
	`day` integer NOT NULL,
	`tool` text NOT NULL,
	`outcome` text NOT NULL,
	`calls` integer NOT NULL,
	PRIMARY KEY(`actor`, `day`, `tool`, `outcome`)
);
