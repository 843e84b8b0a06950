import { readdirSync, readFileSync } from 'node:fs';
import { connectHttp, type Peer, startProgram } from '@deskside/testkit';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { deskHome } from './testing/desk-home.ts';
import { schemaFrom, validArgumentsFor } from './testing/schema-arguments.ts';

const DURATION_MS = 300_000;
const CLIENTS = 8;
const TOKEN = 'a-token-for-this-test';
/** The heap is collected late; a leak of one result per call would be many times more in five minutes. */
const MAX_GROWTH_MB = 300;

test.skipIf(process.platform !== 'linux')(
  'all mounts at once answer eight clients of both eras, and free what they used',
  { timeout: DURATION_MS + 60_000 },
  async () => {
    const args = [
      'http',
      '--port',
      '0',
      '--log-level',
      'error',
      '--mounts',
      'log,manictime,popup,toast,todo',
    ];
    const env = { DESKSIDE_TOKEN: TOKEN, MANICTIME_DEMO: 'true', TODO_TOOLS: 'all' };
    await using server = startProgram(deskHome().command(args, env));
    const [, url = ''] = await server.printed(/(http:\/\/127\.0\.0\.1:\d+\/mcp)/);
    const { pid = 0 } = server.child;
    const handles = () => readdirSync(`/proc/${pid}/fd`).length;

    // Everything that is opened with the first call stays open.
    await callsUntil(await connectHttp(url, { era: 'modern', token: TOKEN }), 0);
    const before = { handles: handles(), megabytes: megabytesOf(pid) };
    const end = performance.now() + DURATION_MS;
    const counts = await Promise.all(
      Array.from({ length: CLIENTS }, async (_, index) => {
        const peer = await connectHttp(url, { era: index % 2 === 0 ? 'modern' : 'legacy', token: TOKEN });
        return callsUntil(peer, end);
      }),
    );
    expect(Math.min(...counts)).toBeGreaterThan(0);
    await expect.poll(handles).toBeLessThanOrEqual(before.handles + 2);
    expect(megabytesOf(pid) - before.megabytes).toBeLessThan(MAX_GROWTH_MB);
    expect(server.stderr()).not.toMatch(/uncaught|"Internal error"/i);
  },
);

/** Calls each tool once, and then on until the time is over. @returns the number of calls */
async function callsUntil(peer: Peer, end: number): Promise<number> {
  await using client = peer;
  const tools = await client.listTools();
  let calls = 0;
  do {
    for (const { name, inputSchema } of tools) {
      const [args = {}] = fc.sample(validArgumentsFor(schemaFrom(inputSchema)), { numRuns: 1, seed: calls });
      const { isError, content } = await client.callTool(name, args);
      calls += 1;
      expect(isError === true && JSON.stringify(content).includes('INTERNAL'), name).toBe(false);
    }
  } while (performance.now() < end);
  return calls;
}

function megabytesOf(pid: number): number {
  const [, kilobytes = '0'] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kilobytes) / 1000;
}
