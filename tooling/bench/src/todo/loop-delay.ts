import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { programOf } from '@deskside/checks/src/workspace.ts';
import { temporaryFolder } from '@deskside/core/testing';
import { cleanEnvironment, connectHttp, type Peer, type Program, startProgram } from '@deskside/testkit';
import type { Figures, Ratio } from '../benchmark.ts';
import { TOKEN } from '../calls.ts';
import { minimum } from '../statistics.ts';

const ROUNDS = 8;
const CALLS = 500;
const IDLE_MS = 1000;
/** As many as a page has at most. */
const LISTED_TASKS = 500;
const TASK = { title: 'Buy groceries', description: 'Milk, eggs, bread' };

const title = (name: string) => `event loop, ${name}, least p99, ms`;

/** How long the event loop of a server stops while it answers many calls at once, each on its own connection. */
export async function measureLoopDelay(): Promise<Figures> {
  using home = temporaryFolder();
  const env = {
    ...cleanEnvironment(home.path),
    DESKSIDE_TOKEN: TOKEN,
    TODO_DATABASE_URL: join(home.path, 'todo.sqlite'),
  };
  const monitor = join(import.meta.dirname, 'loop-delay-monitor.mjs');
  const args = ['--import', monitor, programOf('packages/todo'), '--http', '--port', '0'];
  await using program = startProgram({ command: process.execPath, args, env });
  const [, url = ''] = await program.printed(/serves MCP at (\S+)\n/);
  await using clients = new AsyncDisposableStack();
  const connect = async () => clients.use(await connectHttp(url, { era: 'modern', token: TOKEN }));
  const peers = await Promise.all(Array.from({ length: CALLS }, connect));
  const works = {
    idle: () => delay(IDLE_MS),
    adds: () => atOnce(peers, 'add_task', TASK),
    lists: () => atOnce(peers, 'list_tasks', { limit: LISTED_TASKS }),
  };
  const delaysDuring = monitorOf(program);
  // The warm-up also adds the tasks that are listed.
  await works.adds();
  await works.lists();
  const runs: Record<keyof typeof works, number[]> = { idle: [], adds: [], lists: [] };
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const name of ['idle', 'adds', 'lists'] as const) runs[name].push(await delaysDuring(works[name]));
  }
  // Other programs on the machine only add to a delay.
  const least = (name: keyof typeof works) => minimum(runs[name]);
  const above = (name: keyof typeof works): Ratio => ({
    title: `event loop under ${CALLS} parallel ${name} above idle, p99, ms`,
    value: least(name) - least('idle'),
    target: { atMost: 20 },
  });
  const numbers = Object.entries(runs).map(([name, values]) => [title(name), minimum(values)]);
  return { numbers: Object.fromEntries(numbers), ratios: [above('adds'), above('lists')] };
}

async function atOnce(peers: readonly Peer[], tool: string, args: object): Promise<void> {
  const results = await Promise.all(peers.map((peer) => peer.callTool(tool, { user_id: 'me', ...args })));
  const failed = results.find(({ isError }) => isError === true);
  if (failed !== undefined) throw new Error(`${tool}: ${JSON.stringify(failed.content)}`);
}

/** @returns the 99th percentile of the delays during some work, in milliseconds */
function monitorOf(program: Program) {
  let asked = 0;
  async function read(): Promise<number> {
    asked += 1;
    program.child.kill('SIGUSR2');
    const [, p99] = await program.printed(new RegExp(`^loop delay ${asked}: (.*)\n`, 'm'));
    return Number(p99);
  }
  return async (work: () => Promise<void>): Promise<number> => {
    await read();
    await work();
    return read();
  };
}
