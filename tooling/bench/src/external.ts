import { execFile } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { programOf, root } from '@deskside/checks/src/workspace.ts';
import { installedProgram } from '@deskside/testkit';
import type { Benchmark } from './benchmark.ts';
import { costOfCalls, type Subject } from './calls.ts';
import { pairedRatio, spreads } from './statistics.ts';

const ROUNDS = 6;
const WARM_UP_CALLS = 1000;
const CALLS = 500;
const MCP_PROXY = 'mcp-proxy@6.7.19';
const MESSAGE = 'Buy groceries, high priority';

const everything = createRequire(import.meta.url).resolve(
  '@modelcontextprotocol/server-everything/package.json',
);
/** The server behind every proxy. */
const UPSTREAM = [process.execPath, join(dirname(everything), 'dist/index.js'), 'stdio'];
const DESKSIDE = [process.execPath, programOf('apps/aggregator')];

const direct: Subject = {
  name: 'direct',
  over: 'stdio',
  era: 'legacy',
  tool: 'echo',
  command: async () => UPSTREAM,
};

const desksideStdio = desk('stdio', () => ['stdio', '--standalone']);
const desksideHttp = desk('http', (port) => ['http', '--port', String(port)]);

function desk(over: Subject['over'], args: (port: number) => readonly string[]): Subject {
  return {
    name: `Deskside, ${over === 'http' ? 'HTTP' : over}`,
    over,
    era: 'legacy',
    tool: 'x_echo',
    async command(port, env) {
      // As a user does it: the server is added and accepted, then the desk starts.
      const [file = '', ...add] = [...DESKSIDE, 'add', 'x', '--yes', '--', ...UPSTREAM];
      await promisify(execFile)(file, add, { env });
      return [...DESKSIDE, ...args(port)];
    },
  };
}

const mcpProxy: Subject = {
  name: `${MCP_PROXY.replace('@', ' ')}, HTTP`,
  over: 'http',
  era: 'legacy',
  tool: 'echo',
  async command(port) {
    const program = await installedProgram(MCP_PROXY, 'mcp-proxy', join(root, '.cache/bench'));
    const options = ['--server', 'stream', '--host', '127.0.0.1', '--port', String(port)];
    return [process.execPath, program, ...options, '--', ...UPSTREAM];
  },
};

export const external: Benchmark = {
  name: 'external',
  title: 'A call of another server through the desk',
  method: `\`echo\` of server-everything behind each proxy. ${MCP_PROXY} has no token and no log. One client of 2025-11-25, ${ROUNDS} rounds of ${CALLS} calls in random order after ${WARM_UP_CALLS} calls, in each of three processes. CPU time of the program and the server behind it, less that of the server called directly.`,
  misses: {
    'Deskside, stdio to mcp-proxy 6.7.19, HTTP, added CPU':
      'in a profile, the two writes to pipes take a fifth, garbage and the record of the call a tenth each, checks of messages 7 %, rules 4 %; the rest is many small steps',
  },
  async run() {
    const costs = await costOfCalls([direct, desksideStdio, desksideHttp, mcpProxy], {
      arguments: { message: MESSAGE },
      answer: `Echo: ${MESSAGE}`,
      clients: 1,
      warmUp: WARM_UP_CALLS,
      calls: CALLS,
      rounds: ROUNDS,
    });
    return {
      numbers: spreads(costs, 'CPU per call, ms'),
      ratios: [
        pairedRatio(costs, [desksideHttp, mcpProxy], 'added CPU', 1, direct),
        pairedRatio(costs, [desksideStdio, mcpProxy], 'added CPU', 0.35, direct),
      ],
    };
  },
};
