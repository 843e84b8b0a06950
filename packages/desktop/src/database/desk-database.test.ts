import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { createLog } from '@deskside/core';
import { fixedClock } from '@deskside/core/testing';
import { temporaryFolder } from '@deskside/testkit';
import { expect, onTestFinished, test } from 'vitest';
import { Connection } from './connection.ts';
import { DeskDatabase, type DeskDatabaseOptions } from './desk-database.ts';
import { MIGRATIONS } from './migrations.ts';
import { openSqlite } from './sqlite.ts';

function place() {
  const folder = temporaryFolder();
  const clock = fixedClock('2026-11-22T10:00:00Z');
  const [state, runtime] = [join(folder, 'state'), join(folder, 'runtime')];
  const lines: string[] = [];
  const log = createLog({ level: 'warn', write: (line) => lines.push(line) });
  const places = { state, runtime: [runtime] };
  return {
    clock,
    state,
    runtime,
    lines,
    file: join(state, 'desk.sqlite'),
    open(changes: Partial<DeskDatabaseOptions> = {}) {
      const database = new DeskDatabase({ places, log, clock, ...changes });
      onTestFinished(() => database[Symbol.asyncDispose]());
      return database;
    },
  };
}

/** @returns true once it is stored */
function store(database: DeskDatabase, name: string): { readonly isDone: boolean } {
  const result = { isDone: false };
  const sql = `INSERT OR REPLACE INTO states VALUES ('${name}', '')`;
  database.write(
    {
      run: (connection) => connection.statement(sql).run(),
      done: () => void (result.isDone = true),
    },
    true,
  );
  return result;
}

/** What is stored in a place. */
function namesIn(folder: string): unknown[] {
  const database = openSqlite(join(folder, 'desk.sqlite'));
  const rows = database.prepare('SELECT name FROM states ORDER BY name').all();
  database.close();
  return rows.map(({ name }) => name);
}

async function names(database: DeskDatabase): Promise<unknown[]> {
  const rows = await database.read((connection) =>
    connection.statement('SELECT name FROM states ORDER BY name').all(),
  );
  return rows.map(({ name }) => name);
}

test('nothing is created before the first use, and a last user leaves one file', async () => {
  const { state, open } = place();
  const database = open();
  expect(existsSync(state)).toBe(false);
  store(database, 'a');
  expect(readdirSync(state)).toHaveLength(3);
  expect(statSync(state).mode & 0o777).toBe(0o700);
  await database[Symbol.asyncDispose]();
  expect(readdirSync(state)).toStrictEqual(['desk.sqlite']);
  expect(database.problem).toBeUndefined();
});

test('what another process holds is asked again, and the caller goes on at once', async () => {
  const { clock, file, lines, open } = place();
  const database = open();
  store(database, 'a');
  const other = openSqlite(file);
  other.exec('BEGIN IMMEDIATE');
  const stored = store(database, 'b');
  await clock.advanceAsync(2000);
  expect([stored.isDone, await names(database)]).toStrictEqual([false, ['a']]);
  // Waiting inside SQLite would hold up the event loop.
  const timeout = database.read((connection) => connection.statement('PRAGMA busy_timeout').get());
  expect(await timeout).toMatchObject({ timeout: 0 });
  other.exec('COMMIT');
  other.close();
  await clock.advanceAsync(25);
  expect([stored.isDone, await names(database)]).toStrictEqual([true, ['a', 'b']]);
  expect(lines).toStrictEqual([]);
});

test('a database that is busy when it is opened is opened a little later', async () => {
  const { clock, state, file, open } = place();
  mkdirSync(state, { mode: 0o700 });
  writeFileSync(file, '', { mode: 0o600 });
  const other = openSqlite(file);
  other.exec('BEGIN EXCLUSIVE');
  const database = open();
  const stored = store(database, 'a');
  const read = names(database);
  await clock.advanceAsync(500);
  expect(stored.isDone).toBe(false);
  other.exec('COMMIT');
  other.close();
  await clock.advanceAsync(50);
  expect(await read).toStrictEqual(['a']);
});

test('a process that ends while another one holds the database leaves its writes to the next one', async () => {
  const { clock, file, runtime, open } = place();
  const database = open();
  store(database, 'a');
  const other = openSqlite(file);
  other.exec('BEGIN IMMEDIATE');
  store(database, 'b');
  const ended = database[Symbol.asyncDispose]();
  await clock.advanceAsync(1600);
  await ended;
  expect(readdirSync(runtime)).toStrictEqual(['desk.sqlite']);
  other.exec('COMMIT');
  other.close();
  expect(await names(open())).toStrictEqual(['a', 'b']);
  expect(namesIn(runtime)).toStrictEqual(['taken']);
});

test.each([
  ['is no database', () => Buffer.from('no database at all '.repeat(500))],
  ['is torn', (whole: Buffer) => whole.subarray(0, 5000)],
  ['has no tables', () => emptyDatabase()],
])('a file that %s is moved away once, and a new one is begun', async (_title, damage) => {
  const { clock, file, lines, state, open } = place();
  const first = open();
  store(first, 'a');
  await first[Symbol.asyncDispose]();
  writeFileSync(file, damage(readFileSync(file)));
  const [one, other] = [open(), open()];
  const all = [store(one, 'b'), store(other, 'c')];
  const read = names(one);
  await expect
    .poll(async () => {
      await clock.advanceAsync(50);
      return all.every(({ isDone }) => isDone);
    })
    .toBe(true);
  await read;
  expect(await names(one)).toStrictEqual(['b', 'c']);
  expect(readdirSync(state).filter((name) => name.endsWith('damaged'))).toStrictEqual([
    'desk.sqlite.damaged',
  ]);
  expect(one.problem).toMatch(
    /^The desk database was damaged, and a new one was begun\. The damaged one is /,
  );
  expect(lines.join('')).toContain('was damaged');
});

function emptyDatabase(): Buffer {
  const file = join(temporaryFolder(), 'empty');
  const database = openSqlite(file);
  database.exec(`PRAGMA user_version = ${MIGRATIONS.length}`);
  database.close();
  return readFileSync(file);
}

test.each([
  ['deleted', (folder: string) => rmSync(folder, { recursive: true })],
  ['moved', (folder: string) => renameSync(folder, `${folder}.away`)],
  ['deleted in part', (folder: string) => rmSync(join(folder, 'desk.sqlite-wal'))],
])('a file that is %s while it is open is followed by a new one', async (_title, change) => {
  const { state, open } = place();
  const database = open();
  store(database, 'a');
  change(state);
  expect(store(database, 'b').isDone).toBe(true);
  expect(await names(database)).toContain('b');
  expect(await names(open())).toContain('b');
});

test.each([
  [
    'on a network file system',
    () => undefined,
    { fileSystemTypeOf: (folder: string) => (/state/.test(folder) ? 0x69_69 : 0) },
  ],
  ['not a folder', (state: string) => writeFileSync(state, ''), {}],
  ['a folder that other users can use', (state: string) => mkdirSync(state, { mode: 0o755 }), {}],
  [
    'a folder with a file that other users can use',
    (state: string) => {
      mkdirSync(state, { mode: 0o700 });
      writeFileSync(join(state, 'desk.sqlite'), '', { mode: 0o644 });
    },
    {},
  ],
])('a place that is %s is followed by the next one, which is said once', async (_title, make, options) => {
  const { state, runtime, lines, open } = place();
  make(state);
  const database = open(options);
  store(database, 'a');
  store(database, 'b');
  expect(await names(open(options))).toStrictEqual(['a', 'b']);
  const where = join(runtime, 'desk.sqlite');
  expect(existsSync(where)).toBe(true);
  const start = `What happens is stored in ${where} until the machine restarts: ${state}: `;
  expect(database.problem?.slice(0, start.length)).toBe(start);
  // By each of the two processes.
  expect(lines).toHaveLength(2);
});

test('a user without a home folder has a database that other processes find', async () => {
  const { runtime, open } = place();
  const places = { state: undefined, runtime: [runtime] };
  const database = open({ places });
  store(database, 'a');
  expect(await names(open({ places }))).toStrictEqual(['a']);
  expect(database.problem).toContain('This user has no home folder.');
});

test('a folder with the name of the file is said, with what to do', async () => {
  const { file, open } = place();
  mkdirSync(file, { recursive: true, mode: 0o755 });
  chmodSync(join(file, '..'), 0o700);
  const database = open();
  store(database, 'a');
  expect(await names(database)).toStrictEqual(['a']);
  expect(database.problem).toContain(`${file} is not a file. Move it away.`);
});

test('without any place the process itself knows what happens', async () => {
  const { state, runtime, open } = place();
  for (const folder of [state, runtime]) writeFileSync(folder, '');
  const database = open();
  expect(store(database, 'a').isDone).toBe(true);
  expect(await names(database)).toStrictEqual(['a']);
  expect(database.problem).toMatch(/^What happens is known to this process only: /);
});

test('what was stored in another place is taken over, and who uses it goes on in the right one', async () => {
  const { state, runtime, open } = place();
  mkdirSync(state, { mode: 0o755 });
  const early = open();
  store(early, 'a');
  chmodSync(state, 0o700);
  const late = open();
  expect(await names(late)).toStrictEqual(['a']);
  expect(namesIn(runtime)).toStrictEqual(['taken']);
  store(early, 'b');
  expect(await names(late)).toStrictEqual(['a', 'b']);
  expect([early.problem, late.problem]).toStrictEqual([undefined, undefined]);
  // The place is used again.
  chmodSync(state, 0o755);
  store(open(), 'c');
  expect(namesIn(runtime)).toStrictEqual(['c']);
});

test('a defect of one write loses only that one, and is said', async () => {
  const { lines, open } = place();
  const database = open();
  const wrong = {
    run: (connection: Connection) => connection.statement("INSERT INTO states VALUES ('x', NULL)").run(),
  };
  database.write({
    run: (connection) => void connection.statement("INSERT INTO states VALUES ('a', '')").run(),
  });
  database.write(wrong);
  store(database, 'b');
  expect(await names(database)).toStrictEqual(['a', 'b']);
  expect(lines.join('')).toContain('an item is not recorded');
});

test('an older program uses what it knows of a newer schema', async () => {
  const { state, open } = place();
  const newer = new Connection(state);
  newer.database.exec('ALTER TABLE states ADD COLUMN more TEXT; PRAGMA user_version = 99');
  newer[Symbol.dispose]();
  const database = open();
  const sql = "INSERT INTO states (name, value) VALUES ('a', '')";
  database.write({ run: (connection) => connection.statement(sql).run() }, true);
  expect(await names(database)).toStrictEqual(['a']);
});
