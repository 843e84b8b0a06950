import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { type PostgresServer, startPostgres } from '@deskside/testkit';
import type { Table } from '../benchmark.ts';
import { cpuTime } from '../process-cpu.ts';
import { minimum, shuffled } from '../statistics.ts';
import { CALLER, measureReads, READ_COLUMNS, SIZES, TASK } from './reads.ts';
import { startTodo, type TodoServer } from './server.ts';

const REPLICAS = [1, 2, 4];
const CLIENTS = 16;
const SECONDS = 3;
const ROUNDS = 4;
const run = promisify(execFile);

interface Throughput {
  readonly perSecond: number;
  /** Of the servers; undefined for pgbench. */
  readonly cpuMs?: number;
}

/** Adds over HTTP at several servers of one database, beside pgbench's own transactions in it; lists and searches. */
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

async function measureAdds(server: PostgresServer): Promise<Table> {
  await using cleanup = new AsyncDisposableStack();
  const subjects = [await openPgbench(server)];
  for (const replicas of REPLICAS) subjects.push(await openServers(server, replicas, cleanup));
  const runs = new Map<(typeof subjects)[number], Throughput[]>();
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const subject of shuffled(subjects)) {
      runs.set(subject, [...(runs.get(subject) ?? []), await subject.measure()]);
    }
  }
  return {
    caption: `Adding to PostgreSQL with ${CLIENTS} clients for ${CLIENTS} users (the best of ${ROUNDS} runs)`,
    columns: ['Work', 'transactions per second', 'CPU of the servers, ms per add_task'],
    rows: subjects.map((subject) => {
      const measured = runs.get(subject) ?? [];
      const cpu = measured.flatMap(({ cpuMs }) => cpuMs ?? []);
      return [
        subject.name,
        Math.max(...measured.map(({ perSecond }) => perSecond)).toFixed(0),
        cpu.length === 0 ? '' : minimum(cpu).toFixed(2),
      ];
    }),
  };
}

interface Subject {
  readonly name: string;
  readonly measure: () => Promise<Throughput>;
}

async function openPgbench(server: PostgresServer): Promise<Subject> {
  const url = server.url('postgres');
  await run('pgbench', ['--initialize', '--quiet', url]);
  const options = ['--builtin', 'simple-update', '--client', String(CLIENTS), '--time', String(SECONDS)];
  return {
    name: 'pgbench, its simple update',
    async measure() {
      const { stdout } = await run('pgbench', [...options, url]);
      const [, rate = ''] = /^tps = ([\d.]+)/m.exec(stdout) ?? [];
      return { perSecond: Number(rate) };
    },
  };
}

/** Each client works for another user: changes of one user wait for each other. */
async function openServers(
  server: PostgresServer,
  replicas: number,
  cleanup: AsyncDisposableStack,
): Promise<Subject> {
  const delegatedUsers = Array.from({ length: CLIENTS }, (_, index) => `user${index}`);
  const servers: TodoServer[] = [];
  for (let index = 0; index < replicas; index += 1) {
    const database = server.url('postgres');
    servers.push(cleanup.use(await startTodo({ database, delegatedUsers })));
  }
  const cpu = () => servers.reduce((sum, { program }) => sum + cpuTime(program.child.pid ?? 0), 0);
  return {
    name: `${replicas} ${replicas === 1 ? 'server' : 'servers'}, one add_task each`,
    async measure() {
      // New connections: a server closes those that were idle during the other runs.
      const clients = await Promise.all(
        delegatedUsers.map(async (user, index) => {
          const call = await servers[index % replicas]?.client();
          return async () => call?.('add_task', { ...TASK, user_id: user });
        }),
      );
      await Promise.all(clients.map((add) => add()));
      const cpuBefore = cpu();
      const start = performance.now();
      let added = 0;
      await Promise.all(
        clients.map(async (add) => {
          while (performance.now() < start + SECONDS * 1000) {
            await add();
            added += 1;
          }
        }),
      );
      const seconds = (performance.now() - start) / 1000;
      return { perSecond: added / seconds, cpuMs: (cpu() - cpuBefore) / added };
    },
  };
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
