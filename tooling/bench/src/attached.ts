import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { type Cost, measure, type Subject } from './attached/measure.ts';
import type { Benchmark, BenchmarkReport, Ratio } from './benchmark.ts';
import { median, minimum, shuffled } from './statistics.ts';

const ROUNDS = 20;

const folder = join(import.meta.dirname, 'attached');
const bin = join(
  dirname(fileURLToPath(import.meta.resolve('@deskside/aggregator/package.json'))),
  'dist/bin/cli.js',
);

type Costs = ReadonlyMap<Subject, Cost[]>;

export const attached: Benchmark = {
  name: 'attached',
  title: 'A client of the desk',
  async run() {
    const home = await mkdtemp(join(tmpdir(), 'deskside-bench-'));
    const address = join(home, 'peer.sock');
    const peer = await listen(address);
    const subjects = subjectsOf(address);
    try {
      return report(subjects, await measureAll(Object.values(subjects), home));
    } finally {
      await once(spawn(process.execPath, [bin, 'stop'], { env: { HOME: home }, stdio: 'ignore' }), 'exit');
      peer.close();
      await rm(home, { recursive: true, force: true });
    }
  },
};

interface Subjects {
  readonly empty: Subject;
  readonly pipe: Subject;
  readonly client: Subject;
}

function subjectsOf(address: string): Subjects {
  return {
    empty: { name: 'empty Node.js', args: [join(folder, 'empty.mjs')], answers: false },
    pipe: { name: 'bare socket pipe', args: [join(folder, 'pipe.mjs'), address], answers: true },
    // The first start waits for the desk, which takes longer than a second on a busy machine.
    client: { name: 'deskside stdio', args: [bin, 'stdio', '--attach-timeout', '60'], answers: true },
  };
}

/** The other end of the bare pipe: it answers every request with an empty result. */
async function listen(address: string): Promise<Server> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    createInterface({ input: socket }).on('line', (line) => {
      const { id } = JSON.parse(line) as { readonly id?: number };
      if (id !== undefined) socket.write(`${JSON.stringify({ jsonrpc: '2.0', id, result: {} })}\n`);
    });
  });
  server.listen(address);
  await once(server, 'listening');
  return server;
}

async function measureAll(subjects: readonly Subject[], home: string): Promise<Costs> {
  const costs = new Map(subjects.map((subject) => [subject, [] as Cost[]]));
  for (const subject of subjects) await measure(subject, home);
  for (let round = 0; round < ROUNDS; round++) {
    for (const subject of shuffled(subjects)) costs.get(subject)?.push(await measure(subject, home));
  }
  return costs;
}

function report({ empty, pipe, client }: Subjects, costs: Costs): BenchmarkReport {
  const cpu = (subject: Subject) => (costs.get(subject) ?? []).map((cost) => cost.cpu);
  const memory = (subject: Subject) => (costs.get(subject) ?? []).map((cost) => cost.memory);
  const cpuRatio = (subject: Subject, atMost: number): Ratio => ({
    title: `${subject.name} to ${empty.name}, CPU minimum`,
    value: minimum(cpu(subject)) / minimum(cpu(empty)),
    target: { atMost },
  });
  const added = (subject: Subject, atMost: number): Ratio => ({
    title: `${subject.name} above ${empty.name}, memory median, MB`,
    value: median(memory(subject)) - median(memory(empty)),
    target: { atMost },
  });
  return {
    compared:
      'The process that a host starts for each agent, while the desk is running: `deskside stdio`, a pipe between stdio and a socket that does nothing else, and a Node.js that does nothing at all.',
    method: `Each program is started ${ROUNDS} times after a warm-up, in rounds of random order. CPU is the CPU time of all threads from the spawn to the answer of \`tools/list\` (2025-11-25), for the empty program until it is idle. Memory is the proportional set size half a second later: pages that several processes share are divided among them.`,
    tables: [
      {
        columns: ['Program', 'CPU minimum, ms', 'CPU median, ms', 'Memory minimum, MB', 'Memory median, MB'],
        rows: [empty, pipe, client].map((subject) => row(subject.name, cpu(subject), memory(subject))),
      },
    ],
    ratios: [cpuRatio(client, 1.8), cpuRatio(pipe, 1.35), added(client, 3), added(pipe, 1)],
    caveats: ['The desk itself is one process for all clients and is not included.'],
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
