import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { type PostgresServer, startPostgres } from '@deskside/testkit';
import type { Figures } from '../benchmark.ts';
import { FOREIGN_TASKS, FOREIGN_USER, measureSearch, TASK, TASK_WORDS } from './reads.ts';

const run = promisify(execFile);

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
