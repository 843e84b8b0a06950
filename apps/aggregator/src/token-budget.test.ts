import { connect } from '@deskside/core/testing';
import { temporaryFolder } from '@deskside/testkit';
import { expect, test } from 'vitest';
import { createAggregator } from '@deskside/gateway';
import { BUILT_IN_IDS, builtInOptions, openBuiltIn } from './mounts/built-in.ts';

// The code of the mounts is loaded before a test measures its time.
await builtInOptions();

/** Hosts hand these bytes to the model; most of them leave out the output schemas. */
async function listedBytes(mounts: readonly string[]): Promise<number> {
  const env = { TODO_DATABASE_URL: ':memory:', HOME: temporaryFolder() };
  await using builtIn = await openBuiltIn(env, { mounts });
  const { definition } = await createAggregator(builtIn);
  await using peer = await connect(definition);
  const tools = (await peer.listTools()).map(({ outputSchema: _, ...tool }) => tool);
  expect(tools.length).toBeGreaterThan(5);
  return Buffer.byteLength(JSON.stringify(tools));
}

test.each([
  ['without ManicTime', BUILT_IN_IDS.filter((id) => id !== 'manictime'), 14_500],
  ['with ManicTime', BUILT_IN_IDS, 36_000],
])(
  'the tools of the default aggregator %s take at most the bytes that a model can spare',
  async (_, mounts, limit) => {
    expect(await listedBytes(mounts)).toBeLessThanOrEqual(limit);
  },
);
