import { hasPostgres } from '@deskside/testkit';
import type { Benchmark } from './benchmark.ts';
import { measurePostgres } from './todo/postgres.ts';
import { measureSqlite } from './todo/sqlite.ts';

export const todo: Benchmark = {
  name: 'todo',
  title: 'todo: adding, listing and searching on SQLite and PostgreSQL',
  async run() {
    const { writes, reads, atOnceToBare } = await measureSqlite();
    const postgres = hasPostgres ? [await measurePostgres()] : [];
    return {
      compared:
        'The task store of todo on an SQLite file, beside bare better-sqlite3 with the same journal and the same waits for the disk (`WAL`, ' +
        '`synchronous=FULL`) and a task with an audit row per transaction. Servers over HTTP on one PostgreSQL server, beside ' +
        'pgbench on the same server.',
      method:
        'SQLite: rounds of all works in random order after a warm-up, wall time, median. PostgreSQL: ten seconds each, with ' +
        'the programs, the clients, pgbench and the database on one machine and `fsync` on.',
      tables: [writes, reads, ...postgres],
      ratios: [
        {
          title: '32 adds at once, times faster than bare better-sqlite3 one by one',
          value: atOnceToBare,
          target: { atLeast: 5 },
        },
      ],
      caveats: [
        'On SQLite one process writes at a time: more processes on one file do not add tasks faster.',
        'A search on SQLite stays fast with a million tasks as long as few tasks match; a word of every task is counted up to 1,000.',
        'On PostgreSQL the changes of one user wait for each other; servers scale with the number of users until the disk or the processors of the database are busy.',
        ...(hasPostgres ? [] : ['PostgreSQL was not installed.']),
      ],
    };
  },
};
