import { sql } from 'drizzle-orm';
import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';

/** One row per item. Times are milliseconds since 1970; see src/journal/records.ts for the other columns. */
export const items = sqliteTable(
  'items',
  {
    /** The order in which the items began: a clock may jump. */
    number: integer().primaryKey(),
    id: text().notNull().unique(),
    kind: text().notNull(),
    caller: text().notNull(),
    user: text().notNull(),
    token: text(),
    project: text(),
    session: text(),
    mount: text(),
    tool: text(),
    transport: text(),
    asked: integer().notNull(),
    shown: integer(),
    seen: integer(),
    ended: integer(),
    outcome: text(),
    via: text(),
    display: text(),
    ms: integer(),
    /** JSON: the texts. */
    content: text(),
    /** The process that wrote it last, see src/files/owner.ts. */
    owner: text().notNull(),
    /** Of the group of writes that changed it last. */
    changed: integer().notNull(),
  },
  (table) => [
    index('items_asked').on(table.asked),
    index('items_changed').on(table.changed),
    index('items_open')
      .on(table.number)
      .where(sql`outcome IS NULL`),
    index('items_content')
      .on(table.number)
      .where(sql`content IS NOT NULL`),
  ],
);

/** What holds now, by name: "Not now", and how long items are kept. */
export const states = sqliteTable('states', {
  name: text().primaryKey(),
  value: text().notNull(),
});
