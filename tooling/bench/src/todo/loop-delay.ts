import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Figures, Ratio } from '../benchmark.ts';
import { minimum } from '../statistics.ts';
import { startTodo, type TodoServer } from './server.ts';

const ROUNDS = 8;
const CALLS = 500;
const IDLE_MS = 1000;
/** As many as a page has at most. */
const LISTED_TASKS = 500;
const TASK = { title: 'Buy groceries', description: 'Milk, eggs, bread' };
const MONITOR = join(import.meta.dirname, 'loop-delay-monitor.mjs');

/** How long the event loop of a server stops while it answers many calls at once, each on its own connection. */
export async function measureLoopDelay(): Promise<Figures> {
  await using server = await startTodo(['--import', MONITOR]);
  const { delaysDuring } = monitorOf(server);
  const works = {
    idle: () => delay(IDLE_MS),
    adds: () => atOnce(server, 'add_task', TASK),
    lists: () => atOnce(server, 'list_tasks', { limit: LISTED_TASKS }),
  };
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
  const numbers = (['idle', 'adds', 'lists'] as const).map((name) => [
    `event loop, ${name}, least p99, ms`,
    least(name),
  ]);
  return { numbers: Object.fromEntries(numbers), ratios: [above('adds'), above('lists')] };
}

async function atOnce(server: TodoServer, tool: string, args: object): Promise<void> {
  const clients = await Promise.all(Array.from({ length: CALLS }, () => server.client()));
  await Promise.all(clients.map((call) => call(tool, args)));
}

function monitorOf({ program }: TodoServer) {
  let asked = 0;
  async function read(): Promise<number> {
    asked += 1;
    program.child.kill('SIGUSR2');
    const [, p99] = await program.printed(new RegExp(`^loop delay ${asked}: (.*)\n`, 'm'));
    return Number(p99);
  }
  return {
    async delaysDuring(work: () => Promise<void>): Promise<number> {
      await read();
      await work();
      return read();
    },
  };
}
