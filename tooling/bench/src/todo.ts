import { hasPostgres } from '@deskside/testkit';
import type { Benchmark } from './benchmark.ts';
import { measureLoopDelay } from './todo/loop-delay.ts';
import { measurePostgres } from './todo/postgres.ts';
import { measureSqliteReads, measureWrites } from './todo/sqlite.ts';

export const todo: Benchmark = {
  name: 'todo',
  title: 'todo: adding, listing and searching',
  meaning: 'Many calls at once are faster than single inserts, and no call blocks the others.',
  method:
    'The task store on an SQLite file, beside bare better-sqlite3 with the same journal and the same waits for the disk (`WAL`, ' +
    '`synchronous=FULL`) and a task with an audit row per transaction. Wall time, in random order after a warm-up. The delay of the event loop ' +
    'is that of `monitorEventLoopDelay` in a server over HTTP with 500 connections. A million tasks are inserted with SQL. PostgreSQL: the ' +
    'server, its clients and the database on one machine, `fsync` on; skipped if PostgreSQL is not installed.',
  caveats: [
    'Adds at once share a wait for the disk: the faster the disk, the less they gain. Runs on one machine gave ratios from 4 to 20.',
    'A search for a word that all of a million tasks have reads as many entries of the index.',
    'On PostgreSQL a search reads tasks from the newest until the page is full, so a rare word takes longer with more tasks.',
  ],
  async run() {
    const writes = await measureWrites();
    const loop = await measureLoopDelay();
    const reads = await measureSqliteReads();
    const postgres = hasPostgres ? await measurePostgres() : [];
    return {
      tables: [writes.table, loop.table, reads, ...postgres],
      ratios: [writes.ratio, ...loop.ratios],
    };
  },
};
