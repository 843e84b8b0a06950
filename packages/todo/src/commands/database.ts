import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { defineCommand } from '@deskside/core/program';
import { messageOf, StartError } from '@deskside/core/errors';
import { todoOptions } from '../options.ts';
import { isPostgresUrl, withoutPassword } from '../store/database-path.ts';
import { StoreUnavailable } from '../store/task-store.ts';
import { storeOptions } from './store-command.ts';

export const backup = defineCommand({
  options: storeOptions,
  operands: 'FILE',
  details:
    'Writes a complete copy of an SQLite database to a new file that only you can read. Servers may run and change tasks meanwhile. Use pg_dump for PostgreSQL.',
  examples: ['deskside-todo backup ~/todo-2026-11-30.sqlite'],
  async run({ database }, context) {
    const [target = ''] = context.operands;
    if (isPostgresUrl(database))
      throw new StartError('This command copies SQLite files. Use pg_dump for PostgreSQL.');
    if (database === '')
      throw new StartError('This user has no home folder. Choose the database with --database.');
    const [source, copy] = [resolve(database), resolve(target)];
    if (!existsSync(source))
      throw new StartError(`${source} does not exist. Choose the database with --database.`);
    if (existsSync(copy)) throw new StartError(`${copy} exists. Choose a new file.`);
    const { copyDatabase } = await import('../sqlite/migrate.ts');
    try {
      copyDatabase(source, copy);
    } catch (error) {
      throw new StartError(`The backup failed: ${messageOf(error)}.`, { cause: error });
    }
    context.print(`Saved ${source} to ${copy}.`);
  },
});

export const migrate = defineCommand({
  options: todoOptions,
  details:
    'Connects with TODO_MIGRATION_URL if it is set, and gives the role of TODO_DATABASE_URL the rights that a server needs. A server migrates by itself if its own role may do so. SQLite files are always migrated by the first call.',
  examples: [
    'TODO_DATABASE_URL=postgres://app@db/todo TODO_MIGRATION_URL=postgres://owner@db/todo deskside-todo migrate',
  ],
  async run({ database, migrationUrl }, { print }) {
    if (!isPostgresUrl(database)) {
      throw new StartError(
        'The database is an SQLite file, which the first call migrates. Pass a postgres:// URL.',
      );
    }
    try {
      const { migrateDatabase } = await import('../postgres/migrate.ts');
      const { before, after } = await migrateDatabase({ url: database, migrationUrl });
      const change = before === after ? 'unchanged' : `migrated from version ${before}`;
      print(`${withoutPassword(database)} has schema version ${after}, ${change}.`);
    } catch (error) {
      throw error instanceof StoreUnavailable ? new StartError(error.reason, { cause: error }) : error;
    }
  },
});
