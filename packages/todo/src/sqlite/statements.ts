import { sql } from 'drizzle-orm';
import type Database from 'better-sqlite3';
import { type BetterSQLite3Database, drizzle } from 'drizzle-orm/better-sqlite3';
import type { TaskText } from '../store/words.ts';
import { fileIdentity, openConnection } from './connection.ts';
import { migrations } from './migrations.ts';
import { audit, tasks, users } from './schema.ts';

/** Opens the database, and prepares what most calls run. */
export function connect(file: string): Connection {
  const client = openConnection(file, migrations);
  const orm: BetterSQLite3Database = drizzle(client);
  const statements = { ...prepareStatements(orm), ...prepareWords(client) };
  return { client, orm, statements, identity: fileIdentity(file) };
}

export interface Connection {
  readonly client: Database.Database;
  readonly orm: BetterSQLite3Database;
  readonly statements: ReturnType<typeof prepareStatements> & WordStatements;
  /** Of the file that was opened. */
  readonly identity: string | undefined;
}

/** drizzle needs more time to write these statements than SQLite needs to run them. */
function prepareStatements(orm: BetterSQLite3Database) {
  const value = sql.placeholder;
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
        project: value('project'),
        priority: value('priority'),
        waitsFor: value('waitsFor'),
        every: value('every'),
        hasWords: true,
      })
      .returning()
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

interface OwnTask {
  readonly user: string;
  readonly id: number;
}

/** Lists are JSON, because a statement has a fixed number of parameters. */
interface WordStatements {
  readonly addWords: Database.Statement<[OwnTask & { readonly words: string }]>;
  readonly removeWords: Database.Statement<[OwnTask & { readonly words: string }]>;
  readonly setHasWords: Database.Statement<[OwnTask & { readonly hasWords: 0 | 1 }]>;
  /** Tasks that a process of an earlier version has written. */
  readonly tasksWithoutWords: Database.Statement<
    [{ readonly user: string; readonly limit: number }],
    TaskText & { readonly id: number }
  >;
  /** The prefix that begins the fewest words, if it begins less than `limit`. */
  readonly rarestPrefix: Database.Statement<
    [{ readonly user: string; readonly prefixes: string; readonly last: string; readonly limit: number }],
    string
  >;
}

function prepareWords(client: Database.Database): WordStatements {
  const rarestPrefix: WordStatements['rarestPrefix'] = client.prepare(
    `SELECT value FROM (
       SELECT value, (SELECT count(*) FROM (
         SELECT 1 FROM task_words WHERE user_id = :user AND word >= value AND word < value || :last LIMIT :limit
       )) AS words
       FROM json_each(:prefixes)
     ) WHERE words < :limit ORDER BY words, value LIMIT 1`,
  );
  return {
    addWords: client.prepare(
      'INSERT OR IGNORE INTO task_words (user_id, word, task_id) SELECT :user, value, :id FROM json_each(:words)',
    ),
    removeWords: client.prepare(
      'DELETE FROM task_words WHERE user_id = :user AND task_id = :id AND word IN (SELECT value FROM json_each(:words))',
    ),
    setHasWords: client.prepare('UPDATE tasks SET has_words = :hasWords WHERE user_id = :user AND id = :id'),
    tasksWithoutWords: client.prepare(
      'SELECT id, title, description FROM tasks WHERE user_id = :user AND NOT has_words LIMIT :limit',
    ),
    rarestPrefix: rarestPrefix.pluck(),
  };
}
