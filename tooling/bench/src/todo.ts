import { hasPostgres } from '@deskside/testkit';
import type { Benchmark } from './benchmark.ts';
import { measureClaims } from './todo/claims.ts';
import { measureLoopDelay } from './todo/loop-delay.ts';
import { measurePostgresAdds, measurePostgresSearch } from './todo/postgres.ts';
import { measureSqliteSearch, measureWrites } from './todo/sqlite.ts';

export const todo: Benchmark = {
  name: 'todo',
  title: 'todo: adding, claiming and searching',
  method:
    'The task store on an SQLite file, beside bare better-sqlite3 with the same journal (`WAL`, `synchronous=FULL`) and a task with an ' +
    'audit row per transaction. Wall time, in random order. The delay of the event loop is that of a server over ' +
    'HTTP with 500 connections. PostgreSQL is on the same machine, with `fsync`. The agents choose a task, work for 20 ms and complete it.',
  misses: {
    'event loop under 500 parallel adds above idle, p99, ms':
      'groups of adds, of 5 ms each, hold the event loop',
  },
  caveats: ['The faster the disk, the less adds at once gain: runs on one machine gave ratios from 4 to 20.'],
  async run() {
    const parts = [await measureWrites(), await measureLoopDelay(), await measureSqliteSearch()];
    parts.push(await measureClaims());
    if (hasPostgres) parts.push(await measurePostgresAdds(), await measurePostgresSearch());
    return {
      numbers: Object.assign({}, ...parts.map(({ numbers }) => numbers)),
      ratios: parts.flatMap(({ ratios }) => ratios),
    };
  },
};
