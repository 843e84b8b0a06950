import type { Benchmark } from './benchmark.ts';
import { coldStartSubjects } from './cold-start/subjects.ts';
import { attachedClient, measureStarts } from './start.ts';
import { only, ratio, spreads } from './statistics.ts';

const ROUNDS = 25;
/** Other bins: 0.5. */
const TARGETS: Readonly<Record<string, number>> = { 'deskside-log-notify': 1.2 };

export const coldStart: Benchmark = {
  name: 'cold-start',
  title: 'Cold start',
  meaning: 'How long a host waits for the tools of a server, beside the least that the SDK needs.',
  method: `The published bins, and a minimal server on the same SDK (one tool on \`McpServer\`). Each is started ${ROUNDS} times in random order, in an empty home, until the result of \`tools/list\` over stdio (2025-11-25). CPU time of all threads. A first call is \`list_tasks\`. Core and the SDK as installed are the same server, from the files of their packages.`,
  async run() {
    const { bare, bins, aggregator, calls, installed } = await coldStartSubjects();
    const all = [bare, ...bins, aggregator, attachedClient, ...calls, ...installed];
    const costs = await measureStarts(ROUNDS, all);
    const cpu = only(costs, (cost) => cost.cpu);
    const wall = only(costs, (cost) => cost.wall);
    const memory = only(costs, (cost) => cost.memory);
    return {
      numbers: {
        ...spreads(cpu, 'CPU, ms'),
        ...spreads(wall, 'wall time, ms'),
        ...spreads(memory, 'memory, MB'),
      },
      ratios: [
        ...bins.map((bin) => ratio(cpu, [bin, bare], 'CPU', TARGETS[bin.name] ?? 0.5)),
        ratio(cpu, [aggregator, bare], 'CPU', 1.6),
        ratio(cpu, calls, 'CPU', 1.1),
        ratio(cpu, installed, 'CPU', 1.1),
      ],
    };
  },
};
