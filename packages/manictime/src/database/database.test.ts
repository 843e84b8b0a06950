import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { identityName } from '@deskside/core/errors';
import { temporaryFolder } from '@deskside/testkit';
import Database from 'better-sqlite3';
import { expect, onTestFinished, test, vi } from 'vitest';
import { privacyRules } from '../analysis/privacy.ts';
import { checkHealth } from '../queries/health.ts';
import { openManicTime } from '../manictime.ts';
import { openRecords } from '../queries/records.ts';
import { ScreenshotFolder } from '../screenshots/folder.ts';
import { APPLICATIONS, writeFixture } from '../testing/fixture.ts';
import { DAY, openTestServer, row } from '../testing/test-server.ts';
import { openReadOnly } from './connection.ts';
import { openActivityDatabase } from './database.ts';
import { DATABASE_NAME } from './file.ts';

const applications = [row('09:00', '10:00', 'Code')];

function writer(file: string, mode: 'WAL' | 'DELETE'): Database.Database {
  const database = new Database(file);
  database.pragma(`journal_mode = ${mode}`);
  onTestFinished(() => void database.close());
  return database;
}

test('an open handle is read-only', () => {
  const folder = temporaryFolder();
  const file = writeFixture(folder, { applications });
  const database = openReadOnly(file);
  expect(database.readonly).toBe(true);
  expect(database.pragma('query_only', { simple: true })).toBe(1);
  expect(() => database.exec('DELETE FROM Ar_Activity')).toThrow(/readonly|read-only|not authorized/i);
  expect(() => database.exec('CREATE TABLE x (y)')).toThrow(/readonly|read-only/i);
  database.close();
});

const READS = process.env['DESKSIDE_PROOF'] === '1' ? 1000 : 200;

test(`${READS} reads never block a writer in WAL mode, and create only SQLite’s own files`, async () => {
  const folder = temporaryFolder();
  const file = writeFixture(folder, { applications });
  const live = writer(file, 'WAL');
  const insert = live.prepare(
    `INSERT INTO Ar_Activity (ReportId, ActivityId, Name, StartLocalTime, EndLocalTime, StartUtcTime, EndUtcTime)
     VALUES (${APPLICATIONS}, ?, 'w', '2025-01-15 11:00:00', '2025-01-15 11:00:00', '2025-01-15 10:00:00', '2025-01-15 10:00:00')`,
  );
  const before = new Set(readdirSync(folder));
  await using server = openTestServer(folder);
  for (let call = 0; call < READS; call += 1) {
    insert.run(call + 1000);
    if (call % 4 === 0) await server.answer('get_activity_narrative', DAY);
    else await server.answer('get_timelines');
  }
  // The last write is visible at once.
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

test('an exclusive lock is BUSY with a hint, health reports it, and the same call succeeds after its release', async () => {
  const folder = temporaryFolder();
  const live = writer(writeFixture(folder, { applications }), 'DELETE');
  live.exec('BEGIN EXCLUSIVE');
  const lockTimeoutMs = process.env['DESKSIDE_PROOF'] === '1' ? undefined : 100;
  const database = openActivityDatabase(folder, lockTimeoutMs);
  const place = { folder, source: 'Option', screenshots: undefined } as const;
  const records = openRecords({ locate: async () => place, lockTimeoutMs });
  onTestFinished(() => records.close());
  await expect(database.read(({ timelines }) => timelines)).rejects.toMatchObject({
    failure: { code: 'BUSY', hint: expect.stringContaining('Retry') },
  });
  const health = await checkHealth(
    {
      location: async () => place,
      records,
      screenshots: new ScreenshotFolder(async () => undefined),
      privacy: privacyRules({}),
    },
    identityName,
  );
  expect(health).toMatchObject({ status: 'Unhealthy', issues: [{ code: 'DatabaseBusy' }] });
  live.exec('COMMIT');
  expect(await database.read(({ timelines }) => timelines.length)).toBeGreaterThan(0);
});

const UNSUPPORTED = ['SCHEMA_UNSUPPORTED', 'SchemaValidationFailed'] as const;
const withTables = (sql: string) => (file: string) => new Database(file).exec(sql).close();
function withOverwrittenPage(file: string): void {
  writeFixture(dirname(file), { applications });
  const bytes = readFileSync(file);
  writeFileSync(file, bytes.fill(0xff, 4096, 3 * 4096));
}

test.each([
  ['missing', () => undefined, 'DATABASE_NOT_FOUND', 'DatabaseNotFound'],
  ['empty', (file: string) => writeFileSync(file, ''), ...UNSUPPORTED],
  [
    'not a database',
    (file: string) => writeFileSync(file, 'x'.repeat(5000)),
    'DATABASE_DAMAGED',
    'DatabaseIntegrityCheckFailed',
  ],
  ['overwritten in the middle', withOverwrittenPage, 'DATABASE_DAMAGED', 'DatabaseIntegrityCheckFailed'],
  ['from another program', withTables('CREATE TABLE other (x)'), ...UNSUPPORTED],
  [
    'from an unknown version',
    withTables('CREATE TABLE Ar_Timeline (ReportId, SchemaName); CREATE TABLE Ar_Activity (ReportId)'),
    ...UNSUPPORTED,
  ],
] as const)(
  'if the database file is %s, the call fails with its code, health reports it, and the server continues',
  async (_, make, code, issue) => {
    const folder = temporaryFolder();
    make(join(folder, DATABASE_NAME));
    await using server = openTestServer(folder);
    const failure = await server.failure('get_activity_narrative', DAY);
    expect(failure).toMatchObject({ code });
    expect(failure.hint.length).toBeGreaterThan(20);
    expect(JSON.stringify(failure)).not.toContain(folder);
    expect(await server.resource('manictime://timelines')).toMatchObject({ code });
    expect(await server.resource('manictime://health')).toMatchObject({
      status: 'Unhealthy',
      issues: expect.arrayContaining([expect.objectContaining({ code: issue, severity: 'Fatal' })]),
    });
    copyFileSync(writeFixture(temporaryFolder(), { applications }), join(folder, DATABASE_NAME));
    expect(await server.answer('get_activity_narrative', DAY)).toMatchObject({ totalActiveMinutes: 60 });
  },
);

/** A database that can only be read from a copy. */
function onReadOnlyMedium(): string {
  const parent = temporaryFolder();
  const folder = join(parent, 'medium');
  const file = writeFixture(folder, { applications });
  new Database(file).exec('PRAGMA journal_mode = WAL').close();
  chmodSync(parent, 0o755);
  chmodSync(folder, 0o555);
  asSomebodyElse();
  return folder;
}

test('a WAL database in a read-only folder is read from a copy, which is removed afterwards', async () => {
  const folder = onReadOnlyMedium();
  const newCopies = watchCopies();
  {
    await using server = openTestServer(folder);
    expect(await server.answer('get_activity_narrative', DAY)).toMatchObject({ totalActiveMinutes: 60 });
    expect(await server.resource('manictime://health')).toMatchObject({ schemaStatus: 'Valid' });
    expect(newCopies()).toHaveLength(1);
  }
  expect(newCopies()).toEqual([]);
  expect(readdirSync(folder)).toEqual([DATABASE_NAME]);
});

test('what a crash left half written is rolled back in a copy before it is read', async () => {
  const [living, folder] = [temporaryFolder(), temporaryFolder()];
  const many = Array.from({ length: 2000 }, (_, id) => row('09:00', '10:00', 'Code', { id: id + 1 }));
  const file = writeFixture(living, { applications: many });
  const database = writer(file, 'DELETE');
  database.pragma('cache_size = 1');
  database.exec("BEGIN; UPDATE Ar_Activity SET Name = 'half written' || hex(zeroblob(200))");
  // As after a crash: the pages that were written so far, and the journal that undoes them.
  const crashed = join(folder, DATABASE_NAME);
  for (const part of ['', '-journal']) copyFileSync(`${file}${part}`, `${crashed}${part}`);
  expect(readFileSync(crashed).includes('half written')).toBe(true);
  await using server = openTestServer(folder);
  const listed = await server.answer('get_activities', { ...DAY, timelineId: APPLICATIONS });
  expect(JSON.stringify(listed)).not.toContain('half written');
  expect(await server.answer('get_activity_narrative', DAY)).toMatchObject({ totalActiveMinutes: 60 });
  expect(readdirSync(folder).toSorted()).toEqual([DATABASE_NAME, `${DATABASE_NAME}-journal`]);
});

test('reading a WAL database that no program has open leaves no file beside it', async () => {
  const folder = temporaryFolder();
  new Database(writeFixture(folder, { applications })).exec('PRAGMA journal_mode = WAL').close();
  await using server = openTestServer(folder);
  for (let read = 0; read < 2; read += 1)
    expect(await server.answer('get_activity_narrative', DAY)).toMatchObject({ totalActiveMinutes: 60 });
  expect(readdirSync(folder)).toEqual([DATABASE_NAME]);
});

test('reading a WAL database that a crash left open changes none of its files', async () => {
  const [live, folder] = [temporaryFolder(), temporaryFolder()];
  const file = writeFixture(live, { applications });
  writer(file, 'WAL').exec("UPDATE Ar_Activity SET Name = 'other.ts'");
  const names = [DATABASE_NAME, `${DATABASE_NAME}-wal`];
  for (const name of names) copyFileSync(join(live, name), join(folder, name));
  await using server = openTestServer(folder);
  const { segments } = await server.answer('get_activity_narrative', DAY);
  expect(JSON.stringify(segments)).toContain('other.ts');
  expect(readdirSync(folder)).toEqual(names);
  for (const name of names)
    expect(readFileSync(join(folder, name)).equals(readFileSync(join(live, name)))).toBe(true);
});

test('a copy that a killed server left a day ago is removed, and who still needs it makes it again', async () => {
  const folder = onReadOnlyMedium();
  const newCopies = watchCopies();
  const dayAgo = Date.now() / 1000 - 86_401;
  const old = mkdtempSync(join(tmpdir(), 'deskside-manictime-copy-'));
  writeFileSync(join(old, DATABASE_NAME), 'a copy');
  utimesSync(old, dayAgo, dayAgo);
  await using waiting = openTestServer(folder);
  await waiting.answer('get_activity_narrative', DAY);
  const [copy = '', ...more] = newCopies();
  expect(more).toEqual([]);
  utimesSync(join(tmpdir(), copy), dayAgo, dayAgo);
  {
    await using other = openTestServer(folder, { redact: ['title:x'] });
    await other.answer('get_activity_narrative', DAY);
    expect(newCopies()).not.toContain(copy);
    expect(await waiting.answer('get_activity_narrative', DAY)).toMatchObject({ totalActiveMinutes: 60 });
  }
});

function copies(): readonly string[] {
  return readdirSync(tmpdir()).filter((name) => name.startsWith('deskside-manictime-copy-'));
}

/** The copies that are made from now on, in a folder that no other program uses. */
function watchCopies(): () => readonly string[] {
  vi.stubEnv('TMPDIR', temporaryFolder());
  onTestFinished(() => void vi.unstubAllEnvs());
  const before = new Set(copies());
  return () => copies().filter((name) => !before.has(name));
}

/** Root can write to read-only folders. */
function asSomebodyElse(): void {
  if (process.geteuid?.() !== 0) return;
  process.seteuid?.('nobody');
  onTestFinished(() => process.seteuid?.(0));
}

test('without a data folder the error names MANICTIME_DATA_DIR', async () => {
  await using server = openTestServer('');
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

test('a data folder that this account may not read is an error with a remedy, and health names it', async () => {
  const parent = temporaryFolder();
  const folder = join(parent, 'private');
  writeFixture(folder, { applications });
  chmodSync(parent, 0o755);
  chmodSync(folder, 0o000);
  onTestFinished(() => chmodSync(folder, 0o755));
  asSomebodyElse();
  await using server = openTestServer(folder);
  expect(await server.failure('get_timelines')).toMatchObject({ code: 'UNAVAILABLE' });
  expect(await server.resource('manictime://health')).toMatchObject({
    status: 'Unhealthy',
    dataDirectory: folder,
    issues: expect.arrayContaining([expect.objectContaining({ code: 'DatabaseUnreadable' })]),
  });
});

test('list_screenshots and the narrative report a day whose folder this account may not read', async () => {
  const folder = temporaryFolder();
  writeFixture(folder, { applications });
  for (const date of ['2025-01-02', '2025-01-15', '2025-01-20']) {
    const day = join(folder, 'Screenshots', date);
    mkdirSync(day, { recursive: true });
    writeFileSync(join(day, `${date}_09-00-00_01-00_800_600_1_0.jpg`), '');
  }
  const day = join(folder, 'Screenshots/2025-01-15');
  chmodSync(folder, 0o755);
  chmodSync(day, 0o000);
  onTestFinished(() => chmodSync(day, 0o755));
  asSomebodyElse();
  await using server = openTestServer(folder);
  for (const tool of ['list_screenshots', 'get_activity_narrative'])
    expect(await server.answer(tool, DAY), tool).toMatchObject({
      diagnostics: { degraded: true, reasonCode: 'ScreenshotsUnreadable' },
    });
});

test.each([
  ['a file', DATABASE_NAME],
  ['missing', 'missing'],
])('a database that needs a copy, whose folder is %s, is an error with a remedy', async (_, name) => {
  const folder = temporaryFolder();
  const file = writeFixture(folder, { applications });
  new Database(file).exec('PRAGMA journal_mode = WAL').close();
  // A link to itself cannot be opened, so the database cannot be read in place.
  symlinkSync(`${DATABASE_NAME}-shm`, `${file}-shm`);
  vi.stubEnv('TMPDIR', join(folder, name));
  onTestFinished(() => void vi.unstubAllEnvs());
  await expect(openActivityDatabase(folder).read(({ timelines }) => timelines)).rejects.toMatchObject({
    failure: { code: 'UNAVAILABLE', hint: expect.stringContaining('TMPDIR') },
  });
});

test('demo data that cannot be written is an error with a remedy', async () => {
  const file = join(temporaryFolder(), 'file');
  writeFileSync(file, '');
  vi.stubEnv('TMPDIR', file);
  onTestFinished(() => void vi.unstubAllEnvs());
  await using manictime = openManicTime({ demo: true });
  await expect(manictime.records.query('timelines', undefined)).rejects.toMatchObject({
    failure: { code: 'UNAVAILABLE', hint: expect.stringContaining('TMPDIR') },
  });
});
