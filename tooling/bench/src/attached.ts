import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { startProgram } from '@deskside/testkit';
import type { Benchmark } from './benchmark.ts';
import { cpuTime, memorySize } from './process.ts';
import { attachedClient as client, measureStarts, start, type StartCost, type Subject } from './start.ts';
import { median, ratio, spreads } from './statistics.ts';

const ROUNDS = 20;
/** After it, an empty program is idle. */
const SETTLE_MS = 500;

export const attached: Benchmark = {
  name: 'attached',
  title: 'A client of the desk',
  method: `\`deskside stdio\`, and a Node.js that does nothing. Each is started ${ROUNDS} times in random order. CPU time of all threads until the answer of \`tools/list\` (2025-11-25), or until the empty program is idle. Memory is the proportional set size half a second later, without the desk.`,
  misses: { 'deskside stdio to empty Node.js, CPU': 'runs are on both sides of the target' },
  async run() {
    const { cpu, memory } = await measureStarts(ROUNDS, [empty, client], (subject, home) =>
      subject === empty ? emptyCost(home) : start(client, home, SETTLE_MS),
    );
    return {
      numbers: { ...spreads(cpu, 'CPU, ms'), ...spreads(memory, 'memory, MB') },
      ratios: [
        ratio(cpu, [client, empty], 'CPU', 1.5),
        {
          title: `${client.name} above ${empty.name}, memory median, MB`,
          value: median(memory.get(client) ?? []) - median(memory.get(empty) ?? []),
          target: { atMost: 3 },
        },
      ],
    };
  },
};

const empty: Subject = { name: 'empty Node.js', script: join(import.meta.dirname, 'attached/empty.mjs') };

async function emptyCost(home: string): Promise<StartCost> {
  const env = { HOME: home };
  await using program = startProgram({ command: process.execPath, args: [empty.script], env });
  const { pid = 0 } = program.child;
  await delay(SETTLE_MS);
  const cpu = cpuTime(pid);
  await delay(SETTLE_MS);
  return { cpu, wall: 0, memory: memorySize(pid) };
}
