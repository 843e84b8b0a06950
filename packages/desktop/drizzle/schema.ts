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

/** What a sink of log-notify still has to do with a notification. Times are milliseconds since 1970. */
export const deliveries = sqliteTable(
  'deliveries',
  {
    /** The order in which they came. */
    number: integer().primaryKey(),
    /** Of the notification. */
    id: text().notNull(),
    /** Where it goes. The same target has the same key in all processes. */
    sink: text().notNull(),
    /** JSON: where the sink is configured. */
    origin: text(),
    /** The sink that has it now: this one gets it if the person does not see it there. */
    after: text(),
    state: text().notNull(),
    /** What comes later has a higher one. */
    rank: integer().notNull(),
    time: integer().notNull(),
    /** Of the next step: an attempt, the summary, the next sink of a rule. */
    due: integer().notNull(),
    /** Of what is lost: how many notifications. */
    attempts: integer().notNull(),
    /** JSON: the notification. */
    text: text().notNull(),
    /** The process that delivers it, see src/files/owner.ts. */
    owner: text().notNull(),
    /** When the owner said that it lives. */
    leased: integer().notNull(),
  },
  (table) => [
    // All that is counted, and the order in which a sink gets them.
    index('deliveries_next').on(
      table.owner,
      table.sink,
      table.state,
      table.rank,
      table.due,
      table.number,
      table.time,
    ),
    index('deliveries_id').on(table.id),
  ],
);
