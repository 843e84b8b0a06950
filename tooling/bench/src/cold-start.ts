import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Benchmark, BenchmarkReport, Ratio } from './benchmark.ts';
import { start, type StartCost, type Subject } from './cold-start/start.ts';
import { coldStartSubjects, type Subjects } from './cold-start/subjects.ts';
import { median, minimum, shuffled } from './statistics.ts';

const ROUNDS = 25;

type Costs = ReadonlyMap<Subject, StartCost[]>;

export const coldStart: Benchmark = {
  name: 'cold-start',
  title: 'Cold start',
  async run() {
    const subjects = await coldStartSubjects();
    const { bare, everything, bins, aggregator } = subjects;
    return report(subjects, await measure([bare, everything, ...bins, aggregator]));
  },
};

async function measure(subjects: readonly Subject[]): Promise<Costs> {
  const home = await mkdtemp(join(tmpdir(), 'deskside-bench-'));
  const costs = new Map(subjects.map((subject) => [subject, [] as StartCost[]]));
  try {
    for (const subject of subjects) await start(subject, home);
    for (let round = 0; round < ROUNDS; round++) {
      for (const subject of shuffled(subjects)) costs.get(subject)?.push(await start(subject, home));
    }
  } finally {
    await rm(home, { recursive: true, force: true });
  }
  return costs;
}

function report({ bare, everything, bins, aggregator }: Subjects, costs: Costs): BenchmarkReport {
  const cpu = (subject: Subject) => (costs.get(subject) ?? []).map((cost) => cost.cpu);
  const wall = (subject: Subject) => (costs.get(subject) ?? []).map((cost) => cost.wall);
  const ratio = (subject: Subject, to: Subject, atMost?: number): Ratio => ({
    title: `${subject.name} to ${to.name}, CPU minimum`,
    value: minimum(cpu(subject)) / minimum(cpu(to)),
    ...(atMost === undefined ? {} : { target: { atMost } }),
  });
  return {
    compared: `The published bins, a minimal server on the same SDK (one tool on \`McpServer\`, Zod, \`serveStdio\`, bundled with the same settings), and the reference server of the protocol as npm installs it.`,
    method: `Each server is started ${ROUNDS} times after a warm-up, in rounds of random order, in an empty home. The time is from the spawn of \`node\` to the result of \`tools/list\` over stdio, after \`initialize\` (2025-11-25). CPU is the CPU time of all threads of the process, from the scheduler. CPU times and minima are reliable on a busy machine; wall time is not.`,
    tables: [
      {
        columns: ['Server', 'CPU minimum, ms', 'CPU median, ms', 'Wall minimum, ms', 'Wall median, ms'],
        rows: [bare, ...bins, aggregator, everything].map((subject) =>
          row(subject.name, cpu(subject), wall(subject)),
        ),
      },
    ],
    ratios: [
      ...bins.map((bin) => ratio(bin, everything, 0.55)),
      ratio(aggregator, everything, 0.75),
      ...[...bins, aggregator].map((bin) => ratio(bin, bare)),
    ],
  };
}

function row(name: string, cpu: readonly number[], wall: readonly number[]): (string | number)[] {
  const figures = [minimum(cpu), median(cpu), minimum(wall), median(wall)];
  return [name, ...figures.map(Math.round)];
}
