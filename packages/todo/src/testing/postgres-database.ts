import { freePort, type PostgresServer, startPostgres } from '@deskside/testkit';
import { Client, type QueryResultRow } from 'pg';
import { afterAll, beforeAll } from 'vitest';

export type PostgresDatabase = Awaited<ReturnType<typeof createDatabase>>;

const NAME = 'todo';

/** Starts a server for the tests of a file. */
export function usePostgres(): () => PostgresDatabase {
  let database: PostgresDatabase | undefined;
  beforeAll(async () => {
    const port = String(await freePort());
    const server = await startPostgres({ listen_addresses: 'localhost', port });
    database = await createDatabase(server, port);
  });
  afterAll(async () => {
    await database?.server[Symbol.asyncDispose]();
  });
  return () => {
    if (database === undefined) throw new Error('Only tests use the database.');
    return database;
  };
}

/** A server with an empty database, in which the role `app` creates and owns the tables. */
async function createDatabase(server: PostgresServer, port: string) {
  await queryOnce(server.url('postgres'), 'CREATE ROLE app LOGIN');
  await queryOnce(server.url('postgres'), `CREATE DATABASE ${NAME} OWNER app`);
  /** Runs statements as the superuser, for whom row level security does not apply. */
  const query = <Row extends QueryResultRow>(sql: string) => queryOnce<Row>(server.url(NAME), sql);
  return {
    server,
    /** Of localhost. */
    port,
    /** Connects as `app`. */
    url: server.url(NAME, 'app'),
    query,
    /** Removes all tables. */
    clear: async () => void (await query('DROP SCHEMA IF EXISTS deskside_todo CASCADE')),
    /** Removes all rows, faster than TRUNCATE, which makes new files. */
    empty: async () =>
      void (await query(`DO $$ DECLARE name text; BEGIN
        FOREACH name IN ARRAY ARRAY['tasks', 'idempotency_keys', 'users', 'call_counts', 'audit', 'tokens'] LOOP
          IF to_regclass('deskside_todo.' || name) IS NOT NULL THEN EXECUTE 'DELETE FROM deskside_todo.' || name; END IF;
        END LOOP; END $$`)),
  };
}

async function queryOnce<Row extends QueryResultRow>(url: string, sql: string): Promise<Row[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Row>(sql)).rows;
  } finally {
    await client.end();
  }
}
