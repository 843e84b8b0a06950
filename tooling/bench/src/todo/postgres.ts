import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { type PostgresServer, startPostgres } from '@deskside/testkit';
import type { Table } from '../benchmark.ts';
import { cpuTime } from '../process-cpu.ts';
import { minimum } from '../statistics.ts';
import { CALLER, measureReads, READ_COLUMNS, SIZES, TASK } from './reads.ts';
import { startTodo, type TodoServer } from './server.ts';

const CLIENTS = 16;
const SECONDS = 3;
const ROUNDS = 4;
const run = promisify(execFile);

/** Adds over HTTP; lists and searches. */
export async function measurePostgres(): Promise<readonly Table[]> {
  // The disk is part of what is measured.
  await using server = await startPostgres({ fsync: 'on' });
  const reads: string[][] = [];
  for (const size of SIZES) {
    await psql(server, 'postgres', `CREATE DATABASE reads${size}`);
    const url = server.url(`reads${size}`);
    reads.push(await measureReads(url, size, (count) => fill(server, `reads${size}`, count)));
  }
  return [
    await measureAdds(server),
    { caption: 'Reading from PostgreSQL, ms per call (median)', columns: READ_COLUMNS, rows: reads },
  ];
}

/** Each client works for another user: changes of one user wait for each other. */
async function measureAdds(server: PostgresServer): Promise<Table> {
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
    caption: `Adding to PostgreSQL with ${CLIENTS} clients for ${CLIENTS} users (the best of ${ROUNDS} runs)`,
    columns: ['Work', 'transactions per second', 'CPU of the server, ms per add_task'],
    rows: [
      [
        '1 server, one add_task each',
        Math.max(...rounds.map(({ perSecond }) => perSecond)).toFixed(0),
        minimum(rounds.map(({ cpuMs }) => cpuMs)).toFixed(2),
      ],
    ],
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
async function fill(server: PostgresServer, database: string, size: number): Promise<void> {
  const words = "ARRAY['bread', 'buy', 'eggs', 'groceries', 'milk', 'n' || id]";
  await psql(
    server,
    database,
    `SET session_replication_role = replica;
     INSERT INTO deskside_todo.tasks (user_id, id, title, description, completed, created_at, words)
     SELECT '${CALLER.user}', id, '${TASK.title} n' || id, '${TASK.description}', false, now(), array_to_tsvector(${words})
     FROM generate_series(2, ${size}) AS id;
     DELETE FROM deskside_todo.task_counts;
     INSERT INTO deskside_todo.task_counts
     SELECT user_id, id / 1000, count(*), 0 FROM deskside_todo.tasks GROUP BY 1, 2;
     UPDATE deskside_todo.users SET last_task_id = ${size};`,
  );
  // As the server does after a while.
  await psql(server, database, 'VACUUM ANALYZE');
}

async function psql(server: PostgresServer, database: string, sql: string): Promise<void> {
  await run('psql', ['--quiet', '--set', 'ON_ERROR_STOP=1', '--command', sql, server.url(database)]);
}
