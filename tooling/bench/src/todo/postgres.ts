import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { type PostgresServer, startPostgres } from '@deskside/testkit';
import { openTodo } from '@deskside/todo';
import { Pool } from 'pg';
import type { Figures } from '../benchmark.ts';
import { cpuOf } from '../process.ts';
import { inTurns, ratio, spreads } from '../statistics.ts';
import { CALLER, measureSearch, TASK } from './reads.ts';

const run = promisify(execFile);

const ADDS = 200;
const ROUNDS = 8;

/** What a function must do at least for the same task: its row, its audit row, and the next id. */
const BARE = `
  CREATE SCHEMA bare;
  CREATE TABLE bare.users (id text PRIMARY KEY, last_id bigint NOT NULL);
  CREATE TABLE bare.tasks (user_id text, id bigint, title text, description text, PRIMARY KEY (user_id, id));
  CREATE TABLE bare.audit (id bigserial PRIMARY KEY, actor text, tool text);
  CREATE FUNCTION bare.add(owner text, title text, description text) RETURNS bigint LANGUAGE plpgsql AS $$
  DECLARE next_id bigint;
  BEGIN
    INSERT INTO bare.users VALUES (owner, 1) ON CONFLICT (id) DO UPDATE SET last_id = bare.users.last_id + 1
    RETURNING last_id INTO next_id;
    INSERT INTO bare.tasks VALUES (owner, next_id, title, description);
    INSERT INTO bare.audit (actor, tool) VALUES (owner, 'bench');
    RETURN next_id;
  END $$`;

async function repeat(add: () => Promise<unknown>): Promise<void> {
  for (let added = 0; added < ADDS; added += 1) await add();
}

/** Adds one by one, beside one bare function call each: CPU of this process. */
export async function measurePostgresAdds(): Promise<Figures> {
  await using server = await startPostgres({ fsync: 'on' });
  await psql(server, 'postgres', BARE);
  const pool = new Pool({ connectionString: server.url('postgres') });
  await using todo = openTodo({ database: server.url('postgres') });
  const store = await todo.store();
  const { title, description } = TASK;
  const bare = {
    name: 'one bare function call with pg',
    add: () => pool.query('SELECT bare.add($1, $2, $3)', [CALLER.user, title, description]),
  };
  const own = { name: 'todo on PostgreSQL, an add', add: () => store.add(CALLER, TASK) };
  for (const { add } of [bare, own]) await repeat(add);
  const costs = await inTurns(
    ROUNDS,
    [bare, own],
    async ({ add }) => (await cpuOf(() => repeat(add))) / ADDS,
  );
  await pool.end();
  return { numbers: spreads(costs, 'CPU, ms'), ratios: [ratio(costs, [own, bare], 'CPU', 2)] };
}

export async function measurePostgresSearch(): Promise<Figures> {
  // The disk is part of what is measured.
  await using server = await startPostgres({ fsync: 'on' });
  await psql(server, 'postgres', 'CREATE DATABASE search');
  return await measureSearch('PostgreSQL', server.url('search'), async (sql) => {
    await psql(server, 'search', `SET search_path TO deskside_todo; ${sql}`);
    // As the server does after a while.
    await psql(server, 'search', 'VACUUM ANALYZE');
  });
}

async function psql(server: PostgresServer, database: string, sql: string): Promise<void> {
  await run('psql', ['--quiet', '--set', 'ON_ERROR_STOP=1', '--command', sql, server.url(database)]);
}
