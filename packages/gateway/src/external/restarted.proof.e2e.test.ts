import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort, type Program, startProgram, temporaryFolder } from '@deskside/testkit';
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

const { PATH = '' } = process.env;
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

const echo: Called = {
  tool: 'echo',
  input: (call) => ({ message: String(call) }),
  answer: (call) => `Echo: ${call}`,
};
const greet: Called = {
  tool: 'greet',
  input: (call) => ({ name: String(call) }),
  answer: (call) => `Hello, ${call}!`,
};

/**
 * Restarts a server while agents call it.
 *
 * @param isUp until a server that was restarted without a call can be called
 * @returns what they got besides right answers, and that it is unavailable
 */
async function restarted(
  server: Called,
  spec: ExternalSpec,
  restart: () => unknown,
  isUp?: () => Promise<unknown>,
) {
  const { peer, desk } = await openDesk({ x: spec });
  const counts = Array.from({ length: CALLERS }, () => 0);
  const others = new Set<unknown>();
  const over = new AbortController();
  let calls = 0;
  const callers = counts.map(async (_, caller) => {
    while (!over.signal.aborted) {
      const call = (calls += 1);
      const result = await callOf(peer, `x_${server.tool}`, server.input(call));
      const [{ text = '' } = {}] = result['content'] as readonly { text?: string }[];
      if (text === server.answer(call)) counts[caller] = (counts[caller] ?? 0) + 1;
      else {
        others.add(text.startsWith('{"error"') ? Object(jsonOf(result))['code'] : text);
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
  return [...others].filter((code) => code !== 'UNAVAILABLE');
}

test.each([
  ['server-everything', [EVERYTHING, 'streamableHttp'], 'PORT', echo],
  ['a server on the first generation of the SDK', [FIRST_SDK], 'MCP_PORT', greet],
] as const)(
  '%s, restarted: calls go on, and the first one after a quiet restart is answered',
  async (_, args, variable, server) => {
    const port = await freePort();
    const url = `http://127.0.0.1:${port}/mcp`;
    const env = { PATH, HOME: temporaryFolder(), [variable]: String(port) };
    let program: Program | undefined;
    const restart = async () => {
      await program?.[Symbol.asyncDispose]();
      program = startProgram({ command: process.execPath, args, env });
    };
    onTestFinished(() => program?.[Symbol.asyncDispose]());
    const statusOf = async () => (await fetch(url)).status;
    const isUp = () => expect.poll(statusOf, { timeout: RECOVERY_MS }).toBe(400);
    await restart();
    await isUp();
    expect(await restarted(server, running({ url }), restart, isUp)).toStrictEqual([]);
  },
);

test('server-memory, which the desk starts, killed: calls go on, and the first one after a quiet kill is answered', async () => {
  const folder = temporaryFolder();
  const pidFile = join(folder, 'pid');
  const env = { MEMORY_FILE_PATH: join(folder, 'memory.jsonl') };
  const args = ['-c', 'echo $$ > "$0"; exec "$@"', pidFile, process.execPath, MEMORY];
  const graph = JSON.stringify({ entities: [], relations: [] }, undefined, 2);
  const server = { tool: 'read_graph', input: () => ({}), answer: () => graph };
  const kill = () => process.kill(Number(readFileSync(pidFile, 'utf8')), 'SIGKILL');
  const spec = running({ command: '/bin/sh', args, env });
  expect(await restarted(server, spec, kill)).toStrictEqual([]);
});
