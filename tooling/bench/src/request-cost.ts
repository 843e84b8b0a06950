import { join } from 'node:path';
import { costOfCalls, type Subject, TOKEN } from './calls.ts';
import { args, names, run } from './request-cost/tools.ts';
import type { Benchmark } from './benchmark.ts';
import { pairedRatio, spreads } from './statistics.ts';

const ROUNDS = 6;
const WARM_UP_REQUESTS = 2000;
const REQUESTS = 500;
const HTTP_CLIENTS = 32;

const sdkModern = subject('SDK handler, 2026-07-28', 'sdk', 'modern');
const modern = subject('Deskside, 2026-07-28', 'deskside', 'modern');
const sdkLegacy = subject('SDK handler, 2025-11-25', 'sdk', 'stateless');
const sessions = subject('Deskside, 2025-11-25, sessions', 'deskside', 'sessions');
const stateless = subject('Deskside, 2025-11-25, `--stateless`', 'deskside', 'stateless');
const sdkStdio = subject('`McpServer` with `serveStdio`', 'sdk', 'stdio');
const stdio = subject('Deskside, stdio', 'deskside', 'stdio');

/** `sessions` and `stateless` are two ways to serve 2025-11-25 over HTTP. */
function subject(
  name: string,
  program: 'sdk' | 'deskside',
  leg: 'modern' | 'sessions' | 'stateless' | 'stdio',
): Subject {
  const script = join(import.meta.dirname, 'request-cost/servers', `${program}.ts`);
  return {
    name,
    over: leg === 'stdio' ? 'stdio' : 'http',
    era: leg === 'modern' ? 'modern' : 'legacy',
    tool: 'tool_07',
    command: async (port) => [process.execPath, script, leg, String(port), TOKEN],
  };
}

export const requestCost: Benchmark = {
  name: 'request-cost',
  title: 'Cost of a request',
  method: `\`tools/call\` with the same ${names.length} tools, on \`serve\` and on the SDK's \`createMcpHandler\` or \`serveStdio\`. ${HTTP_CLIENTS} HTTP clients send ${REQUESTS} requests, or one client over stdio; ${ROUNDS} rounds in random order after ${WARM_UP_REQUESTS} requests, in each of three processes of each program. CPU time of the server.`,
  misses: {
    'Deskside, 2026-07-28 to SDK handler, 2026-07-28, CPU':
      "by less than 0.01: the SDK's handler with a bare `Server` and one tool costs 0.38 already",
    'Deskside, stdio to `McpServer` with `serveStdio`, CPU':
      'each call counts against the limit of its session, and its result is checked',
  },
  async run() {
    const peers = [sdkModern, sdkLegacy, sdkStdio];
    const costs = await costOfCalls([...peers, modern, sessions, stateless, stdio], {
      arguments: args,
      answer: JSON.stringify(run(args)),
      clients: HTTP_CLIENTS,
      warmUp: WARM_UP_REQUESTS,
      calls: REQUESTS,
      rounds: ROUNDS,
    });
    return {
      numbers: spreads(costs, 'CPU per request, ms'),
      ratios: [
        pairedRatio(costs, [modern, sdkModern], 'CPU', 0.4),
        pairedRatio(costs, [sessions, sdkLegacy], 'CPU', 0.5),
        pairedRatio(costs, [stateless, sdkLegacy], 'CPU', 0.65),
        pairedRatio(costs, [stdio, sdkStdio], 'CPU', 1.1),
      ],
    };
  },
};
