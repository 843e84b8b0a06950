import { chmodSync, copyFileSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { temporaryFolder } from '@deskside/testkit';
import Database from 'better-sqlite3';
import { expect, onTestFinished, test } from 'vitest';
import { openCalled } from '../testing/call.ts';
import { APPLICATIONS, writeFixture } from '../testing/fixture.ts';
import { retryWhileBusy } from './busy-retry.ts';
import { DATABASE_NAME } from './database.ts';
import { openHandle } from './handle.ts';

const DAY = { startDate: '2025-01-15', endDate: '2025-01-16' };
const applications = [
  { from: '2025-01-15 09:00:00', to: '2025-01-15 10:00:00', group: 'Code', name: 'main.ts' },
];

function writer(file: string, mode: 'WAL' | 'DELETE'): Database.Database {
  const database = new Database(file);
  database.pragma(`journal_mode = ${mode}`);
  onTestFinished(() => void database.close());
  return database;
}

test('a handle can read and do nothing else', () => {
  const folder = temporaryFolder();
  const file = writeFixture(folder, { applications });
  const { database, close } = openHandle(file);
  expect(database.readonly).toBe(true);
  expect(database.pragma('query_only', { simple: true })).toBe(1);
  expect(() => database.exec('DELETE FROM Ar_Activity')).toThrow(/readonly|read-only|not authorized/i);
  expect(() => database.exec('CREATE TABLE x (y)')).toThrow(/readonly|read-only/i);
  close();
});

test('a writer in WAL mode goes on writing while a thousand calls read, and only SQLite’s own files come and go', async () => {
  const folder = temporaryFolder();
  const file = writeFixture(folder, { applications });
  const live = writer(file, 'WAL');
  const insert = live.prepare(
    `INSERT INTO Ar_Activity (ReportId, ActivityId, Name, StartLocalTime, EndLocalTime, StartUtcTime, EndUtcTime)
     VALUES (${APPLICATIONS}, ?, 'w', '2025-01-15 11:00:00', '2025-01-15 11:00:00', '2025-01-15 10:00:00', '2025-01-15 10:00:00')`,
  );
  const before = new Set(readdirSync(folder));
  await using server = openCalled(folder);
  for (let call = 0; call < 1000; call += 1) {
    insert.run(call + 1000);
    if (call % 4 === 0) await server.answer('get_activity_narrative', DAY);
    else await server.answer('get_timelines');
  }
  // What the writer wrote last is read at once.
  const { truncation } = await server.answer('get_activities', {
    timelineId: APPLICATIONS,
    startDate: '2025-01-15T11:00:00',
    endDate: '2025-01-15T11:00:01',
  });
  expect(truncation).toMatchObject({ totalAvailable: 0 });
  insert.run(1);
  const after = readdirSync(folder).filter((name) => !before.has(name));
  expect(after.filter((name) => !/-(wal|shm)$/.test(name))).toEqual([]);
  expect(live.pragma('wal_checkpoint(TRUNCATE)')).toEqual([{ busy: 0, log: 0, checkpointed: 0 }]);
});

test('a call waits for a lock that goes away', async () => {
  const file = writeFixture(temporaryFolder(), { applications });
  const live = writer(file, 'DELETE');
  live.exec('BEGIN EXCLUSIVE');
  let attempts = 0;
  const read = () => {
    attempts += 1;
    if (attempts === 3) live.exec('COMMIT');
    openHandle(file).close();
    return 'read';
  };
  expect(await retryWhileBusy(read, undefined, Number.POSITIVE_INFINITY)).toBe('read');
  expect(attempts).toBe(3);
});

test('an exclusive lock is BUSY with a hint, and when it is gone the same call succeeds', async () => {
  const folder = temporaryFolder();
  const file = writeFixture(folder, { applications });
  const live = writer(file, 'DELETE');
  live.exec('BEGIN EXCLUSIVE');
  await using server = openCalled(folder);
  expect(await server.failure('get_activity_narrative', DAY)).toMatchObject({
    code: 'BUSY',
    hint: expect.stringContaining('again'),
  });
  expect(await server.resource('manictime://health')).toMatchObject({ status: 'Unhealthy' });
  live.exec('COMMIT');
  expect(await server.answer('get_activity_narrative', DAY)).toMatchObject({ totalActiveMinutes: 60 });
});

test.each([
  ['missing', () => undefined, 'DATABASE_NOT_FOUND', 'DatabaseNotFound'],
  ['empty', (file: string) => writeFileSync(file, ''), 'SCHEMA_UNSUPPORTED', 'SchemaValidationFailed'],
  [
    'no database',
    (file: string) => writeFileSync(file, 'x'.repeat(5000)),
    'DATABASE_DAMAGED',
    'DatabaseIntegrityCheckFailed',
  ],
  [
    'of another program',
    (file: string) => new Database(file).exec('CREATE TABLE other (x)').close(),
    'SCHEMA_UNSUPPORTED',
    'SchemaValidationFailed',
  ],
  [
    'of another version',
    (file: string) =>
      new Database(file)
        .exec('CREATE TABLE Ar_Timeline (ReportId, SchemaName); CREATE TABLE Ar_Activity (ReportId)')
        .close(),
    'SCHEMA_UNSUPPORTED',
    'SchemaValidationFailed',
  ],
] as const)(
  'a database that is %s is a clear error, health says so, and the server lives',
  async (_, make, code, issue) => {
    const folder = temporaryFolder();
    make(join(folder, DATABASE_NAME));
    await using server = openCalled(folder);
    const failure = await server.failure('get_activity_narrative', DAY);
    expect(failure).toMatchObject({ code });
    expect(failure.hint.length).toBeGreaterThan(20);
    expect(JSON.stringify(failure)).not.toContain(folder);
    expect(await server.resource('manictime://timelines')).toMatchObject({ code });
    expect(await server.resource('manictime://health')).toMatchObject({
      status: 'Unhealthy',
      issues: expect.arrayContaining([expect.objectContaining({ code: issue, severity: 'Fatal' })]),
    });
    writeFixture(temporaryFolder(), {});
    copyFileSync(writeFixture(temporaryFolder(), { applications }), join(folder, DATABASE_NAME));
    expect(await server.answer('get_activity_narrative', DAY)).toMatchObject({ totalActiveMinutes: 60 });
  },
);

test('a page that was overwritten is an error, not an end', async () => {
  const folder = temporaryFolder();
  const file = writeFixture(folder, { applications });
  const bytes = readFileSync(file);
  bytes.fill(0xff, 4096, 3 * 4096);
  writeFileSync(file, bytes);
  await using server = openCalled(folder);
  expect(await server.failure('get_activity_narrative', DAY)).toMatchObject({ code: 'DATABASE_DAMAGED' });
  expect(await server.failure('get_timelines')).toMatchObject({ code: 'DATABASE_DAMAGED' });
});

test('a WAL database in a folder nobody may write to is read from a copy, which is gone afterwards', async () => {
  const parent = temporaryFolder();
  const folder = join(parent, 'medium');
  const file = writeFixture(folder, { applications });
  new Database(file).exec('PRAGMA journal_mode = WAL').close();
  chmodSync(parent, 0o755);
  chmodSync(folder, 0o555);
  asSomebodyElse();
  const before = copies();
  {
    await using server = openCalled(folder);
    expect(await server.answer('get_activity_narrative', DAY)).toMatchObject({ totalActiveMinutes: 60 });
    expect(await server.resource('manictime://health')).toMatchObject({ schemaStatus: 'Valid' });
    expect(copies()).toHaveLength(before.length + 1);
  }
  expect(copies()).toEqual(before);
  expect(readdirSync(folder)).toEqual([DATABASE_NAME]);
});

function copies(): string[] {
  return readdirSync(tmpdir()).filter((name) => name.startsWith('deskside-manictime-copy-'));
}

/** Root may write everywhere. */
function asSomebodyElse(): void {
  if (process.geteuid?.() !== 0) return;
  process.seteuid?.('nobody');
  onTestFinished(() => process.seteuid?.(0));
}

test('without any folder it says what to set', async () => {
  await using server = openCalled('');
  expect(await server.failure('get_timelines')).toMatchObject({
    code: 'DATA_DIRECTORY_UNRESOLVED',
    hint: expect.stringContaining('MANICTIME_DATA_DIR'),
  });
  expect(await server.resource('manictime://config')).toEqual({ directorySource: 'Unresolved' });
  expect(await server.resource('manictime://health')).toMatchObject({
    status: 'Unhealthy',
    databaseExists: false,
    screenshots: { status: 'Unknown' },
  });
});

test('a portable installation keeps its data one folder below', async () => {
  const folder = temporaryFolder();
  writeFixture(join(folder, 'Data'), { applications });
  await using server = openCalled(folder);
  expect(await server.answer('get_activity_narrative', DAY)).toMatchObject({ totalActiveMinutes: 60 });
});
