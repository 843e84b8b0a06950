import { changeFeed } from '@deskside/core';
import { connectInProcess, firstText, LEGS } from '@deskside/testkit';
import { expect, test } from 'vitest';
import { createAggregator } from '../aggregator.ts';
import { manualTimer } from '../testing/fake.ts';
import { namedServer } from '../testing/servers.ts';
import { dormantMount } from './dormant.ts';

/** A mount whose data a test creates. */
function sleepingMount() {
  const timer = manualTimer();
  const data = { exists: false };
  const mount = dormantMount(
    { id: 'beta', definition: { ...namedServer('beta'), changes: changeFeed() } },
    {
      isAwake: async () => data.exists,
      reason: 'No data was found. Set BETA_DIR.',
      health: 'beta://text',
      startTimer: timer.startTimer,
    },
  );
  return { mount, data, timer };
}

test('a mount without data offers no tools, prompts and templates, and its health can be read', async () => {
  const { mount } = sleepingMount();
  const aggregator = await createAggregator({
    mounts: [{ id: 'alpha', definition: namedServer('alpha') }, mount],
  });
  await using peer = await connectInProcess(aggregator.definition, LEGS[0]);
  expect((await peer.listTools()).map(({ name }) => name)).toStrictEqual(['alpha_ping']);
  expect((await peer.client.listPrompts()).prompts).toHaveLength(1);
  expect((await peer.client.listResourceTemplates()).resourceTemplates).toHaveLength(1);
  const { resources } = await peer.client.listResources();
  expect(resources.map(({ uri }) => uri)).toStrictEqual(['alpha://text', 'beta://text']);
  expect(await peer.readResource('beta://text')).toMatchObject({ contents: [{ text: 'text of beta' }] });
  await expect(peer.callTool('beta_ping')).rejects.toThrow('Unknown tool: beta_ping');
  expect(await aggregator.mountStates()).toContainEqual({
    id: 'beta',
    title: 'beta',
    state: 'dormant',
    reason: 'No data was found. Set BETA_DIR.',
    tools: 0,
  });
});

test('a mount wakes at the first look after its data exists, and publishes the changes of its lists', async () => {
  const { mount, data, timer } = sleepingMount();
  const aggregator = await createAggregator({ mounts: [mount] });
  const seen: string[] = [];
  const published = Promise.withResolvers<void>();
  aggregator.definition.changes?.subscribe(({ kind }) => {
    seen.push(kind);
    if (seen.length === 3) published.resolve();
  });
  data.exists = true;
  timer.ring(300_000);
  await published.promise;
  expect(timer.running()).toStrictEqual([]);
  expect(seen).toStrictEqual(['tools_list_changed', 'prompts_list_changed', 'resources_list_changed']);
  await using peer = await connectInProcess(aggregator.definition, LEGS[0]);
  expect(firstText(await peer.callTool('beta_ping'))).toBe('beta');
  expect(await aggregator.mountStates()).toMatchObject([{ state: 'ready', tools: 1 }]);
});

test('a disposed mount does not look for its data again', async () => {
  const { mount, timer } = sleepingMount();
  await createAggregator({ mounts: [mount] });
  mount[Symbol.dispose]();
  expect(timer.running()).toStrictEqual([]);
});
