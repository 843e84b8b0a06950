import { hasPostgres } from '@deskside/testkit';
import type { Benchmark } from './benchmark.ts';
import { measureLoopDelay } from './todo/loop-delay.ts';
import { measurePostgres } from './todo/postgres.ts';
import { measureSqliteReads, measureWrites } from './todo/sqlite.ts';

export const todo: Benchmark = {
  name: 'todo',
  title: 'todo: adding, listing and searching on SQLite and PostgreSQL',
  async run() {
    const writes = await measureWrites();
    const loop = await measureLoopDelay();
    const reads = await measureSqliteReads();
    const postgres = hasPostgres ? await measurePostgres() : [];
    return {
      compared:
        'The task store of todo on an SQLite file, beside bare better-sqlite3 with the same journal and the same waits for the disk (`WAL`, ' +
        '`synchronous=FULL`) and a task with an audit row per transaction. Servers over HTTP on one PostgreSQL server, beside ' +
        'pgbench on the same server.',
      method:
        'Wall time. Adding: rounds in random order after a warm-up. The delay of the event loop is that of `monitorEventLoopDelay` in the ' +
        'server, with 500 connections. A million tasks are inserted with SQL. PostgreSQL: runs of three seconds in random order, with ' +
        'the servers, the clients, pgbench and the database on one machine and `fsync` on.',
      tables: [writes.table, loop.table, reads, ...postgres],
      ratios: [writes.ratio, ...loop.ratios],
      caveats: [
        'SQLite stops at one writer: more processes on one file do not add tasks faster. Adds at once share a wait for the disk; the ' +
          'faster the disk, the less they gain, because the processor time of an add stays. Half of it is the search ' +
          'index. Runs on one machine, whose disk is shared, gave ratios from 4 to 20.',
        'On SQLite the first page and a search for a rare word stay at some milliseconds with a million tasks of a user. A search for a ' +
          'word that all of them have reads a million entries of the index: up to a tenth of a second, in which the server answers ' +
          'nothing else.',
        'On PostgreSQL the changes of one user wait for each other, so only more users make more of them at once. Here the servers, ' +
          'the clients and the database share the processors: one server uses them up, and further servers cost processor time per call ' +
          'without more throughput. Servers on separate machines were not measured; beyond them, the database is the limit, and ' +
          'pgbench shows how far away it is.',
        "A search on PostgreSQL reads the user's tasks from the newest until the page is full: it is fast for a word of many tasks, and " +
          'for a rare word its time grows with the number of tasks.',
        ...(hasPostgres ? [] : ['PostgreSQL was not installed.']),
      ],
    };
  },
};
