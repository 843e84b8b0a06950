import { defineCommand } from '@deskside/core/program';
import { StartError } from '@deskside/core/errors';
import { todoOptions } from '../options.ts';
import { migrateDatabase } from '../postgres/prepare.ts';
import { isPostgresUrl, withoutPassword } from '../store/database-path.ts';
import { StoreUnavailable } from '../store/task-store.ts';

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
      const { before, after } = await migrateDatabase({ url: database, migrationUrl });
      const change = before === after ? 'unchanged' : `migrated from version ${before}`;
      print(`${withoutPassword(database)} has schema version ${after}, ${change}.`);
    } catch (error) {
      throw error instanceof StoreUnavailable ? new StartError(error.reason, { cause: error }) : error;
    }
  },
});
