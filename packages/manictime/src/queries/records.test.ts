import { setTimeout as delay } from 'node:timers/promises';
import { DAY, parseWallTime } from '@deskside/core/dates';
import { temporaryFolder } from '@deskside/testkit';
import Database from 'better-sqlite3';
import { expect, onTestFinished, test } from 'vitest';
import { openActivityDatabase } from '../database/database.ts';
import { writeFixture } from '../testing/fixture.ts';
import { row, TEST_CLOCK } from '../testing/test-server.ts';
import { openRecords, QueryThread, type Records } from './records.ts';

const from = parseWallTime('2025-01-15') ?? 0;
const DAY_RANGE = { range: { from, to: from + DAY } };
const YEAR_RANGE = { range: { from, to: from + 366 * DAY } };
const applications = [row('09:00', '10:00', 'Code')];

function freeFolder(): string {
  const folder = temporaryFolder();
  writeFixture(folder, { applications });
  return folder;
}

interface Locked {
  readonly records: Records;
  /** Ends the lock that another program holds. */
  release(): void;
}

/** A query of a locked database waits until the lock is released. */
function recordsOf(folder: string): Records {
  const records = openRecords({
    locate: async () => ({ folder, screenshots: undefined }),
    lockTimeoutMs: 600_000,
    clock: TEST_CLOCK,
  });
  onTestFinished(() => records.close());
  return records;
}

function lockedFolder() {
  const folder = temporaryFolder();
  const other = new Database(writeFixture(folder, { applications }));
  other.pragma('journal_mode = DELETE');
  other.exec('BEGIN EXCLUSIVE');
  onTestFinished(() => void other.close());
  return { folder, release: () => void other.exec('COMMIT') };
}

function lockedRecords(): Locked {
  const { folder, release } = lockedFolder();
  return { records: recordsOf(folder), release };
}

test('queries are answered in the order of their calls', async () => {
  const { records, release } = lockedRecords();
  const others = recordsOf(freeFolder());
  const answered: string[] = [];
  const ask = async (name: string, of: Records, range: typeof DAY_RANGE) => {
    await of.query('periodSummary', range);
    answered.push(name);
  };
  const all = [
    ask('year', records, YEAR_RANGE),
    ask('day', others, DAY_RANGE),
    ask('last', records, DAY_RANGE),
  ];
  release();
  await Promise.all(all);
  expect(answered).toEqual(['year', 'day', 'last']);
});

test('a cancelled query is rejected at once, leaves its thread, and the next one is answered', async () => {
  const { records, release } = lockedRecords();
  const controller = new AbortController();
  const { promise: started, resolve } = Promise.withResolvers<void>();
  const progress = async () => resolve();
  const running = records.query('periodSummary', DAY_RANGE, { signal: controller.signal, progress });
  await started;
  const waiting = records.query('periodSummary', DAY_RANGE, { signal: controller.signal });
  const reason = new Error('the person stopped it');
  controller.abort(reason);
  await expect(running).rejects.toBe(reason);
  await expect(waiting).rejects.toBe(reason);
  // The database is still locked: only a thread that gave up the first query can start this one.
  expect((await recordsOf(freeFolder()).query('periodSummary', DAY_RANGE)).days).toHaveLength(1);
  release();
  await expect(records.query('timelines', undefined, { signal: controller.signal })).rejects.toBe(reason);
});

test('a read ends at the checkpoint after its call is cancelled, and closes the database', async () => {
  const folder = temporaryFolder();
  const file = writeFixture(folder, { applications });
  const database = openActivityDatabase(folder);
  const parts: number[] = [];
  const checkpoint = (done: number) => {
    parts.push(done);
    if (parts.length === 2) throw new Error('cancelled');
  };
  const read = database.read(
    (snapshot) => [...snapshot.batches(snapshot.timelines, DAY_RANGE.range)],
    checkpoint,
  );
  await expect(read).rejects.toThrow('cancelled');
  expect(parts).toEqual([0, 0]);
  const other = new Database(file);
  other.exec('BEGIN EXCLUSIVE; COMMIT');
  other.close();
});

test('a query of more than a second reports progress, which only increases, also during a lock', async () => {
  const { records, release } = lockedRecords();
  const reports: unknown[][] = [];
  const progress = async (...report: unknown[]) => void reports.push(report);
  const answer = records.query('periodSummary', DAY_RANGE, { progress });
  // Each attempt to get past the lock begins again.
  await delay(1700);
  release();
  expect((await answer).days).toHaveLength(1);
  expect(reports[0]).toEqual([0, 1, 'Reading']);
  expect(new Set(reports.map(([done]) => done)).size).toBe(reports.length);
});

test('a defect in a query is an error of its call, and the thread continues', async () => {
  const records = recordsOf(freeFolder());
  const broken = { of: undefined, limit: 1, showsGroups: false, ...DAY_RANGE } as never;
  await expect(records.query('rows', broken)).rejects.toThrow(TypeError);
  expect((await records.query('periodSummary', DAY_RANGE)).days).toHaveLength(1);
});

test('a thread that ends fails the query that it runs, and the others are answered by the next thread', async () => {
  const thread = new QueryThread();
  onTestFinished(() => thread.end());
  const { folder } = lockedFolder();
  const sources = { folder, screenshots: undefined, lockTimeoutMs: 600_000 };
  const { promise: started, resolve } = Promise.withResolvers<void>();
  const running = thread.run('timelines', undefined, sources, { progress: async () => resolve() });
  const waiting = thread.run('timelines', undefined, { ...sources, folder: freeFolder() }, {});
  await started;
  await thread.end();
  await expect(running).rejects.toThrow('the thread ended');
  expect(await waiting).toHaveLength(4);
});

test('a query that comes while an idle thread ends is answered by the next thread', async () => {
  const thread = new QueryThread();
  onTestFinished(() => thread.end());
  const sources = { folder: freeFolder(), screenshots: undefined };
  await thread.run('timelines', undefined, sources, {});
  const ended = thread.end();
  expect(await thread.run('timelines', undefined, sources, {})).toHaveLength(4);
  await ended;
});
