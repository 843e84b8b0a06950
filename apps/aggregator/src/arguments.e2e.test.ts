import { globSync } from 'node:fs';
import { join } from 'node:path';
import { bareNames, connectStdio, HOSTS, type Peer, IS_PROOF, shownBy } from '@deskside/testkit';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { deskHome } from './testing/desk-home.ts';
import { argumentsFor, schemaFrom } from './testing/schema-arguments.ts';

/** Calls per tool and era. */
const SETTINGS = { numRuns: IS_PROOF ? 1000 : 12 };
const INVALID_PARAMS = -32_602;

describe.each(['legacy', 'modern'] as const)('arguments in and around the schemas, %s era', (era) => {
  test('every tool answers with a result that each host can show, or with a clean error', async () => {
    const { home, command } = deskHome();
    const args = ['stdio', '--standalone', '--mounts', 'log,manictime,popup,toast,todo'];
    // Demo data, and no screen.
    const env = { MANICTIME_DEMO: 'true', MANICTIME_SAVE_DIR: join(home, 'saved'), TODO_TOOLS: 'all' };
    await using peer = await connectStdio(command(args, { ...env, DESKSIDE_LOG_LEVEL: 'error' }), { era });
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
        SETTINGS,
      );
    }
    expect(await peer.listTools()).toHaveLength(tools.length);
    // Nothing outside of the folders that the options name.
    expect(globSync('*', { cwd: home }).toSorted()).toStrictEqual(expect.arrayContaining(['data', 'state']));
  });
});

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
    return Reflect.get(Object(error), 'code') === INVALID_PARAMS ? undefined : String(error);
  }
}
