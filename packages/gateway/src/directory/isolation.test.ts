import { createLog, type ServerDefinition } from '@deskside/core';
import { testContext } from '@deskside/core/testing';
import { connectInProcess, firstText, LEGS } from '@deskside/testkit';
import { expect, onTestFinished, test } from 'vitest';
import { createAggregator } from '../aggregator.ts';
import type { Mount } from '../mounts/mount.ts';
import { fixedTool, impatientTimer, namedServer } from '../testing/servers.ts';

/** An aggregator and a client of it, with what it logs and publishes. */
async function start(mounts: readonly Mount[]) {
  const lines: string[] = [];
  const log = createLog({ level: 'info', write: (line) => lines.push(line) });
  const aggregator = await createAggregator({ mounts, log, startTimer: impatientTimer });
  const changes: string[] = [];
  aggregator.definition.changes?.subscribe(({ kind }) => changes.push(kind));
  const peer = await connectInProcess(aggregator.definition, LEGS[0]);
  onTestFinished(() => peer[Symbol.asyncDispose]());
  return {
    aggregator,
    peer,
    changes,
    lines,
    names: async () => (await peer.listTools()).map(({ name }) => name),
    stateOf: async (id: string) => (await aggregator.mountStates()).find((state) => state.id === id),
  };
}

const healthy: Mount = { id: 'healthy', definition: namedServer('healthy') };

/** Replaces answers of a server. */
function withAnswers(name: string, answers: Partial<ServerDefinition>): ServerDefinition {
  return { ...namedServer(name), ...answers };
}

function throws(): never {
  throw new Error('disk on fire');
}

test('mounts that throw in every list are left out and reported, and the other mounts answer', async () => {
  const listsThatThrow = {
    listTools: throws,
    listPrompts: throws,
    listResources: throws,
    listResourceTemplates: throws,
    resourceUris: throws,
  };
  const { aggregator, peer, names, lines } = await start([
    { id: 'broken', definition: withAnswers('broken', listsThatThrow) },
    healthy,
  ]);
  expect(await names()).toStrictEqual(['healthy_ping']);
  expect(firstText(await peer.callTool('healthy_ping'))).toBe('healthy');
  const { prompts } = await peer.client.listPrompts();
  expect(prompts.map(({ name }) => name)).toStrictEqual(['healthy_greet']);
  const { resources } = await peer.client.listResources();
  expect(resources.map(({ uri }) => uri)).toStrictEqual(['healthy://text']);
  const { resourceTemplates } = await peer.client.listResourceTemplates();
  expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toStrictEqual(['healthy://items/{id}']);
  expect(await peer.readResource('healthy://items/7')).toMatchObject({
    contents: [{ text: 'item 7 of healthy' }],
  });
  expect(await aggregator.mountStates()).toMatchObject([
    { id: 'broken', state: 'degraded', reason: expect.stringContaining('disk on fire'), tools: 0 },
    { id: 'healthy', state: 'ready', tools: 1 },
  ]);
  expect(lines.join('')).toContain('"mount":"broken"');
});

test('a mount that throws once is listed again, and clients get the change', async () => {
  let isBroken = true;
  const server = namedServer('moody');
  const listTools: ServerDefinition['listTools'] = (view) => (isBroken ? throws() : server.listTools(view));
  const { names, stateOf, changes } = await start([
    { id: 'moody', definition: { ...server, listTools } },
    healthy,
  ]);
  expect(await names()).toStrictEqual(['healthy_ping']);
  isBroken = false;
  expect(await names()).toStrictEqual(['moody_ping', 'healthy_ping']);
  expect(changes).toContain('tools_list_changed');
  expect(await stateOf('moody')).toMatchObject({ state: 'ready', tools: 1 });
});

test('a mount that hangs delays one list only, and is listed again when it answers', async () => {
  const server = namedServer('slow');
  const gate = Promise.withResolvers<void>();
  let asked = 0;
  const listTools: ServerDefinition['listTools'] = async (view) => {
    asked += 1;
    await gate.promise;
    return server.listTools(view);
  };
  const { aggregator, peer, names, stateOf } = await start([
    { id: 'slow', definition: { ...server, listTools } },
    healthy,
  ]);
  expect(await names()).toStrictEqual(['healthy_ping']);
  expect(firstText(await peer.callTool('healthy_ping'))).toBe('healthy');
  expect(asked).toBe(1);
  expect(await stateOf('slow')).toMatchObject({
    state: 'degraded',
    reason: expect.stringContaining('takes longer than 2 s'),
  });
  const changed = Promise.withResolvers<void>();
  aggregator.definition.changes?.subscribe(() => changed.resolve());
  gate.resolve();
  await changed.promise;
  expect(await names()).toStrictEqual(['slow_ping', 'healthy_ping']);
  expect(await stateOf('slow')).toMatchObject({ state: 'ready' });
});

const logsAndThrows: ServerDefinition['callTool'] = async (_name, _args, ctx) => {
  ctx.log.error('tool failed');
  return throws();
};

test('a call that throws is answered with an internal error, and what its mount logs names the mount', async () => {
  const broken = { id: 'broken', definition: withAnswers('broken', { callTool: logsAndThrows }) };
  const { aggregator, peer, lines } = await start([broken, healthy]);
  await expect(peer.callTool('broken_ping')).rejects.toThrow('Internal error');
  expect(firstText(await peer.callTool('healthy_ping'))).toBe('healthy');
  const log = createLog({ level: 'info', write: (line) => lines.push(line) });
  const failing = aggregator.definition.callTool('broken_ping', {}, { ...testContext(), log });
  await expect(failing).rejects.toThrow('disk on fire');
  expect(lines.join('')).toContain('"mount":"broken"');
});

test('a tool without prefix whose name begins with the prefix of another mount is left out and reported', async () => {
  const flat = namedServer('flat', [fixedTool('healthy_new', 'flat')]);
  const { names, stateOf } = await start([{ id: 'flat', definition: flat, flat: true }, healthy]);
  expect(await names()).toStrictEqual(['healthy_ping']);
  const reason = 'Mounts "healthy" and "flat" both have a tool "healthy_new".';
  expect((await stateOf('flat'))?.reason).toContain(reason);
});

test('a later tool with the name of another mount is not listed, and the state names both mounts', async () => {
  let server = namedServer('late', [fixedTool('own', 'own')]);
  const definition: ServerDefinition = {
    ...server,
    listTools: (view) => server.listTools(view),
    callTool: (...call) => server.callTool(...call),
  };
  const first = namedServer('first');
  const { peer, names, stateOf } = await start([
    { id: 'first', definition: { ...first, listPrompts: () => [] }, flat: true },
    { id: 'late', definition: { ...definition, listPrompts: () => [] }, flat: true },
    healthy,
  ]);
  server = namedServer('late', [fixedTool('ping', 'late'), fixedTool('healthy_ping', 'late')]);
  expect(await names()).toStrictEqual(['ping', 'healthy_ping']);
  expect(firstText(await peer.callTool('ping'))).toBe('first');
  expect(firstText(await peer.callTool('healthy_ping'))).toBe('healthy');
  const reason = 'Mounts "first" and "late" both have a tool "ping"';
  expect((await stateOf('late'))?.reason).toContain(reason);
});

test('a resource or template of two mounts belongs to the first one, and the second one is reported', async () => {
  const same = namedServer('same');
  for (const [kind, second] of [
    ['resource "same://text"', { ...same, listResourceTemplates: () => [] }],
    ['resource template "same://items/{id}"', { ...same, resourceUris: () => [], listResources: () => [] }],
  ] as const) {
    const { peer, stateOf } = await start([
      { id: 'one', definition: same },
      { id: 'two', definition: second },
    ]);
    expect((await peer.client.listResources()).resources).toHaveLength(1);
    expect((await peer.client.listResourceTemplates()).resourceTemplates).toHaveLength(1);
    const reason = `Mounts "one" and "two" both have a ${kind}.`;
    expect((await stateOf('two'))?.reason).toContain(reason);
  }
});

test('a resource that a later mount lists under the URI of another is not listed, and its owner answers', async () => {
  const impostor = withAnswers('impostor', {
    resourceUris: () => [],
    listResources: () => [{ uri: 'healthy://text', name: 'text' }],
    readResource: async (uri) => ({ contents: [{ uri, text: 'of the impostor' }] }),
  });
  const { peer, stateOf } = await start([{ id: 'impostor', definition: impostor }, healthy]);
  const { resources } = await peer.client.listResources();
  expect(resources).toHaveLength(1);
  expect(await peer.readResource('healthy://text')).toMatchObject({
    contents: [{ text: 'text of healthy' }],
  });
  expect((await stateOf('impostor'))?.reason).toContain('both have a resource "healthy://text"');
});

test('a mount with a template for every URI does not answer for the resources of others', async () => {
  const greedy = withAnswers('greedy', {
    resourceUris: () => [],
    listResources: () => [],
    listResourceTemplates: () => [{ uriTemplate: '{+any}', name: 'any' }],
    readResource: async (uri) => ({ contents: [{ uri, text: 'of the greedy mount' }] }),
  });
  const { peer } = await start([{ id: 'greedy', definition: greedy }, healthy]);
  expect(await peer.readResource('healthy://text')).toMatchObject({
    contents: [{ text: 'text of healthy' }],
  });
});
