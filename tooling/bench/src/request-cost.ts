import type { Benchmark, Figures } from './benchmark.ts';
import { cpuTime } from './process-cpu.ts';
import {
  HTTP_CLIENTS,
  modern,
  run,
  type Running,
  sdkLegacy,
  sdkModern,
  sdkStdio,
  sessions,
  stateless,
  stdio,
  type Subject,
} from './request-cost/subjects.ts';
import { call, names } from './request-cost/tools.ts';
import { type Costs, inTurns, ratio, spreads } from './statistics.ts';

const ROUNDS = 10;
const WARM_UP_REQUESTS = 3000;
const REQUESTS = 1500;

const SUBJECTS: readonly Subject[] = [sdkModern, modern, sdkLegacy, sessions, stateless, sdkStdio, stdio];

export const requestCost: Benchmark = {
  name: 'request-cost',
  title: 'Cost of a request',
  meaning: 'What a call costs with guards, token and log, beside the SDK without them.',
  method: `\`tools/call\` with the same ${names.length} tools. Deskside runs with \`serve\`, the SDK with \`createMcpHandler\`, \`McpServer\` and \`toNodeHandler\`, or \`serveStdio\`. ${HTTP_CLIENTS} HTTP clients send ${REQUESTS} requests, or one client over stdio; ${ROUNDS} rounds in random order after ${WARM_UP_REQUESTS} requests. CPU time of the server.`,
  async run() {
    return report(await measure());
  },
};

/** CPU milliseconds of the server per request. */
async function measure(): Promise<Costs> {
  await using servers = new AsyncDisposableStack();
  const running: Running[] = [];
  for (const subject of SUBJECTS) {
    const server = servers.use(await run(subject));
    await checkAnswer(server);
    await send(server, WARM_UP_REQUESTS);
    running.push(server);
  }
  const costs = await inTurns(ROUNDS, running, cpuPerRequest);
  return new Map([...costs].map(([{ subject }, each]) => [subject, each]));
}

/** All servers answer the same text. */
async function checkAnswer({ subject, clients }: Running): Promise<void> {
  const result = await clients[0]?.('tools/call', call);
  const text = JSON.stringify({ title: 'Buy groceries', priority: 'high', count: 50 });
  if (JSON.stringify(result?.content) !== JSON.stringify([{ type: 'text', text }])) {
    throw new Error(`${subject.name} answers differently: ${JSON.stringify(result)}`);
  }
}

async function cpuPerRequest(server: Running): Promise<number> {
  const before = cpuTime(server.pid);
  await send(server, REQUESTS);
  return (cpuTime(server.pid) - before) / REQUESTS;
}

/** Each client sends its next request when it has the answer to the last. */
async function send({ clients }: Running, count: number): Promise<void> {
  let left = count;
  const work = clients.map(async (client) => {
    while (left > 0) {
      left -= 1;
      await client('tools/call', call);
    }
  });
  await Promise.all(work);
}

function report(costs: Costs): Figures {
  const cpu = (subject: Subject, to: Subject, atMost: number) =>
    ratio(costs, [subject, to], 'CPU minimum', atMost);
  return {
    numbers: spreads(costs, 'CPU per request, ms'),
    ratios: [
      cpu(modern, sdkModern, 0.4),
      cpu(sessions, sdkLegacy, 0.45),
      cpu(stateless, sdkLegacy, 0.65),
      cpu(stdio, sdkStdio, 1),
    ],
  };
}
