import { hasPostgres } from '@deskside/testkit';
import type { Benchmark } from './benchmark.ts';
import { measurePostgresAdds, measurePostgresSearch } from './todo/postgres.ts';
import { measureSqliteSearch, measureWrites } from './todo/sqlite.ts';

export const todo: Benchmark = {
  name: 'todo',
  title: 'todo: adding and searching',
  method:
    'The task store on an SQLite file, beside bare better-sqlite3 with the same journal (`WAL`, `synchronous=FULL`) and a task with an ' +
    'audit row per transaction. Wall time, in random order. PostgreSQL is on the same machine, with `fsync`. ' +
    'The faster the disk, the less adds at once gain: runs on one machine gave ratios from 4 to 20.',
  misses: {
    'todo on PostgreSQL, an add to one bare function call with pg, CPU':
      'runs are on both sides of the target',
  },
  async run() {
    const parts = [await measureWrites(), await measureSqliteSearch()];
    if (hasPostgres) parts.push(await measurePostgresAdds(), await measurePostgresSearch());
    return {
      numbers: Object.assign({}, ...parts.map(({ numbers }) => numbers)),
      ratios: parts.flatMap(({ ratios }) => ratios),
    };
  },
};
