import { changeFeed, defineServer } from '@deskside/core';
import { connectInProcess, firstText, fixedClock, LEGS, type Peer } from '@deskside/testkit';
import { openTodo, todoServer } from '@deskside/todo';
import { contractRows } from '@deskside/todo/contract-rows';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createAggregator } from './aggregator.ts';
import type { Mount } from './mounts/mount.ts';
import { fixedTool, namedServer } from './testing/servers.ts';

/** A few rows per transport: the mount changes names, not texts. The whole table runs in packages/todo. */
const someContractRows = contractRows.filter((_, index) => index % Math.ceil(contractRows.length / 5) === 0);

async function connect(mounts: readonly Mount[], leg: (typeof LEGS)[number] = LEGS[3]): Promise<Peer> {
  const { definition } = await createAggregator({ mounts });
  const peer = await connectInProcess(definition, leg);
  onTestFinished(() => peer[Symbol.asyncDispose]());
  return peer;
}

function todoMount(flat = false): Mount {
  const { now } = fixedClock('2025-12-20T10:30:00Z');
  const todo = openTodo({ database: ':memory:' }, { now });
  onTestFinished(() => todo[Symbol.asyncDispose]());
  return { id: 'todo', definition: todoServer(todo), flat };
}

describe.each(LEGS)('a mounted todo server in the $era era over $over', (leg) => {
  test.each(someContractRows)('keeps the contract: $says', async ({ steps }) => {
    const peer = await connect([todoMount()], leg);
    for (const { tool, args, text } of steps) {
      expect(firstText(await peer.callTool(`todo_${tool}`, args))).toBe(text);
    }
  });

  test('names its tools in the instructions with the prefix, and rejects a bare name, unless the mount is flat', async () => {
    const prefixed = await connect([todoMount()], leg);
    expect(prefixed.instructions).toContain('todo_add_task');
    expect(prefixed.instructions).not.toMatch(/(?<!todo_)add_task/);
    await expect(prefixed.callTool('list_tasks')).rejects.toThrow('Unknown tool: list_tasks');
    const flat = await connect([todoMount(true)], leg);
    expect(firstText(await flat.callTool('list_tasks', { user_id: 'me' }))).toBe('[]');
  });
});

test('the aggregator routes calls, prompts, resources and completions to the mount that owns them', async () => {
  const peer = await connect([
    { id: 'a', definition: namedServer('alpha') },
    { id: 'b', definition: namedServer('beta') },
  ]);
  expect(firstText(await peer.callTool('a_ping'))).toBe('alpha');
  expect(firstText(await peer.callTool('b_ping'))).toBe('beta');
  const { prompts } = await peer.client.listPrompts();
  expect(prompts.map(({ name }) => name)).toStrictEqual(['a_greet', 'b_greet']);
  const { messages } = await peer.getPrompt('b_greet', { whom: 'Ada' });
  expect(messages[0]?.content).toMatchObject({ text: 'beta greets Ada with b_ping' });
  expect(await peer.readResource('alpha://text')).toMatchObject({ contents: [{ text: 'text of alpha' }] });
  expect(await peer.readResource('beta://items/7')).toMatchObject({ contents: [{ text: 'item 7 of beta' }] });
  await expect(peer.readResource('gamma://text')).rejects.toThrow(/Resource not found/);
  await expect(peer.getPrompt('greet', { whom: 'x' })).rejects.toThrow(/Unknown prompt/);
  const completed = await peer.client.complete({
    ref: { type: 'ref/prompt', name: 'a_greet' },
    argument: { name: 'whom', value: 'A' },
  });
  expect(completed.completion.values).toStrictEqual(['A of alpha']);
});

test('an aggregator can be mounted in another aggregator', async () => {
  const { definition } = await createAggregator({
    mounts: [{ id: 'inner', definition: namedServer('alpha') }],
  });
  const peer = await connect([{ id: 'outer', definition }]);
  expect(firstText(await peer.callTool('outer_inner_ping'))).toBe('alpha');
  const { messages } = await peer.getPrompt('outer_inner_greet', { whom: 'Ada' });
  expect(messages[0]?.content).toMatchObject({ text: 'alpha greets Ada with outer_inner_ping' });
});

const INVALID_MOUNTS: readonly (readonly [readonly Omit<Mount, 'definition'>[], string])[] = [
  [[{ id: 'a' }, { id: 'a' }], 'Two mounts have the id "a". Change one.'],
  ...['A', '', 'a_b', 'a-b', '1a', 'a'.repeat(17), 'ä'].map(
    (id) => [[{ id }], `Invalid mount id "${id}".`] as const,
  ),
];

test.each(INVALID_MOUNTS)('createAggregator rejects the mounts %j: %s', async (mounts, message) => {
  const definition = namedServer('s');
  await expect(
    createAggregator({ mounts: mounts.map((mount) => ({ ...mount, definition })) }),
  ).rejects.toThrow(message);
});

test('a tool whose name hosts reject is left out and reported', async () => {
  const long = 'x'.repeat(50);
  const mount = { id: 'longestmountname', definition: namedServer('s', [fixedTool(long, '')]) };
  const { mountStates } = await createAggregator({ mounts: [mount] });
  const reason = expect.stringContaining(`a tool name that hosts reject: "longestmountname_${long}"`);
  expect(await mountStates()).toMatchObject([{ state: 'degraded', tools: 0, reason }]);
});

test('the aggregator declares log messages for the eras of all its mounts', async () => {
  const spec = { name: 's', version: '1.0.0', deps: null };
  const quiet = await createAggregator({ mounts: [{ id: 'a', definition: namedServer('alpha') }] });
  expect(quiet.definition.capabilities.logging).toStrictEqual([]);
  const { definition } = await createAggregator({
    mounts: [
      { id: 'a', definition: defineServer({ ...spec, logging: ['modern'] }) },
      { id: 'b', definition: defineServer({ ...spec, logging: true }) },
    ],
  });
  expect(definition.capabilities.logging.toSorted()).toStrictEqual(['legacy', 'modern']);
});

test.each(LEGS)(
  'a read in the $era era over $over has the hints of its mount only if the era has hints',
  async (leg) => {
    const caching = { reads: { ttlMs: 5000, cacheScope: 'private' } } as const;
    const peer = await connect([{ id: 'alpha', definition: { ...namedServer('alpha'), caching } }], leg);
    const { ttlMs } = (await peer.readResource('alpha://text')) as { readonly ttlMs?: unknown };
    expect(ttlMs).toBe(leg.era === 'modern' ? 5000 : undefined);
  },
);

test('a mount decides whom it tells of a change, through the endpoint of all and its own', async () => {
  const changes = changeFeed();
  const own = { ...namedServer('alpha'), changes };
  const definition = { ...own, tells: (_: unknown, { user }: { user: string }) => user === 'ada' };
  const aggregator = await createAggregator({ mounts: [{ id: 'a', definition }] });
  const told: string[] = [];
  for (const each of [aggregator.definition, aggregator.routes.get('/mcp/a')])
    each?.changes?.subscribe((change) => {
      told.push(...['ada', 'bob'].filter((user) => each.tells?.(change, { user }) !== false));
    });
  changes.updated('a://x');
  expect(told).toStrictEqual(['ada', 'ada']);
});
