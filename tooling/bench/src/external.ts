import type { Benchmark, Figures, Ratio } from './benchmark.ts';
import {
  desksideHttp,
  desksideStdio,
  direct,
  MCP_PROXY,
  mcpProxy,
  run,
  type Running,
  type Subject,
} from './external/subjects.ts';
import { type Costs, inTurns, minimum, spreads } from './statistics.ts';

const ROUNDS = 10;
const WARM_UP_CALLS = 1000;
const CALLS = 500;

const SUBJECTS: readonly Subject[] = [direct, desksideStdio, desksideHttp, mcpProxy];

export const external: Benchmark = {
  name: 'external',
  title: 'A call of another server through the desk',
  meaning: 'What the desk adds to a call of a server behind it, beside another proxy.',
  method: `\`echo\` of server-everything, which runs as a program behind each proxy. In Deskside all own servers are mounted, and HTTP has guards, token, session and log. ${MCP_PROXY} has no token. One client of 2025-11-25, ${ROUNDS} rounds of ${CALLS} calls in random order after ${WARM_UP_CALLS} calls. CPU time of the program and the server behind it, less that of the server called directly.`,
  async run() {
    return report(await measure());
  },
};

/** CPU milliseconds per call of a subject and everything that it started. */
async function measure(): Promise<Costs> {
  await using programs = new AsyncDisposableStack();
  const running: Running[] = [];
  for (const subject of SUBJECTS) {
    const program = programs.use(await run(subject));
    await send(program, WARM_UP_CALLS);
    running.push(program);
  }
  const costs = await inTurns(ROUNDS, running, async (program) => {
    const before = program.cpu();
    await send(program, CALLS);
    return (program.cpu() - before) / CALLS;
  });
  return new Map([...costs].map(([{ subject }, each]) => [subject, each]));
}

async function send({ call }: Running, count: number): Promise<void> {
  for (let sent = 0; sent < count; sent++) await call();
}

function report(costs: Costs): Figures {
  const added = (subject: Subject) => minimum(costs.get(subject) ?? []) - minimum(costs.get(direct) ?? []);
  const addedRatio = (subject: Subject): Ratio => ({
    title: `${subject.name} to ${mcpProxy.name}, added CPU`,
    value: added(subject) / added(mcpProxy),
    target: { atMost: 1 },
  });
  return {
    numbers: spreads(costs, 'CPU per call, ms'),
    ratios: [addedRatio(desksideHttp), addedRatio(desksideStdio)],
  };
}
