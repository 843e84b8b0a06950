/** Made by `pnpm migrations` from drizzle/schema.ts. Each one only adds: programs of different versions share the file. */
export const MIGRATIONS: readonly string[] = [
  `
CREATE TABLE "deliveries" (
	"number" integer PRIMARY KEY NOT NULL,
	"id" text NOT NULL,
	"sink" text NOT NULL,
	"origin" text,
	"after" text,
	"state" text NOT NULL,
	"rank" integer NOT NULL,
	"time" integer NOT NULL,
	"due" integer NOT NULL,
	"attempts" integer NOT NULL,
	"text" text NOT NULL,
	"owner" text NOT NULL,
	"leased" integer NOT NULL
);
CREATE INDEX "deliveries_next" ON "deliveries" ("owner","sink","state","rank","due","number","time");
CREATE INDEX "deliveries_id" ON "deliveries" ("id");
CREATE TABLE "items" (
	"number" integer PRIMARY KEY NOT NULL,
	"id" text NOT NULL,
	"kind" text NOT NULL,
	"caller" text NOT NULL,
	"user" text NOT NULL,
	"token" text,
	"project" text,
	"session" text,
	"mount" text,
	"tool" text,
	"transport" text,
	"asked" integer NOT NULL,
	"shown" integer,
	"seen" integer,
	"ended" integer,
	"outcome" text,
	"via" text,
	"display" text,
	"ms" integer,
	"content" text,
	"owner" text NOT NULL,
	"changed" integer NOT NULL
);
CREATE UNIQUE INDEX "items_id_unique" ON "items" ("id");
CREATE INDEX "items_asked" ON "items" ("asked");
CREATE INDEX "items_changed" ON "items" ("changed");
CREATE INDEX "items_open" ON "items" ("number") WHERE outcome IS NULL;
CREATE INDEX "items_content" ON "items" ("number") WHERE content IS NOT NULL;
CREATE TABLE "states" (
	"name" text PRIMARY KEY NOT NULL,
	"value" text NOT NULL
);
`,
];
