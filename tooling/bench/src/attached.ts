import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Cost, measure, type Subject } from './attached/measure.ts';
import type { Benchmark, Figures } from './benchmark.ts';
import { median, minimum, shuffled } from './statistics.ts';

const ROUNDS = 20;

const bin = join(
  dirname(fileURLToPath(import.meta.resolve('@deskside/aggregator/package.json'))),
  'dist/bin/cli.js',
);

type Costs = ReadonlyMap<Subject, Cost[]>;

export const attached: Benchmark = {
  name: 'attached',
  title: 'A client of the desk',
  meaning: 'Each agent costs little more than an empty Node.js while the desk runs.',
  method: `\`deskside stdio\`, the process that a host starts for each agent, and a Node.js that does nothing. Each is started ${ROUNDS} times after a warm-up, in random order. CPU is that of all threads from the spawn to the answer of \`tools/list\` (2025-11-25), for the empty program until it is idle. Memory is the proportional set size half a second later.`,
  caveats: ['The desk itself is one process for all clients and is not included.'],
  async run() {
    const home = await mkdtemp(join(tmpdir(), 'deskside-bench-'));
    try {
      return report(await measureAll([empty, client], home));
    } finally {
      await once(spawn(process.execPath, [bin, 'stop'], { env: { HOME: home }, stdio: 'ignore' }), 'exit');
      await rm(home, { recursive: true, force: true });
    }
  },
};

const empty: Subject = {
  name: 'empty Node.js',
  args: [join(import.meta.dirname, 'attached/empty.mjs')],
  answers: false,
};
const client: Subject = {
  name: 'deskside stdio',
  // The first start waits for the desk, which takes longer than a second on a busy machine.
  args: [bin, 'stdio', '--attach-timeout', '60'],
  answers: true,
};

async function measureAll(subjects: readonly Subject[], home: string): Promise<Costs> {
  const costs = new Map(subjects.map((subject) => [subject, [] as Cost[]]));
  for (const subject of subjects) await measure(subject, home);
  for (let round = 0; round < ROUNDS; round++) {
    for (const subject of shuffled(subjects)) costs.get(subject)?.push(await measure(subject, home));
  }
  return costs;
}

function report(costs: Costs): Figures {
  const cpu = (subject: Subject) => (costs.get(subject) ?? []).map((cost) => cost.cpu);
  const memory = (subject: Subject) => (costs.get(subject) ?? []).map((cost) => cost.memory);
  return {
    tables: [
      {
        columns: ['Program', 'CPU minimum, ms', 'CPU median, ms', 'Memory minimum, MB', 'Memory median, MB'],
        rows: [empty, client].map((subject) => row(subject.name, cpu(subject), memory(subject))),
      },
    ],
    ratios: [
      {
        title: `${client.name} to ${empty.name}, CPU minimum`,
        value: minimum(cpu(client)) / minimum(cpu(empty)),
        target: { atMost: 1.5 },
      },
      {
        title: `${client.name} above ${empty.name}, memory median, MB`,
        value: median(memory(client)) - median(memory(empty)),
        target: { atMost: 3 },
      },
    ],
  };
}

function row(name: string, cpu: readonly number[], memory: readonly number[]): (string | number)[] {
  return [
    name,
    Math.round(minimum(cpu)),
    Math.round(median(cpu)),
    minimum(memory).toFixed(1),
    median(memory).toFixed(1),
  ];
}
