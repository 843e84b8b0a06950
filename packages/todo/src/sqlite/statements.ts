import { sql } from 'drizzle-orm';
import type Database from 'better-sqlite3';
import { type BetterSQLite3Database, drizzle } from 'drizzle-orm/better-sqlite3';
import { MAX_REFUSALS_PER_DAY } from '../store/task-store.ts';
import { fileIdentity, openConnection } from './connection.ts';
import { migrations } from './migrations.ts';
import { audit, refusals, tasks, users } from './schema.ts';

/** Opens the database, and prepares what most calls run. */
export function connect(file: string): Connection {
  const client = openConnection(file, migrations);
  const orm: BetterSQLite3Database = drizzle(client);
  return { client, orm, statements: prepareStatements(orm), identity: fileIdentity(file) };
}

export interface Connection {
  readonly client: Database.Database;
  readonly orm: BetterSQLite3Database;
  readonly statements: ReturnType<typeof prepareStatements>;
  /** Of the file that was opened. */
  readonly identity: string | undefined;
}

/** drizzle needs more time to write these statements than SQLite needs to run them. */
function prepareStatements(orm: BetterSQLite3Database) {
  const value = sql.placeholder;
  const today = sql`${refusals.day} = excluded.day`;
  return {
    /** The user's next id. The first one creates the user. */
    reserveId: orm
      .insert(users)
      .values({ id: value('user'), lastTaskId: 1 })
      .onConflictDoUpdate({ target: users.id, set: { lastTaskId: sql`${users.lastTaskId} + 1` } })
      .returning({ id: users.lastTaskId })
      .prepare(),
    addTask: orm
      .insert(tasks)
      .values({
        userId: value('user'),
        id: value('id'),
        title: value('title'),
        description: value('description'),
        completed: value('completed'),
        createdAt: value('createdAt'),
        dueDate: value('dueDate'),
      })
      .returning()
      .prepare(),
    /** Counts a refused call of a day, and returns nothing if the day has enough of them. */
    countRefusal: orm
      .insert(refusals)
      .values({ actor: value('actor'), day: value('day'), count: 1 })
      .onConflictDoUpdate({
        target: refusals.actor,
        set: { day: sql`excluded.day`, count: sql`CASE WHEN ${today} THEN ${refusals.count} + 1 ELSE 1 END` },
        setWhere: sql`NOT ${today} OR ${refusals.count} < ${MAX_REFUSALS_PER_DAY}`,
      })
      .returning({ count: refusals.count })
      .prepare(),
    writeAudit: orm
      .insert(audit)
      .values({
        at: value('at'),
        actor: value('actor'),
        user: value('user'),
        tool: value('tool'),
        outcome: value('outcome'),
        taskId: value('taskId'),
        changed: value('changed'),
      })
      .prepare(),
  };
}
