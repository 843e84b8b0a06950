import { join } from 'node:path';
import type { Benchmark } from './benchmark.ts';
import { costOfCalls, type Subject, TOKEN } from './calls.ts';
import { args, names, run } from './request-cost/tools.ts';
import { ratio, spreads } from './statistics.ts';

const ROUNDS = 10;
const WARM_UP_REQUESTS = 3000;
const REQUESTS = 1500;
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
  method: `\`tools/call\` with the same ${names.length} tools, on \`serve\` and on the SDK's \`createMcpHandler\` or \`serveStdio\`. ${HTTP_CLIENTS} HTTP clients send ${REQUESTS} requests, or one client over stdio; ${ROUNDS} rounds in random order after ${WARM_UP_REQUESTS} requests. CPU time of the server.`,
  misses: {
    'Deskside, 2026-07-28 to SDK handler, 2026-07-28, CPU':
      'not explained yet; three runs of that day had 0.49 to 0.53',
    'Deskside, 2025-11-25, `--stateless` to SDK handler, 2025-11-25, CPU':
      'not explained yet; three runs of that day had 0.62 to 0.70',
    'Deskside, stdio to `McpServer` with `serveStdio`, CPU':
      'not explained yet; three runs of that day had 1.07 to 1.44',
    'Deskside, 2025-11-25, sessions to SDK handler, 2025-11-25, CPU':
      'each call checks its session and counts against its limits, which the SDK does not do',
  },
  async run() {
    const subjects = [sdkModern, modern, sdkLegacy, sessions, stateless, sdkStdio, stdio];
    const costs = await costOfCalls(subjects, {
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
        ratio(costs, [modern, sdkModern], 'CPU', 0.4),
        ratio(costs, [sessions, sdkLegacy], 'CPU', 0.5),
        ratio(costs, [stateless, sdkLegacy], 'CPU', 0.65),
        ratio(costs, [stdio, sdkStdio], 'CPU', 1.1),
      ],
    };
  },
};
