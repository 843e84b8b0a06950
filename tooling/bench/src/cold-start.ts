import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Benchmark, Figures } from './benchmark.ts';
import { attachedClient, stopDesk } from './desk.ts';
import { coldStartSubjects, type Subjects } from './cold-start/subjects.ts';
import { start, type StartCost, type Subject } from './start.ts';
import { inTurns, only, ratio, spreads } from './statistics.ts';

const ROUNDS = 25;
/** Other bins: 0.5. */
const TARGETS: Readonly<Record<string, number>> = { 'deskside-log-notify': 1.2 };

type Costs = ReadonlyMap<Subject, readonly StartCost[]>;

export const coldStart: Benchmark = {
  name: 'cold-start',
  title: 'Cold start',
  meaning: 'How long a host waits for the tools of a server, beside the least that the SDK needs.',
  method: `The published bins, and a minimal server on the same SDK (one tool on \`McpServer\`). Each is started ${ROUNDS} times in random order, in an empty home, until the result of \`tools/list\` over stdio (2025-11-25). CPU time of all threads. A first call is \`list_tasks\`. Core and the SDK as installed are the same server, from the files of their packages.`,
  async run() {
    const subjects = await coldStartSubjects();
    const { bare, bins, aggregator, calls, installed } = subjects;
    const all = [bare, ...bins, aggregator, attachedClient, ...calls, ...installed];
    return report(subjects, await measure(all));
  },
};

async function measure(subjects: readonly Subject[]): Promise<Costs> {
  const home = await mkdtemp(join(tmpdir(), 'deskside-bench-'));
  try {
    for (const subject of subjects) await start(subject, home);
    return await inTurns(ROUNDS, subjects, (subject) => start(subject, home));
  } finally {
    await stopDesk(home);
    await rm(home, { recursive: true, force: true });
  }
}

function report({ bare, bins, aggregator, calls, installed }: Subjects, costs: Costs): Figures {
  const cpu = only(costs, (cost) => cost.cpu);
  return {
    numbers: {
      ...spreads(cpu, 'CPU, ms'),
      ...spreads(
        only(costs, (cost) => cost.wall),
        'wall time, ms',
      ),
      ...spreads(
        only(costs, (cost) => cost.memory),
        'memory, MB',
      ),
    },
    ratios: [
      ...bins.map((bin) => ratio(cpu, [bin, bare], 'CPU minimum', TARGETS[bin.name] ?? 0.5)),
      ratio(cpu, [aggregator, bare], 'CPU minimum', 1.6),
      ratio(cpu, calls, 'CPU minimum', 1.1),
      ratio(cpu, installed, 'CPU minimum', 1.1),
    ],
  };
}
