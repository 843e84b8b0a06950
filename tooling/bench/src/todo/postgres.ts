import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { type PostgresServer, startPostgres } from '@deskside/testkit';
import { openTodo } from '@deskside/todo';
import { Pool } from 'pg';
import type { Figures } from '../benchmark.ts';
import { cpuOf } from '../process.ts';
import { inTurns, ratio, spreads } from '../statistics.ts';
import { CALLER, FOREIGN_TASKS, FOREIGN_USER, measureSearch, TASK, TASK_WORDS } from './reads.ts';

const run = promisify(execFile);

const ADDS = 200;
const ROUNDS = 8;

/** What a function must do at least for the same task: its row, its words, its audit row, and the next id. */
const BARE = `
  CREATE SCHEMA bare;
  CREATE TABLE bare.users (id text PRIMARY KEY, last_id bigint NOT NULL);
  CREATE TABLE bare.tasks (user_id text, id bigint, title text, description text, PRIMARY KEY (user_id, id));
  CREATE TABLE bare.words (user_id text, word text, task_id bigint, PRIMARY KEY (user_id, word, task_id));
  CREATE TABLE bare.audit (id bigserial PRIMARY KEY, actor text, tool text);
  CREATE FUNCTION bare.add(owner text, title text, description text, words text[]) RETURNS bigint LANGUAGE plpgsql AS $$
  DECLARE next_id bigint;
  BEGIN
    INSERT INTO bare.users VALUES (owner, 1) ON CONFLICT (id) DO UPDATE SET last_id = bare.users.last_id + 1
    RETURNING last_id INTO next_id;
    INSERT INTO bare.tasks VALUES (owner, next_id, title, description);
    INSERT INTO bare.words SELECT owner, word, next_id FROM unnest(words) AS word;
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
    add: () => pool.query('SELECT bare.add($1, $2, $3, $4)', [CALLER.user, title, description, TASK_WORDS]),
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
  return await measureSearch('PostgreSQL', server.url('search'), () => fill(server, 'search'));
}

/** The rows that a million calls leave. Without the triggers, which update a counter per task. */
async function fill(server: PostgresServer, database: string): Promise<void> {
  const words = `ARRAY['${TASK_WORDS.join("', '")}', 'n' || id]`;
  await psql(
    server,
    database,
    `SET session_replication_role = replica;
     INSERT INTO deskside_todo.tasks (user_id, id, title, description, completed, created_at)
     SELECT '${FOREIGN_USER}', id, '${TASK.title} n' || id, '${TASK.description}', false, now()
     FROM generate_series(2, ${FOREIGN_TASKS}) AS id;
     INSERT INTO deskside_todo.task_words
     SELECT user_id, unnest(${words}), id FROM deskside_todo.tasks WHERE id > 1;
     DELETE FROM deskside_todo.task_counts;
     INSERT INTO deskside_todo.task_counts
     SELECT user_id, id / 1000, count(*), 0 FROM deskside_todo.tasks GROUP BY 1, 2;
     UPDATE deskside_todo.users SET last_task_id = ${FOREIGN_TASKS};`,
  );
  // As the server does after a while.
  await psql(server, database, 'VACUUM ANALYZE');
}

async function psql(server: PostgresServer, database: string, sql: string): Promise<void> {
  await run('psql', ['--quiet', '--set', 'ON_ERROR_STOP=1', '--command', sql, server.url(database)]);
}
