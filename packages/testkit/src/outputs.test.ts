import { defineServer, toolDefiner } from '@deskside/core';
import { afterEach, expect, test } from 'vitest';
import { z } from 'zod';
import { connectInProcess, LEGS, type Peer } from './connect.ts';
import { firstText } from '@deskside/core/testing';

const defineTool = toolDefiner<undefined>();
const common = {
  title: 'Find',
  description: 'Finds a note',
  annotations: {
    readOnlyHint: true,
    destructiveHint: false,
    idempotentHint: true,
    openWorldHint: false,
  },
  input: z.object({}),
};

const found = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('found'), note: z.string() }),
  z.object({ kind: z.literal('none') }),
]);

const definition = () =>
  defineServer({
    name: 'outputs',
    version: '1.0.0',
    deps: undefined,
    tools: [
      defineTool({
        ...common,
        name: 'union',
        output: found,
        run: () => ({ kind: 'found', note: 'x' }) as const,
      }),
      defineTool({ ...common, name: 'list', output: z.array(z.int()), run: () => [1, 2] }),
    ],
  });

const opened: Peer[] = [];
afterEach(async () => {
  for (const peer of opened.splice(0)) await peer[Symbol.asyncDispose]();
});

test.each(LEGS)(
  'the official client accepts a union and an array as answers in the $era era over $over',
  async (leg) => {
    const peer = await connectInProcess(definition(), leg);
    opened.push(peer);
    // The client checks answers only against schemas that it has listed.
    expect((await peer.listTools()).map(({ name }) => name)).toStrictEqual(['union', 'list']);
    const union = await peer.callTool('union');
    expect(union.structuredContent).toStrictEqual({ kind: 'found', note: 'x' });
    expect(firstText(union)).toBe('{"kind":"found","note":"x"}');
    const list = await peer.callTool('list');
    expect(firstText(list)).toBe('[1,2]');
    expect(list).not.toHaveProperty('structuredContent');
  },
);
