import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { installed } from '../installed.ts';
import { cpuTime } from '../process-cpu.ts';
import type { Call } from '../request-cost/call.ts';
import { httpClient } from '../request-cost/http-client.ts';
import { stdioClient } from '../request-cost/stdio-client.ts';

export const MCP_PROXY = 'mcp-proxy@6.7.19';

const packageFolder = (name: string) => dirname(fileURLToPath(import.meta.resolve(`${name}/package.json`)));
const BIN = join(packageFolder('@deskside/aggregator'), 'dist/bin/cli.js');

/** The server behind every proxy. */
const UPSTREAM: readonly string[] = [
  process.execPath,
  join(packageFolder('@modelcontextprotocol/server-everything'), 'dist/index.js'),
  'stdio',
];

export interface Subject {
  readonly name: string;
  readonly over: 'stdio' | 'http';
  /** Of the upstream's tool `echo`. */
  readonly tool: string;
  /** @returns the command and its environment */
  readonly command: (home: string, port: number) => Promise<Started>;
}

interface Started {
  readonly command: readonly string[];
  readonly path?: string;
}

export const direct: Subject = {
  name: 'direct',
  over: 'stdio',
  tool: 'echo',
  command: async () => ({ command: UPSTREAM }),
};

export const desksideStdio: Subject = {
  name: 'Deskside, stdio',
  over: 'stdio',
  tool: 'x_echo',
  async command(home) {
    await addServer(home);
    return { command: [process.execPath, BIN, 'stdio', '--standalone'] };
  },
};

export const desksideHttp: Subject = {
  name: 'Deskside, HTTP',
  over: 'http',
  tool: 'x_echo',
  async command(home, port) {
    await addServer(home);
    return { command: [process.execPath, BIN, 'http', '--port', String(port)] };
  },
};

export const mcpProxy: Subject = {
  name: `${MCP_PROXY.replace('@', ' ')}, HTTP`,
  over: 'http',
  tool: 'echo',
  async command(_, port) {
    const program = join(dirname(fileURLToPath(await installed(MCP_PROXY))), 'bin/mcp-proxy.mjs');
    const options = ['--server', 'stream', '--host', '127.0.0.1', '--port', String(port)];
    return { command: [process.execPath, program, ...options, '--', ...UPSTREAM] };
  },
};

/** As a user does it: the server is added and accepted, then the desk starts. */
async function addServer(home: string): Promise<void> {
  const args = [BIN, 'add', 'x', '--yes', '--', ...UPSTREAM];
  await promisify(execFile)(process.execPath, args, { env: environment(home) });
}

function environment(home: string, token = ''): NodeJS.ProcessEnv {
  const { PATH } = process.env;
  return { PATH, HOME: home, ...(token === '' ? {} : { DESKSIDE_TOKEN: token }) };
}

export interface Running extends AsyncDisposable {
  readonly subject: Subject;
  readonly call: () => Promise<unknown>;
  /** CPU milliseconds of the program and of all that it started. */
  cpu(): Promise<number>;
}

export async function run(subject: Subject): Promise<Running> {
  const home = await mkdtemp(join(tmpdir(), 'deskside-bench-'));
  const token = randomBytes(32).toString('base64url');
  const port = await freePort();
  const { command } = await subject.command(home, port);
  const [file = '', ...args] = command;
  const child = spawn(file, args, {
    env: environment(home, token),
    cwd: home,
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  const client = await connect(subject, child, `http://127.0.0.1:${port}/mcp`, token);
  const params = { name: subject.tool, arguments: { message: 'Buy groceries, high priority' } };
  return {
    subject,
    call: () => client('tools/call', params),
    cpu: async () => cpuOfTree(child.pid ?? 0),
    async [Symbol.asyncDispose]() {
      const exited = once(child, 'exit');
      child.kill('SIGTERM');
      await exited;
      await rm(home, { recursive: true, force: true });
    },
  };
}

async function connect(subject: Subject, child: ChildProcess, url: string, token: string): Promise<Call> {
  if (subject.over === 'stdio') return stdioClient(child);
  child.stdout?.resume();
  for (;;) {
    try {
      return await httpClient(url, token, 'sessions');
    } catch (error) {
      if (child.exitCode !== null) throw error;
      await new Promise((resolve) => {
        setTimeout(resolve, 100);
      });
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

async function cpuOfTree(pid: number): Promise<number> {
  const children = await childrenOf(pid);
  const below = await Promise.all(children.map(cpuOfTree));
  return cpuTime(pid) + below.reduce((sum, each) => sum + each, 0);
}

async function childrenOf(pid: number): Promise<readonly number[]> {
  const tasks = await readdir(`/proc/${pid}/task`);
  const lists = await Promise.all(
    tasks.map((task) => readFile(`/proc/${pid}/task/${task}/children`, 'utf8').catch(() => '')),
  );
  return lists.flatMap((list) => list.split(' ').filter(Boolean).map(Number));
}
