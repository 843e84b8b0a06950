import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { defineCommand } from '@deskside/core/program';
import { messageOf, StartError } from '@deskside/core/errors';
import { isPostgresUrl } from '../store/database-path.ts';
import { storeOptions } from './with-store.ts';

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
    const { copyDatabase } = await import('../sqlite/copy.ts');
    try {
      copyDatabase(source, copy);
    } catch (error) {
      throw new StartError(`The backup failed: ${messageOf(error)}.`, { cause: error });
    }
    context.print(`Saved ${source} to ${copy}.`);
  },
});
