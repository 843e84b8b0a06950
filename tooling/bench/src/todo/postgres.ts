import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { type PostgresServer, startPostgres } from '@deskside/testkit';
import type { Figures, Numbers } from '../benchmark.ts';
import { cpuTime } from '../process-cpu.ts';
import { minimum } from '../statistics.ts';
import { FOREIGN_TASKS, FOREIGN_USER, measureSearch, TASK, TASK_WORDS } from './reads.ts';
import { startTodo, type TodoServer } from './server.ts';

const CLIENTS = 16;
const SECONDS = 3;
const ROUNDS = 4;
const run = promisify(execFile);

/** Adds over HTTP, and a search. */
export async function measurePostgres(): Promise<Figures> {
  // The disk is part of what is measured.
  await using server = await startPostgres({ fsync: 'on' });
  await psql(server, 'postgres', 'CREATE DATABASE search');
  const search = await measureSearch('PostgreSQL', server.url('search'), () => fill(server, 'search'));
  return { numbers: { ...(await measureAdds(server)), ...search.numbers }, ratios: search.ratios };
}

/** Each client works for another user: changes of one user wait for each other. */
async function measureAdds(server: PostgresServer): Promise<Numbers> {
  const delegatedUsers = Array.from({ length: CLIENTS }, (_, index) => `user${index}`);
  await using todo = await startTodo({ database: server.url('postgres'), delegatedUsers });
  const clients = await Promise.all(
    delegatedUsers.map(async (user) => {
      const call = await todo.client();
      return () => call('add_task', { ...TASK, user_id: user });
    }),
  );
  await Promise.all(clients.map((add) => add()));
  const rounds: { readonly perSecond: number; readonly cpuMs: number }[] = [];
  for (let round = 0; round < ROUNDS; round += 1) rounds.push(await addFor(SECONDS, clients, todo));
  return {
    [`PostgreSQL, ${CLIENTS} clients, add_task per second`]: Math.max(
      ...rounds.map(({ perSecond }) => perSecond),
    ),
    'PostgreSQL, CPU of the server per add_task, ms': minimum(rounds.map(({ cpuMs }) => cpuMs)),
  };
}

async function addFor(seconds: number, clients: readonly (() => Promise<void>)[], { program }: TodoServer) {
  const cpuBefore = cpuTime(program.child.pid ?? 0);
  const start = performance.now();
  let added = 0;
  await Promise.all(
    clients.map(async (add) => {
      while (performance.now() < start + seconds * 1000) {
        await add();
        added += 1;
      }
    }),
  );
  const perSecond = added / ((performance.now() - start) / 1000);
  return { perSecond, cpuMs: (cpuTime(program.child.pid ?? 0) - cpuBefore) / added };
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
