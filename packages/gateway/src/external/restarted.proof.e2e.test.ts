import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort, signalAll, temporaryFolder } from '@deskside/testkit';
import { expect, onTestFinished, test } from 'vitest';
import { running } from '../testing/external.ts';
import { callOf, jsonOf } from '../testing/fake.ts';
import { openDesk, stateOf } from '../testing/open-desk.ts';
import type { ExternalSpec } from './spec.ts';

const CALLERS = 4;
const RESTARTS = 5;
/** Of each caller, before and after each restart. */
const CALLS = 25;
/** A server that was not reached is tried again after 1, 2, 4 and 8 s, and some of these need seconds to start. */
const RECOVERY_MS = 60_000;
/** Of a client whose call was refused. */
const PAUSE_MS = 20;

const MODULES = join(import.meta.dirname, '../../node_modules/@modelcontextprotocol');
const EVERYTHING = join(MODULES, 'server-everything/dist/index.js');
const MEMORY = join(MODULES, 'server-memory/dist/index.js');
/** An example of the first generation of the SDK. */
const FIRST_SDK = join(MODULES, 'sdk/dist/esm/examples/server/simpleStreamableHttp.js');

interface Called {
  readonly tool: string;
  readonly input: (call: number) => Readonly<Record<string, unknown>>;
  /** The text of its answer. */
  readonly answer: (call: number) => string;
}

interface Restartable extends Called {
  readonly title: string;
  readonly program: readonly string[];
  /** Of its environment: the port that it listens on. */
  readonly variable: string;
}

const OVER_HTTP: readonly Restartable[] = [
  {
    title: 'server-everything',
    program: [EVERYTHING, 'streamableHttp'],
    variable: 'PORT',
    tool: 'echo',
    input: (call) => ({ message: String(call) }),
    answer: (call) => `Echo: ${call}`,
  },
  {
    title: 'a server on the first generation of the SDK',
    program: [FIRST_SDK],
    variable: 'MCP_PORT',
    tool: 'greet',
    input: (call) => ({ name: String(call) }),
    answer: (call) => `Hello, ${call}!`,
  },
];

/** A server of its own process group on a port, which can be killed and started again. */
async function serverOnPort({ program, variable }: Restartable) {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}/mcp`;
  const { PATH = '' } = process.env;
  const env = { PATH, HOME: temporaryFolder(), [variable]: String(port) };
  let child: ChildProcess | undefined;
  const kill = async () => {
    if (child?.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    process.kill(-child.pid, 'SIGKILL');
    await exited;
  };
  const start = () => {
    child = spawn(process.execPath, program, { env, stdio: 'ignore', detached: true });
  };
  const answers = () =>
    fetch(url).then(
      async (response) => response.body?.cancel().then(() => true) ?? true,
      () => false,
    );
  onTestFinished(kill);
  const isUp = () => expect.poll(answers, { timeout: RECOVERY_MS }).toBe(true);
  start();
  await isUp();
  return {
    spec: running({ url }),
    async restart() {
      await kill();
      start();
    },
    isUp,
  };
}

/** Restarts a server while agents call it. @returns what they got besides right answers */
async function restarted(
  server: Called,
  spec: ExternalSpec,
  restart: () => unknown,
  isUp?: () => Promise<unknown>,
) {
  const { peer, desk } = await openDesk({ x: spec });
  const counts = Array.from({ length: CALLERS }, () => 0);
  const others = new Set<string>();
  const over = new AbortController();
  let calls = 0;
  const callers = counts.map(async (_, caller) => {
    while (!over.signal.aborted) {
      const call = (calls += 1);
      const result = await callOf(peer, `x_${server.tool}`, server.input(call));
      const text = String((result['content'] as readonly { text?: string }[] | undefined)?.[0]?.text);
      if (text === server.answer(call)) counts[caller] = (counts[caller] ?? 0) + 1;
      else {
        others.add(text.startsWith('{"error"') ? String(Object(jsonOf(result))['code']) : text);
        await delay(PAUSE_MS);
      }
    }
  });
  const goOn = async () => {
    const before = [...counts];
    const fewest = () => Math.min(...counts.map((count, caller) => count - (before[caller] ?? 0)));
    await expect.poll(fewest, { timeout: RECOVERY_MS, interval: PAUSE_MS }).toBeGreaterThanOrEqual(CALLS);
  };
  try {
    await goOn();
    for (let count = 0; count < RESTARTS; count += 1) {
      await restart();
      await goOn();
    }
  } finally {
    over.abort();
    await Promise.all(callers);
  }
  expect(await stateOf(desk, 'x')).toMatchObject({ state: 'ready' });
  // Without a call meanwhile: the first one, with the session of the server that has ended, is answered.
  await restart();
  if (isUp === undefined) await expect.poll(() => stateOf(desk, 'x')).toMatchObject({ state: 'degraded' });
  else await isUp();
  const { content } = await callOf(peer, `x_${server.tool}`, server.input(0));
  expect(content).toMatchObject([{ text: server.answer(0) }]);
  return [...others];
}

/**
 * Kills the programs that this process has started in a folder. Some write another title over their arguments.
 *
 * @returns how many
 */
function killIn(folder: string): number {
  const tasks = `/proc/${process.pid}/task`;
  const children = readdirSync(tasks).flatMap((task) =>
    readFileSync(`${tasks}/${task}/children`, 'utf8').split(' ').filter(Boolean),
  );
  const found = children.filter((pid) => readlinkSync(`/proc/${pid}/cwd`) === folder);
  signalAll('SIGKILL', found.map(Number));
  return found.length;
}

test.each(OVER_HTTP)(
  '$title, restarted: calls go on, and the first one after a quiet restart is answered',
  async (server) => {
    const { spec, restart, isUp } = await serverOnPort(server);
    const others = await restarted(server, spec, restart, isUp);
    expect(others.filter((code) => code !== 'UNAVAILABLE')).toStrictEqual([]);
  },
);

test('server-memory, which the desk starts, killed: calls go on, and the first one after a quiet kill is answered', async () => {
  const folder = temporaryFolder();
  const env = { MEMORY_FILE_PATH: join(folder, 'memory.jsonl') };
  const spec = running({ command: process.execPath, args: [MEMORY], env, cwd: folder });
  const graph = JSON.stringify({ entities: [], relations: [] }, undefined, 2);
  const server = { tool: 'read_graph', input: () => ({}), answer: () => graph };
  const others = await restarted(server, spec, () => expect(killIn(folder)).toBe(1));
  expect(others.filter((code) => code !== 'UNAVAILABLE')).toStrictEqual([]);
});
