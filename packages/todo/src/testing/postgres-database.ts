import { type PostgresServer, startPostgres } from '@deskside/testkit';
import { Client, type QueryResultRow } from 'pg';
import { afterAll, beforeAll } from 'vitest';

/** A server with an empty database, in which the role `app` creates and owns the tables. */
export interface PostgresDatabase {
  readonly server: PostgresServer;
  /** Connects as `app`. */
  readonly url: string;
  /** Runs statements as the superuser, for whom row level security does not apply. */
  query<Row extends QueryResultRow>(sql: string): Promise<Row[]>;
  /** Removes all tables. */
  clear(): Promise<void>;
  /** Removes all rows. */
  empty(): Promise<void>;
}

const NAME = 'todo';

/** Starts a server for the tests of a file. */
export function usePostgres(): () => PostgresDatabase {
  let database: PostgresDatabase | undefined;
  beforeAll(async () => {
    const server = await startPostgres();
    database = await createDatabase(server);
  });
  afterAll(async () => {
    await database?.server[Symbol.asyncDispose]();
  });
  return () => {
    if (database === undefined) throw new Error('Only tests use the database.');
    return database;
  };
}

export async function createDatabase(server: PostgresServer): Promise<PostgresDatabase> {
  await queryOnce(server.url('postgres'), 'CREATE ROLE app LOGIN');
  await queryOnce(server.url('postgres'), `CREATE DATABASE ${NAME} OWNER app`);
  const query = <Row extends QueryResultRow>(sql: string) => queryOnce<Row>(server.url(NAME), sql);
  return {
    server,
    url: server.url(NAME, 'app'),
    query,
    clear: async () => void (await query('DROP SCHEMA IF EXISTS deskside_todo CASCADE')),
    async empty() {
      const rows = await query<{ tables: string | null }>(
        "SELECT string_agg(oid::regclass::text, ', ') AS tables FROM pg_class WHERE relkind = 'r' AND relnamespace = to_regnamespace('deskside_todo') AND relname <> 'migrations'",
      );
      const tables = rows[0]?.tables ?? undefined;
      if (tables !== undefined) await query(`TRUNCATE ${tables} RESTART IDENTITY CASCADE`);
    },
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
