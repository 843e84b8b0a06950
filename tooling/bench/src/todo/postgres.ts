import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import {
  cleanEnvironment,
  connectHttp,
  type Peer,
  type PostgresServer,
  startPostgres,
  startProgram,
} from '@deskside/testkit';
import { temporaryFolder } from '@deskside/core/testing';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { Table } from '../benchmark.ts';

const REPLICAS = [1, 2, 4];
const CLIENTS = 16;
const SECONDS = 10;
const TOKEN = 'a-token-of-this-benchmark';

/** Adds over HTTP at several servers of one database, beside pgbench's own transactions in it. */
export async function measurePostgres(): Promise<Table> {
  // The disk is part of what is measured.
  await using server = await startPostgres({ fsync: 'on' });
  const rows = [['pgbench, its simple update', await pgbench(server)]];
  for (const count of REPLICAS) {
    const name = `${count} ${count === 1 ? 'server' : 'servers'}`;
    rows.push([name, (await addsPerSecond(server, count)).toFixed(0)]);
  }
  return {
    caption: `PostgreSQL, transactions per second with ${CLIENTS} clients (one add_task each)`,
    columns: ['Work', 'per second'],
    rows,
  };
}

async function pgbench(server: PostgresServer): Promise<string> {
  const url = server.url('postgres');
  await promisify(execFile)('pgbench', ['--initialize', '--quiet', url]);
  const options = ['--builtin', 'simple-update', '--client', String(CLIENTS), '--time', String(SECONDS)];
  const { stdout } = await promisify(execFile)('pgbench', [...options, url]);
  const [, rate = ''] = /^tps = ([\d.]+)/m.exec(stdout) ?? [];
  return Number(rate).toFixed(0);
}

/** Each client works for another user: changes of one user wait for each other. */
async function addsPerSecond(server: PostgresServer, replicas: number): Promise<number> {
  const users = Array.from({ length: CLIENTS }, (_, index) => `user${index}`);
  using home = temporaryFolder();
  await using cleanup = new AsyncDisposableStack();
  const urls: string[] = [];
  for (let index = 0; index < replicas; index += 1) {
    const program = cleanup.use(
      startProgram({
        command: process.execPath,
        args: [bin(), '--http', '--port', '0'],
        env: {
          ...cleanEnvironment(home.path),
          DESKSIDE_TOKEN: TOKEN,
          TODO_DATABASE_URL: server.url('postgres'),
          TODO_DELEGATED_USERS: users.join(','),
        },
      }),
    );
    const [, url = ''] = await program.printed(/serves MCP at (\S+)\n/);
    urls.push(url);
  }
  const peers: Peer[] = [];
  for (const index of users.keys()) {
    const url = urls[index % urls.length] ?? '';
    peers.push(cleanup.use(await connectHttp(url, { era: 'modern', token: TOKEN })));
  }
  const add = (peer: Peer, index: number) =>
    peer.callTool('add_task', { user_id: users[index] ?? '', title: 'Buy groceries' });
  await Promise.all(peers.map(add));
  const end = performance.now() + SECONDS * 1000;
  let added = 0;
  await Promise.all(
    peers.map(async (peer, index) => {
      while (performance.now() < end) {
        const { isError } = await add(peer, index);
        if (isError === true) throw new Error('An add_task failed.');
        added += 1;
      }
    }),
  );
  return added / SECONDS;
}

/** The built program, as a user runs it. */
function bin(): string {
  const manifest = createRequire(import.meta.url).resolve('@deskside/todo/package.json');
  return join(dirname(manifest), 'dist/bin/cli.js');
}
