import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { temporaryFolder } from '@deskside/core/testing';
import { cleanEnvironment, type Program, startProgram } from '@deskside/testkit';
import { installed } from '../installed.ts';
import { cpuTime } from '../process-cpu.ts';
import type { Call } from '../request-cost/call.ts';
import { httpClient } from '../request-cost/http-client.ts';
import { stdioClient } from '../request-cost/stdio-client.ts';

export const MCP_PROXY = 'mcp-proxy@6.7.19';
const RETRY_MS = 100;

const packageFolder = (name: string) => dirname(fileURLToPath(import.meta.resolve(`${name}/package.json`)));
const DESKSIDE = [process.execPath, join(packageFolder('@deskside/aggregator'), 'dist/bin/cli.js')];

/** The server behind every proxy. */
const UPSTREAM: readonly string[] = [
  process.execPath,
  join(packageFolder('@modelcontextprotocol/server-everything'), 'dist/index.js'),
  'stdio',
];

export interface Subject {
  readonly name: string;
  readonly over: 'stdio' | 'http';
  /** `echo` of the upstream; with a prefix in a desk. */
  readonly tool: 'echo' | 'x_echo';
  command(port: number): Promise<readonly string[]>;
}

export const direct: Subject = {
  name: 'direct',
  over: 'stdio',
  tool: 'echo',
  command: async () => UPSTREAM,
};

export const desksideStdio: Subject = {
  name: 'Deskside, stdio',
  over: 'stdio',
  tool: 'x_echo',
  command: async () => [...DESKSIDE, 'stdio', '--standalone'],
};

export const desksideHttp: Subject = {
  name: 'Deskside, HTTP',
  over: 'http',
  tool: 'x_echo',
  command: async (port) => [...DESKSIDE, 'http', '--port', String(port)],
};

export const mcpProxy: Subject = {
  name: `${MCP_PROXY.replace('@', ' ')}, HTTP`,
  over: 'http',
  tool: 'echo',
  async command(port) {
    const program = join(dirname(fileURLToPath(await installed(MCP_PROXY))), 'bin/mcp-proxy.mjs');
    const options = ['--server', 'stream', '--host', '127.0.0.1', '--port', String(port)];
    return [process.execPath, program, ...options, '--', ...UPSTREAM];
  },
};

export interface Running extends AsyncDisposable {
  readonly subject: Subject;
  readonly call: () => Promise<unknown>;
  /** CPU milliseconds of the program and of all that it started. */
  cpu(): number;
}

export async function run(subject: Subject): Promise<Running> {
  const home = temporaryFolder();
  const token = randomBytes(32).toString('base64url');
  const env = { ...cleanEnvironment(home.path), DESKSIDE_TOKEN: token };
  if (subject.tool === 'x_echo') {
    // As a user does it: the server is added and accepted, then the desk starts.
    const [file = '', ...args] = [...DESKSIDE, 'add', 'x', '--yes', '--', ...UPSTREAM];
    await promisify(execFile)(file, args, { env });
  }
  const port = await freePort();
  const [command = '', ...args] = await subject.command(port);
  const program = startProgram({ command, args, env });
  const client =
    subject.over === 'stdio'
      ? await stdioClient(program.child)
      : await connect(program, `http://127.0.0.1:${port}/mcp`, token);
  const params = { name: subject.tool, arguments: { message: 'Buy groceries, high priority' } };
  return {
    subject,
    call: () => client('tools/call', params),
    cpu: () => cpuOfTree(program.child.pid ?? 0),
    async [Symbol.asyncDispose]() {
      await program[Symbol.asyncDispose]();
      home[Symbol.dispose]();
    },
  };
}

async function connect(program: Program, url: string, token: string): Promise<Call> {
  for (;;) {
    try {
      return await httpClient(url, token, 'sessions');
    } catch (error) {
      if (program.child.exitCode !== null) throw error;
      await delay(RETRY_MS);
    }
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

function cpuOfTree(pid: number): number {
  const children = readdirSync(`/proc/${pid}/task`).flatMap((task) =>
    readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8').split(' ').filter(Boolean),
  );
  return children.reduce((sum, child) => sum + cpuOfTree(Number(child)), cpuTime(pid));
}
