import { globSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { bareNames, connectHttp, HOSTS, type Peer, IS_PROOF, shownBy, startProgram } from '@deskside/testkit';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { deskHome } from './testing/desk-home.ts';
import { argumentsFor, schemaFrom } from './testing/schema-arguments.ts';

const ERAS = ['legacy', 'modern'] as const;
/** Clients per era. */
const CLIENTS = IS_PROOF ? 2 : 1;
/** Calls per tool and client. */
const RUNS = IS_PROOF ? 400 : 10;
const TOKEN = 'a-token-for-this-test';
const INVALID_PARAMS = -32_602;
/** The heap is collected late; a leak of one result per call would be many times more in a proof. */
const MAX_GROWTH_MB = 300;

test('with arguments in and around its schema every tool answers clients of both eras at once with a result that each host can show, or with a clean error, and frees what it used', async () => {
  const { home, command } = deskHome();
  const mounts = ['--mounts', 'log,manictime,popup,toast,todo'];
  const args = ['http', '--port', '0', '--log-level', 'error', ...mounts];
  // Demo data, and no screen.
  const data = { MANICTIME_DEMO: 'true', MANICTIME_SAVE_DIR: join(home, 'saved'), TODO_TOOLS: 'all' };
  await using server = startProgram(command(args, { ...data, DESKSIDE_TOKEN: TOKEN }));
  const [, url = ''] = await server.printed(/(http:\/\/127\.0\.0\.1:\d+\/mcp)/);
  const work = async (era: (typeof ERAS)[number], numRuns: number) => {
    await using peer = await connectHttp(url, { era, token: TOKEN });
    const tools = await peer.listTools();
    expect(tools.length).toBeGreaterThan(25);
    const bare = tools.map(({ name }) => name.slice(name.indexOf('_') + 1));
    for (const { name, inputSchema } of tools) {
      await fc.assert(
        fc.asyncProperty(argumentsFor(schemaFrom(inputSchema)), async (args) => {
          expect(
            await faultOf(peer, name, args as Readonly<Record<string, unknown>>, bare),
            name,
          ).toBeUndefined();
        }),
        { numRuns },
      );
    }
    expect(await peer.listTools()).toHaveLength(tools.length);
  };
  // What is opened with the first calls stays open; the four files of todo are opened with its first valid one.
  await work('modern', 1);
  const { pid = 0 } = server.child;
  const before = usedBy(pid, url);
  await Promise.all(ERAS.flatMap((era) => Array.from({ length: CLIENTS }, () => work(era, RUNS))));
  await expect.poll(() => usedBy(pid, url).handles).toBeLessThanOrEqual(before.handles + 6);
  expect(usedBy(pid, url).megabytes - before.megabytes).toBeLessThan(MAX_GROWTH_MB);
  expect(server.stderr()).not.toMatch(/uncaught|"Internal error"/i);
  // Nothing outside of the folders that the options name.
  const own = new Set(['data', 'saved', 'state']);
  expect(globSync('*', { cwd: home }).filter((name) => !own.has(name))).toStrictEqual([]);
});

/** Open files without the connections that clients keep, and memory; nothing where the system does not tell. */
function usedBy(pid: number, url: string) {
  if (process.platform !== 'linux') return { handles: 0, megabytes: 0 };
  const [, kilobytes = '0'] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  const ofPort = new RegExp(`^ *\\d+: \\w+:${Number(new URL(url).port).toString(16)} \\w+:\\w+ 01`, 'gim');
  const connections = readFileSync('/proc/net/tcp', 'utf8').match(ofPort) ?? [];
  const handles = readdirSync(`/proc/${pid}/fd`).length - connections.length;
  return { handles, megabytes: Number(kilobytes) / 1000 };
}

/**
 * What is wrong with the answer of a call.
 *
 * @param bare names without the prefix of their mount: a model cannot call them
 */
async function faultOf(
  peer: Peer,
  name: string,
  args: Readonly<Record<string, unknown>>,
  bare: readonly string[],
) {
  try {
    const result = await peer.callTool(name, args);
    const texts = HOSTS.map((host) => shownBy(host, result));
    if (texts.includes('')) return 'a host shows nothing';
    const [, shown = ''] = texts;
    if (result.isError !== true) return undefined;
    const [unknown] = bareNames(shown, bare);
    if (unknown !== undefined) return `${unknown} is not a tool here: ${shown}`;
    if (/"INTERNAL"|Internal error|\[object |^\s+at .+:\d+:\d+/m.test(shown)) return shown;
    return shown.length > 4000 ? `an error of ${shown.length} characters` : undefined;
  } catch (error) {
    return Reflect.get(Object(error), 'code') === INVALID_PARAMS ? undefined : inspect(error);
  }
}
