import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Benchmark, Figures } from './benchmark.ts';
import { cpuTime } from './process-cpu.ts';
import { memorySize } from './process-memory.ts';
import { attachedClient as client, stopDesk } from './desk.ts';
import { start, type Subject } from './start.ts';
import { inTurns, median, only, ratio, spreads } from './statistics.ts';

const ROUNDS = 20;
const SETTLE_MS = 500;
const POLL_MS = 50;
/** A process that got no CPU for one poll may only be waiting for it on a busy machine. */
const IDLE_POLLS = 8;

interface Cost {
  /** CPU milliseconds until the answer of `tools/list`, or until the program is idle. */
  readonly cpu: number;
  /** Proportional set size half a second later, in megabytes. */
  readonly memory: number;
}

export const attached: Benchmark = {
  name: 'attached',
  title: 'A client of the desk',
  meaning: 'Each agent costs little more than an empty Node.js while the desk runs.',
  method: `\`deskside stdio\`, and a Node.js that does nothing. Each is started ${ROUNDS} times in random order. CPU time of all threads until the answer of \`tools/list\` (2025-11-25) or, for the empty program, until it is idle. Memory is the proportional set size half a second later, without the desk itself.`,
  async run() {
    const home = await mkdtemp(join(tmpdir(), 'deskside-bench-'));
    try {
      const measure = (subject: Subject) => (subject === empty ? emptyCost(home) : clientCost(home));
      for (const subject of [empty, client]) await measure(subject);
      return report(await inTurns(ROUNDS, [empty, client], measure));
    } finally {
      await stopDesk(home);
      await rm(home, { recursive: true, force: true });
    }
  },
};

const empty: Subject = {
  name: 'empty Node.js',
  script: join(import.meta.dirname, 'attached/empty.mjs'),
  args: [],
};

async function clientCost(home: string): Promise<Cost> {
  let memory = 0;
  const { cpu } = await start(client, home, async (pid) => {
    memory = await settledSize(pid);
  });
  return { cpu, memory };
}

async function emptyCost(home: string): Promise<Cost> {
  const child = spawn(process.execPath, [empty.script], { env: { HOME: home }, cwd: home, stdio: 'pipe' });
  const { pid = 0 } = child;
  await idle(pid);
  const cost = { cpu: cpuTime(pid), memory: await settledSize(pid) };
  child.kill('SIGKILL');
  await once(child, 'exit');
  return cost;
}

/** Resolves when the program needed no CPU for a while. */
async function idle(pid: number): Promise<void> {
  let last = -1;
  for (let polls = 0; polls < IDLE_POLLS; polls += 1) {
    await delay(POLL_MS);
    const now = cpuTime(pid);
    if (now !== last) polls = 0;
    last = now;
  }
}

async function settledSize(pid: number): Promise<number> {
  await delay(SETTLE_MS);
  return memorySize(pid);
}

function report(costs: ReadonlyMap<Subject, readonly Cost[]>): Figures {
  const cpu = only(costs, (cost) => cost.cpu);
  const memory = only(costs, (cost) => cost.memory);
  return {
    numbers: { ...spreads(cpu, 'CPU, ms'), ...spreads(memory, 'memory, MB') },
    ratios: [
      ratio(cpu, [client, empty], 'CPU minimum', 1.5),
      {
        title: `${client.name} above ${empty.name}, memory median, MB`,
        value: median(memory.get(client) ?? []) - median(memory.get(empty) ?? []),
        target: { atMost: 3 },
      },
    ],
  };
}
