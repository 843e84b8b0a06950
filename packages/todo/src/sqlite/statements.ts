import type Database from 'better-sqlite3';
import { type BetterSQLite3Database, drizzle } from 'drizzle-orm/better-sqlite3';
import type { fieldsOf, toAuditColumns } from '../store/records.ts';
import type { CallerContext } from '../store/task-store.ts';
import { fileIdentity, openConnection } from './connection.ts';
import { migrations } from './migrations.ts';

/** Opens the database, and prepares what most calls run. */
export function connect(file: string): Connection {
  const client = openConnection(file, migrations);
  const orm: BetterSQLite3Database = drizzle(client);
  return { client, orm, statements: prepareStatements(client), identity: fileIdentity(file) };
}

export interface Connection {
  readonly client: Database.Database;
  readonly orm: BetterSQLite3Database;
  readonly statements: Statements;
  /** Of the file that was opened. */
  readonly identity: string | undefined;
}

interface OwnTask {
  readonly user: string;
  readonly id: number;
}

/** drizzle needs more time to write these statements than SQLite to run them. Lists are JSON: a statement has a fixed number of parameters. */
interface Statements {
  /** The user's next id. The first one creates the user. */
  readonly reserveId: Database.Statement<[user: string], number>;
  readonly addTask: Database.Statement<[NewRow]>;
  readonly writeAudit: Database.Statement<[AuditColumns]>;
  readonly addWords: Database.Statement<[OwnTask & { readonly words: string }]>;
  readonly removeWords: Database.Statement<[OwnTask & { readonly words: string }]>;
  /** The prefix that begins the fewest words, if it begins less than `limit`. */
  readonly rarestPrefix: Database.Statement<
    [{ readonly user: string; readonly prefixes: string; readonly last: string; readonly limit: number }],
    string
  >;
}

/** The columns of a new task in the form of SQLite. */
interface NewRow extends OwnTask, Omit<ReturnType<typeof fieldsOf>, 'waitsFor'> {
  readonly completed: 0 | 1;
  /** Unix time in whole seconds. */
  readonly createdAt: number;
  readonly waitsFor: string;
}

interface AuditColumns
  extends ReturnType<typeof toAuditColumns>, Pick<CallerContext, 'actor' | 'user' | 'tool'> {
  /** Unix time in milliseconds. */
  readonly at: number;
}

function prepareStatements(client: Database.Database): Statements {
  const reserveId: Statements['reserveId'] = client.prepare(
    `INSERT INTO users (id, last_task_id) VALUES (?, 1)
     ON CONFLICT (id) DO UPDATE SET last_task_id = last_task_id + 1 RETURNING last_task_id`,
  );
  const rarestPrefix: Statements['rarestPrefix'] = client.prepare(
    `SELECT value FROM (
       SELECT value, (SELECT count(*) FROM (
         SELECT 1 FROM task_words WHERE user_id = :user AND word >= value AND word < value || :last LIMIT :limit
       )) AS words
       FROM json_each(:prefixes)
     ) WHERE words < :limit ORDER BY words, value LIMIT 1`,
  );
  return {
    reserveId: reserveId.pluck(),
    addTask: client.prepare(
      `INSERT INTO tasks
         (user_id, id, title, description, completed, created_at, due_date, project, priority, waits_for, every)
       VALUES (:user, :id, :title, :description, :completed, :createdAt, :dueDate, :project, :priority, :waitsFor, :every)`,
    ),
    writeAudit: client.prepare(
      `INSERT INTO audit (at, actor, user, tool, outcome, task_id, changed)
       VALUES (:at, :actor, :user, :tool, :outcome, :taskId, :changed)`,
    ),
    addWords: client.prepare(
      'INSERT OR IGNORE INTO task_words (user_id, word, task_id) SELECT :user, value, :id FROM json_each(:words)',
    ),
    removeWords: client.prepare(
      'DELETE FROM task_words WHERE user_id = :user AND task_id = :id AND word IN (SELECT value FROM json_each(:words))',
    ),
    rarestPrefix: rarestPrefix.pluck(),
  };
}
