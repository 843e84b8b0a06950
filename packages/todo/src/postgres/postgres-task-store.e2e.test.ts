import { TokenStore } from '@deskside/core/base';
import { chosenRows, fixedClock, hasPostgres, startPostgres, freePort, LEGS } from '@deskside/testkit';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { OutcomeUnknown, StoreBusy, StoreUnavailable, type TaskStore } from '../store/task-store.ts';
import { databasePath } from '../store/database-path.ts';
import { connectTodo } from '../testing/connect-todo.ts';
import { answersOf, expectedAnswers } from '../testing/contract-answers.ts';
import { contractRows } from '../testing/contract-rows.ts';
import { describeCommands } from '../testing/postgres-commands.ts';
import { usePostgres } from '../testing/postgres-database.ts';
import { hasPgBouncer, startPgBouncer } from '../testing/pgbouncer.ts';
import { describeTls } from '../testing/postgres-tls.ts';
import { describeSameAnswers } from '../testing/same-answers.ts';
import { describeTaskStore } from '../testing/store-contract.ts';
import { callerContext, NOW } from '../testing/store-under-test.ts';
import { wordsOf } from '../store/words.ts';
import { migrate, migrateDatabase, migrations, schemaVersion } from './migrate.ts';
import { inspectDatabase } from './inspect.ts';
import { postgresTaskStore, type PostgresTaskStoreOptions } from './postgres-task-store.ts';

const needs = hasPostgres ? '' : ' (skipped: apt-get install postgresql)';
const anna = callerContext('anna');
const ben = callerContext('ben');
const everything = { status: 'all', limit: 9 } as const;
const task = (title: string) => ({ title, description: null });

describe.skipIf(!hasPostgres)(`on a real PostgreSQL server${needs}`, () => {
  const database = usePostgres();

  async function openStore(options: Partial<PostgresTaskStoreOptions> = {}): Promise<TaskStore> {
    await database().clear();
    return anotherStore(options);
  }

  function anotherStore(options: Partial<PostgresTaskStoreOptions> = {}): TaskStore {
    const store = postgresTaskStore({ url: database().url, now: () => NOW, ...options });
    onTestFinished(() => store[Symbol.asyncDispose]());
    return store;
  }

  async function connect(url = database().url): Promise<Client> {
    const client = new Client({ connectionString: url });
    await client.connect();
    onTestFinished(() => client.end());
    return client;
  }

  describeTaskStore('PostgreSQL', async () => {
    const { now, advance } = fixedClock(NOW.toISOString());
    await database().empty();
    const another = () => anotherStore({ now });
    return { store: another(), another, pass: advance };
  });

  describe('of which the role and the URL have settings', () => {
    const settings = {
      datestyle: 'German, DMY',
      timezone: 'Asia/Kathmandu',
      intervalstyle: 'sql_standard',
      search_path: 'pg_temp',
      standard_conforming_strings: 'off',
      client_encoding: 'LATIN1',
      default_transaction_isolation: 'serializable',
      extra_float_digits: '-15',
    };
    beforeAll(async () => {
      for (const [name, value] of Object.entries(settings))
        await database().query(`ALTER ROLE app SET ${name} = '${value}'`);
    });
    afterAll(async () => void (await database().query('ALTER ROLE app RESET ALL')));

    // The store of the rows is tested above, and the tools with SQLite.
    test.each(chosenRows(contractRows, 10))('contract on PostgreSQL: $says', async (row) => {
      await database().empty();
      const url = `${database().url}?schema=public&pgbouncer=true&channel_binding=prefer`;
      const peer = await connectTodo(LEGS[2], { database: url });
      expect(await answersOf(peer, row)).toStrictEqual(expectedAnswers(row));
    });
  });

  test('the role of the server sees no row without a user, and only rows of that user with one', async () => {
    const store = await openStore();
    await store.add(anna, task('Annas'));
    await store.add(ben, task('Bens'));
    const client = await connect();
    const titles = async () =>
      (await client.query<{ title: string }>('SELECT title FROM deskside_todo.tasks')).rows.map(
        ({ title }) => title,
      );
    expect(await titles()).toStrictEqual([]);
    await client.query("BEGIN; SELECT set_config('deskside.user_id', 'ben', true)");
    expect(await titles()).toStrictEqual(['Bens']);
    const foreign = "INSERT INTO deskside_todo.tasks VALUES ('anna', 9, 'x', NULL, 0, 1)";
    await expect(client.query(foreign)).rejects.toThrow('violates row-level security policy');
    await client.query('ROLLBACK');
    for (const table of ['users', 'audit', 'call_counts']) {
      const { rows } = await client.query(`SELECT * FROM deskside_todo.${table}`);
      expect(rows, table).toStrictEqual([]);
    }
    const unforced = await database().query(
      "SELECT relname FROM pg_class WHERE relkind = 'r' AND relnamespace = 'deskside_todo'::regnamespace AND NOT (relrowsecurity AND relforcerowsecurity) ORDER BY 1",
    );
    expect(unforced).toStrictEqual([{ relname: 'migrations' }, { relname: 'tokens' }]);
  });

  test('a connection that has seen no tables, and waits for a server that creates them, sees them', async () => {
    await database().clear();
    const [first, second] = [await connect(), await connect()];
    // As one of a pooler does.
    expect(await schemaVersion(second, 1)).toBe(0);
    await first.query("BEGIN; SELECT pg_advisory_xact_lock(x'44534b54'::int, 1)");
    const waiting = migrate(second, migrations, 'app');
    const waits = "SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted";
    await expect.poll(() => database().query(waits)).toHaveLength(1);
    expect(await migrate(first, migrations, 'app')).toBe(0);
    expect(await waiting).toBe(1);
  });

  test('a database that is not UTF8 is rejected with the advice how to create it, and stays empty', async () => {
    const { server, query } = database();
    await query(
      "CREATE DATABASE plain OWNER app ENCODING 'SQL_ASCII' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0",
    );
    const url = server.url('plain', 'app');
    const reason =
      "The database has the encoding SQL_ASCII: create it with ENCODING 'UTF8' TEMPLATE template0";
    await expect(anotherStore({ url }).list(anna, everything)).rejects.toMatchObject({ reason });
    await expect(migrateDatabase({ url })).rejects.toMatchObject({ reason });
    const { rows } = await (await connect(url)).query("SELECT to_regnamespace('deskside_todo') AS schema");
    expect(rows).toStrictEqual([{ schema: null }]);
    expect((await inspectDatabase({ url }, [], 1)).problems).toMatchObject([
      ['The database has the encoding SQL_ASCII.', expect.stringContaining('Create a database')],
    ]);
  });

  test.each([
    [
      'of another program',
      'CREATE TABLE deskside_todo.users (x int)',
      /"users" already exists: .*use another database/,
    ],
    [
      'of another program with migrations',
      'CREATE TABLE deskside_todo.migrations (x int)',
      /another database/,
    ],
    [
      'of another user',
      'ALTER SCHEMA deskside_todo OWNER TO postgres',
      /permission denied.*deskside-todo migrate/,
    ],
  ])('a schema %s is left alone, and the reason says what to do', async (_, sql, pattern) => {
    await database().clear();
    await database().query(`CREATE SCHEMA deskside_todo AUTHORIZATION app; ${sql};
      DO $$ BEGIN EXECUTE (SELECT coalesce(string_agg('ALTER TABLE deskside_todo.' || tablename || ' OWNER TO app', ';'), 'SELECT 1')
        FROM pg_tables WHERE schemaname = 'deskside_todo'); END $$`);
    const tables = "SELECT tablename FROM pg_tables WHERE schemaname = 'deskside_todo'";
    const before = await database().query(tables);
    const failure = { failure: { code: 'UNAVAILABLE' }, reason: expect.stringMatching(pattern) };
    await expect(anotherStore().add(anna, task('Milk'))).rejects.toMatchObject(failure);
    expect(await database().query(tables)).toStrictEqual(before);
  });

  test('an error of the program in a transaction leaves no lock behind', async () => {
    const store = await openStore({ connections: 1 });
    await store.add(anna, task('Milk'));
    await expect(store.update(anna, 1, { after: [7] })).rejects.toThrow('do not exist: 7');
    const open = "SELECT * FROM pg_stat_activity WHERE usename = 'app' AND state LIKE 'idle in transaction%'";
    await expect.poll(() => database().query(open)).toStrictEqual([]);
    expect(await anotherStore().complete(anna, 1)).toMatchObject({ completed: true });
  });

  test('a further migration is applied once or not at all, and lets servers of this version go on', async () => {
    const store = await openStore();
    await store.add(anna, task('Milk'));
    const clients = [await connect(), await connect()];
    const failing = [
      ...migrations,
      { name: 'working', sql: 'DROP TABLE deskside_todo.tokens' },
      { name: 'failing', sql: 'SELECT nonsense' },
    ];
    await expect(migrate(await connect(), failing, 'app')).rejects.toThrow('nonsense');
    const next = 'ALTER TABLE deskside_todo.tasks ADD COLUMN shelf text';
    const all = [...migrations, { name: 'next', sql: next }];
    const versions = await Promise.all(clients.map((client) => migrate(client, all, 'app')));
    expect(new Set(versions)).toStrictEqual(new Set([migrations.length, all.length]));
    expect(await store.get(anna, 1)).toMatchObject({ title: 'Milk' });
    expect(await store.complete(anna, 1)).toMatchObject({ completed: true });
    expect(await store.tokens.read()).toStrictEqual([]);
    expect(await anotherStore().list(anna, everything)).toMatchObject({ tasks: [{ title: 'Milk' }] });
  });

  test('a newer database is used if it names this version as a reader, else rejected with the advice to upgrade', async () => {
    await (await openStore()).prepare();
    const migrated = 'INSERT INTO deskside_todo.migrations (version, name, minimum_reader) VALUES';
    await database().query(`${migrated} (99, 'added more', 1)`);
    expect(await anotherStore().list(anna, everything)).toMatchObject({ tasks: [] });
    await database().query(`${migrated} (100, 'changed all', 100)`);
    await expect(anotherStore().list(anna, everything)).rejects.toMatchObject({
      reason: expect.stringContaining('upgrade @deskside/todo'),
    });
  });

  test('a role without the right to create tables serves after another role has migrated', async () => {
    const { server, query } = database();
    await query('DROP ROLE IF EXISTS clerk; CREATE ROLE clerk LOGIN');
    const store = await openStore({ url: server.url('todo', 'clerk') });
    await expect(store.list(anna, everything)).rejects.toMatchObject({
      reason: expect.stringContaining('deskside-todo migrate'),
    });
    const migrating = anotherStore({ url: server.url('todo', 'clerk'), migrationUrl: database().url });
    await migrating.prepare();
    expect(await store.add(anna, task('Milk'))).toMatchObject({ id: 1 });
    expect(await store.complete(anna, 1)).toMatchObject({ completed: true });
    store.recordRejection(anna, 'invalid');
    expect((await store.readAudit(anna, 9)).counts).toMatchObject([{ outcome: 'invalid', calls: 1 }]);
    const clerk = await connect(server.url('todo', 'clerk'));
    const tokens = new TokenStore(store.tokens, 'token');
    await tokens.create({ name: 'phone', user: 'anna' });
    expect(await tokens.list()).toMatchObject([{ name: 'phone', user: 'anna' }]);
    for (const sql of ['DELETE FROM deskside_todo.audit', 'DROP TABLE deskside_todo.tasks']) {
      await expect(clerk.query(sql), sql).rejects.toThrow(/permission denied|must be owner/);
    }
  });

  test('the first call after a restart of the server does not notice it, and calls answer StoreUnavailable while it is away', async () => {
    const store = await openStore();
    await Promise.all(
      Array.from({ length: 20 }, (_, index) => store.add(callerContext(`${index}`), task('x'))),
    );
    const { server } = database();
    await server.stop();
    await server.start();
    expect(await store.add(anna, task('after the restart'))).toMatchObject({ id: 1 });
    await server.stop();
    await expect(store.list(anna, everything)).rejects.toThrow(StoreUnavailable);
    await expect(store.add(anna, task('lost'))).rejects.toThrow(StoreUnavailable);
    await server.start();
    expect(await store.add(anna, task('Milk'))).toMatchObject({ id: 2 });
    await Promise.all(
      Array.from({ length: 20 }, async (_, index) => {
        expect(await store.add(callerContext(`${index}`), task('y'))).toMatchObject({ id: 2 });
      }),
    );
  });

  test('a change whose connection ends before its answer is not repeated, and answers OutcomeUnknown', async () => {
    const store = await openStore();
    await store.add(anna, task('Milk'));
    const client = await connect(database().server.url('todo'));
    await client.query('BEGIN; LOCK deskside_todo.audit IN EXCLUSIVE MODE');
    const failure = store.add(anna, task('Cream')).catch((error: unknown) => error);
    const end =
      "SELECT pg_terminate_backend(pid) FROM pg_locks JOIN pg_stat_activity USING (pid) WHERE usename = 'app' AND NOT granted";
    await expect.poll(() => database().query(end)).toHaveLength(1);
    expect(await failure).toBeInstanceOf(OutcomeUnknown);
    await client.query('ROLLBACK');
    expect(titlesOf(await store.list(anna, everything))).toStrictEqual(['Milk']);
  });

  test('a call that waits for a lock for too long answers StoreBusy and has changed nothing', async () => {
    const store = await openStore({ waitMs: 1000 });
    await store.prepare();
    await store.add(anna, task('Milk'));
    const client = await connect(database().server.url('todo'));
    await client.query('BEGIN; LOCK deskside_todo.tasks IN EXCLUSIVE MODE');
    const answers = await Promise.allSettled([
      store.complete(anna, 1),
      store.update(anna, 1, { title: 'Cream' }),
      store.remove(anna, 1),
      store.remove(ben, 1),
    ]);
    const busy = { status: 'rejected', reason: expect.any(StoreBusy) };
    expect(answers).toMatchObject([busy, busy, busy, busy]);
    expect((await store.list(anna, everything)).tasks).toMatchObject([{ title: 'Milk', completed: false }]);
    await client.query('ROLLBACK');
    expect(await store.complete(anna, 1)).toMatchObject({ completed: true });
  });

  test('time limits of the role end neither a migration nor a call, and a connection that they end is replaced', async () => {
    const limits = ['statement_timeout', 'idle_session_timeout'];
    for (const name of limits) await database().query(`ALTER ROLE app SET ${name} = '300ms'`);
    onTestFinished(async () => {
      for (const name of limits) await database().query(`ALTER ROLE app RESET ${name}`);
    });
    const client = await connect(database().server.url('todo'));
    /** Lets the next work of a store wait for longer than the role may. */
    const delaying = async <T>(lock: string, work: () => Promise<T>): Promise<T> => {
      await client.query(`BEGIN; ${lock}`);
      const working = work();
      const waits =
        "SELECT FROM pg_locks JOIN pg_stat_activity USING (pid) WHERE usename = 'app' AND NOT granted";
      await expect.poll(() => database().query(waits)).toHaveLength(1);
      await client.query('SELECT pg_sleep(0.5); ROLLBACK');
      return working;
    };
    await database().clear();
    const store = anotherStore();
    await delaying("SELECT pg_advisory_xact_lock(x'44534b54'::int, 1)", () => store.prepare());
    const lock = 'LOCK deskside_todo.audit IN EXCLUSIVE MODE';
    expect(await delaying(lock, () => store.add(anna, task('Milk')))).toMatchObject({ id: 1 });
    const open = "SELECT FROM pg_stat_activity WHERE usename = 'app'";
    await expect.poll(() => database().query(open)).toStrictEqual([]);
    expect(await store.complete(anna, 1)).toMatchObject({ completed: true });
  });

  test('a call that is cancelled while it waits changes nothing, and the next one goes on', async () => {
    const store = await openStore();
    await store.add(anna, task('Milk'));
    const client = await connect(database().server.url('todo'));
    await client.query('BEGIN; LOCK deskside_todo.tasks IN EXCLUSIVE MODE');
    const cancelling = new AbortController();
    const first = store.add(anna, task('first'));
    const cancelled = store.add({ ...anna, signal: cancelling.signal }, task('cancelled'));
    const second = store.add(anna, task('second'));
    cancelling.abort(new Error('no longer needed'));
    await expect(cancelled).rejects.toThrow('no longer needed');
    await client.query('ROLLBACK');
    expect([await first, await second]).toMatchObject([{ id: 2 }, { id: 3 }]);
    await expect(store.add({ ...anna, signal: AbortSignal.abort() }, task('x'))).rejects.toThrow('aborted');
    expect(titlesOf(await store.list(anna, everything))).toStrictEqual(['second', 'first', 'Milk']);
  });

  test('calls end at their deadline if the database hangs: reads as unavailable, changes as unknown', async () => {
    const store = await openStore({ waitMs: 5000 });
    // Each has a connection.
    await Promise.all([store.add(anna, task('Milk')), store.list(anna, everything)]);
    // A server that starts meanwhile does not wait for it for ever.
    const starting = anotherStore();
    const answers = await database().server.whileFrozen(() =>
      Promise.allSettled([store.list(anna, everything), store.add(anna, task('Eggs')), starting.prepare()]),
    );
    const reasons = [StoreUnavailable, OutcomeUnknown, StoreUnavailable];
    expect(answers).toMatchObject(
      reasons.map((reason) => ({ status: 'rejected', reason: expect.any(reason) })),
    );
    expect(await starting.prepare()).toStrictEqual([]);
    expect(await anotherStore().complete(anna, 1)).toMatchObject({ completed: true });
  });

  test.each([
    ['behind', -10, ['anna', 'ben']],
    ['ahead of', 10, ['anna']],
  ])(
    'deleted texts and keys of all users are purged if they are old also on a clock that is %s that of the database',
    async (_, days, kept) => {
      const store = await openStore();
      for (const [user, deleted, key] of [
        ['anna', '29 days', '23 hours'],
        ['ben', '31 days', '25 hours'],
        ['carl', '41 days', '11 days 1 hour'],
      ] as const) {
        await store.add(callerContext(user), task('zebra'), 'key');
        await store.remove(callerContext(user), 1);
        await database().query(`
        UPDATE deskside_todo.tasks SET deleted_at = extract(epoch FROM now() - interval '${deleted}') * 1000 WHERE user_id = '${user}';
        UPDATE deskside_todo.idempotency_keys SET created_at = extract(epoch FROM now() - interval '${key}') * 1000 WHERE user_id = '${user}'`);
      }
      await anotherStore({ now: () => new Date(Date.now() + days * 86_400_000) }).prepare();
      for (const table of ['tasks', 'idempotency_keys']) {
        const users = `SELECT user_id FROM deskside_todo.${table} ORDER BY user_id`;
        const rows = kept.map((user) => ({ user_id: user }));
        await expect.poll(() => database().query(users), { message: table }).toStrictEqual(rows);
      }
    },
  );

  test('a list that was just imported is searched and claimed from at once, with the statistics of one task', async () => {
    const store = await openStore();
    await store.add(anna, task('unicorn'));
    await database().query('ANALYZE deskside_todo.tasks');
    const many = (count: number, after: number[]) =>
      store.addAll(
        anna,
        Array.from({ length: count }, (_, index) => ({ ...task(`many ${index}`), after })),
      );
    await many(1, []);
    await many(10_000, [2]);
    // This took longer than a call may take: it read all tasks for each task.
    expect(titlesOf(await store.list(anna, { ...everything, words: wordsOf('many 9999') }))).toStrictEqual([
      'many 9999',
    ]);
    expect(titlesOf(await store.list(anna, { ...everything, ready: true }))).toStrictEqual([
      'many 0',
      'unicorn',
    ]);
  });

  test('changes of one user that wait together are one transaction with their audit, in their order', async () => {
    const store = await openStore();
    await store.prepare();
    const calls = Array.from({ length: 33 }, (_, index) => store.add(anna, task(`task ${index}`)));
    expect((await Promise.all(calls)).map(({ id }) => id)).toStrictEqual(calls.map((_, index) => index + 1));
    const transactions = `SELECT count(DISTINCT xmin::text)::int AS count FROM
      (SELECT xmin FROM deskside_todo.tasks UNION ALL SELECT xmin FROM deskside_todo.audit) AS changes`;
    expect(await database().query(transactions)).toStrictEqual([{ count: 2 }]);
  });

  test('a server opens as many connections as it may', async () => {
    await database().clear();
    const peer = await connectTodo(LEGS[2], { database: database().url, connections: 2 });
    await Promise.all(Array.from({ length: 20 }, () => peer.callTool('list_tasks', { user_id: 'me' })));
    const own = "SELECT FROM pg_stat_activity WHERE application_name = 'deskside-todo'";
    await expect.poll(() => database().query(own)).toHaveLength(2);
  });

  test('closing, also twice, rejects later calls and ends all connections', async () => {
    const store = await openStore();
    await store.add(anna, task('Milk'));
    await store[Symbol.asyncDispose]();
    await store[Symbol.asyncDispose]();
    await expect(store.list(anna, everything)).rejects.toThrow(StoreUnavailable);
    const connections =
      "SELECT * FROM pg_stat_activity WHERE usename = 'app' AND application_name = 'deskside-todo'";
    await expect.poll(() => database().query(connections)).toStrictEqual([]);
  });

  test.skipIf(!hasPgBouncer).each(['session', 'transaction'] as const)(
    'behind PgBouncer with a connection per %s all calls work, and a subscriber learns what another server changes',
    async (mode) => {
      await database().clear();
      const url = await startPgBouncer(database().url, mode);
      const [store, other] = [anotherStore({ url }), anotherStore({ url })];
      const { id } = await store.add(anna, task('Milk'));
      const heard: (number | undefined)[] = [];
      onTestFinished(store.watch('anna', (changed) => void heard.push(changed)));
      // The first look tells nothing.
      const change = async () => {
        await other.update(anna, id, {});
        return heard;
      };
      await expect.poll(change).toContain(id);
      const holder = { key: 'agent', label: 'agent' };
      expect(await other.claim(anna, { id, holder, leaseMs: 60_000 })).toMatchObject({ kind: 'done' });
      expect(await store.complete(anna, id)).toMatchObject({ completed: true });
    },
  );

  const unchanged = { failure: { hint: expect.stringMatching(/^Nothing was changed/) } };

  test.skipIf(!hasPgBouncer)(
    'a change that gets no connection of a PgBouncer that keeps one per session answers that nothing was changed',
    async () => {
      await (await openStore()).prepare();
      const url = await startPgBouncer(database().url, 'session', ['default_pool_size = 1']);
      const store = anotherStore({ url, waitMs: 3000 });
      await store.prepare();
      const users = ['anna', 'ben', 'carl'];
      const changes = users.map((user) => store.add(callerContext(user), task('Milk')));
      const answers = await Promise.allSettled(changes);
      const rejected = answers.filter(({ status }) => status === 'rejected');
      expect(rejected.length).toBeGreaterThan(1);
      for (const answer of rejected) expect(answer).toMatchObject({ reason: unchanged });
      const rows = await database().query('SELECT FROM deskside_todo.tasks');
      expect(rows).toHaveLength(users.length - rejected.length);
    },
  );

  test.skipIf(!hasPgBouncer)(
    'a change that PgBouncer ends while it waits for a connection answers that nothing was changed',
    async () => {
      await (await openStore()).prepare();
      const settings = ['default_pool_size = 1', 'query_wait_timeout = 1'];
      const url = await startPgBouncer(database().url, 'transaction', settings);
      const store = anotherStore({ url });
      await store.add(anna, task('Milk'));
      const holder = await connect(url);
      await holder.query('BEGIN');
      await expect(store.add(anna, task('Cream'))).rejects.toMatchObject(unchanged);
      await holder.query('ROLLBACK');
      expect(titlesOf(await store.list(anna, everything))).toStrictEqual(['Milk']);
    },
  );

  test.skipIf(!hasPgBouncer)(
    'behind PgBouncer with a connection per statement no call works, and the reason says what to set',
    async () => {
      await database().clear();
      const url = await startPgBouncer(database().url, 'statement');
      const store = anotherStore({ url });
      const reason = expect.stringMatching(/statement pooling mode: set pool_mode = transaction/);
      const failure = { failure: { code: 'UNAVAILABLE' }, reason };
      await expect(store.prepare()).rejects.toMatchObject(failure);
      await expect(store.list(anna, everything)).rejects.toMatchObject(failure);
      await expect(store.add(anna, task('Milk'))).rejects.toMatchObject(failure);
      await expect(migrateDatabase({ url })).rejects.toMatchObject(failure);
      await expect(inspectDatabase({ url }, [], 1)).rejects.toMatchObject(failure);
      const created = "SELECT FROM pg_tables WHERE schemaname = 'deskside_todo'";
      expect(await database().query(created)).toStrictEqual([]);
    },
  );

  test('of several hosts in a URL calls use the first one that can be changed, and the next one when that is gone', async () => {
    const { server, query, port } = database();
    // As a replica.
    await query('ALTER DATABASE postgres SET default_transaction_read_only = on');
    const firstPort = String(await freePort());
    const first = await startPostgres({ listen_addresses: '127.0.0.1', port: firstPort });
    onTestFinished(() => first[Symbol.asyncDispose]());
    const hosts = [await freePort(), port, firstPort].map((each) => `127.0.0.1:${each}`).join(',');
    await using store = postgresTaskStore({ url: databasePath(`postgres://postgres@${hosts}/postgres`) });
    await store.add(anna, task('on the first'));
    await query('ALTER DATABASE postgres RESET default_transaction_read_only');
    await first.stop();
    // That the server has gone is known before this call, or with it.
    const during = await store.add(anna, task('during')).catch((error: unknown) => error);
    if (during instanceof Error) expect(during).toMatchObject({ failure: { code: 'UNAVAILABLE' } });
    await store.add(anna, task('on the replica'));
    const added = during instanceof Error ? ['on the replica'] : ['on the replica', 'during'];
    expect(titlesOf(await store.list(anna, everything))).toStrictEqual(added);
    await server.stop();
    await expect(store.list(anna, everything)).rejects.toThrow(StoreUnavailable);
    await expect(store.list(anna, everything)).rejects.toThrow(StoreUnavailable);
    await first.start();
    expect(titlesOf(await store.list(anna, everything))).toStrictEqual(['on the first']);
    await server.start();
  });

  describeSameAnswers(database);
  describeCommands(database);
  // The last ones: they change the server.
  describeTls(database);
});

function titlesOf({ tasks }: Awaited<ReturnType<TaskStore['list']>>): string[] {
  return tasks.map(({ title }) => title);
}
