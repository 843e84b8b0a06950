import { changeFeed } from '@deskside/core';
import { connectInProcess, firstText, LEGS } from '@deskside/testkit';
import { expect, test } from 'vitest';
import { createAggregator } from '../aggregator.ts';
import { namedServer } from '../testing/servers.ts';
import { dormantMount } from './dormant.ts';
import type { StartTimer } from './timer.ts';

/** A mount whose data a test creates, and a timer that a test rings. */
function sleepingMount() {
  const timers = new Map<() => void, number>();
  const startTimer: StartTimer = (ms, ring) => {
    timers.set(ring, ms);
    return () => timers.delete(ring);
  };
  const data = { exists: false };
  const changes = changeFeed();
  const mount = dormantMount(
    { id: 'beta', definition: { ...namedServer('beta'), changes } },
    {
      isAwake: async () => data.exists,
      reason: 'No data was found. Set BETA_DIR.',
      health: 'beta://text',
      startTimer,
    },
  );
  const look = () => {
    for (const ring of timers.keys()) {
      timers.delete(ring);
      ring();
    }
  };
  return { mount, data, timers, look, changes };
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
  const { mount, data, timers, look } = sleepingMount();
  const aggregator = await createAggregator({ mounts: [mount] });
  const seen: string[] = [];
  const published = Promise.withResolvers<void>();
  aggregator.definition.changes?.subscribe(({ kind }) => {
    seen.push(kind);
    if (seen.length === 3) published.resolve();
  });
  expect([...timers.values()]).toStrictEqual([300_000]);
  data.exists = true;
  look();
  await published.promise;
  expect(seen).toStrictEqual(['tools_list_changed', 'prompts_list_changed', 'resources_list_changed']);
  expect(timers.size).toBe(0);
  await using peer = await connectInProcess(aggregator.definition, LEGS[0]);
  expect(firstText(await peer.callTool('beta_ping'))).toBe('beta');
  expect(await aggregator.mountStates()).toMatchObject([{ state: 'ready', tools: 1 }]);
});

test('a disposed mount does not look for its data again', async () => {
  const { mount, timers } = sleepingMount();
  await createAggregator({ mounts: [mount] });
  mount[Symbol.dispose]();
  expect(timers.size).toBe(0);
});
