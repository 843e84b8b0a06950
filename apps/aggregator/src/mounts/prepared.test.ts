import { join } from 'node:path';
import { existsSync } from 'node:fs';
import type { ServerDefinition } from '@deskside/core';
import type { Client as LegacyClient } from '@modelcontextprotocol/sdk/client/index.js';
import { connectInProcess, firstText, LEGS, type Peer, temporaryFolder } from '@deskside/testkit';
import { expect, onTestFinished, test, vi } from 'vitest';
import { createAggregator, preparedDefinition } from '@deskside/gateway';
import { type BuiltInOptions, openBuiltIn } from './built-in.ts';
import { recordListing, recordListings } from './record.ts';

const listings = await recordListings();
const NAMED = { mounts: Object.keys(listings) };

async function start(options: BuiltInOptions, env: Readonly<Record<string, string>> = {}) {
  const opened = await openBuiltIn(env, options);
  onTestFinished(() => opened[Symbol.asyncDispose]());
  return createAggregator(opened);
}

async function listed({ client }: Peer) {
  const capabilities = client.getServerCapabilities() ?? {};
  return {
    capabilities,
    instructions: client.getInstructions(),
    tools: capabilities.tools && (await client.listTools()),
    prompts: capabilities.prompts && (await client.listPrompts()),
    resources: capabilities.resources && (await client.listResources()),
    templates: capabilities.resources && (await client.listResourceTemplates()),
  };
}

test.each(LEGS)('a desk lists the same with and without prepared mounts ($era, $over)', async (leg) => {
  const [prepared, opened] = [await start({ ...NAMED, listings }), await start(NAMED)];
  expect([...prepared.routes.keys()]).toStrictEqual([...opened.routes.keys()]);
  for (const [route, definition] of prepared.routes) {
    await using first = await connectInProcess(definition, leg);
    await using second = await connectInProcess(opened.routes.get(route) ?? definition, leg);
    expect(await listed(first)).toStrictEqual(await listed(second));
  }
  expect(await prepared.mountStates()).toStrictEqual(await opened.mountStates());
});

test('a prepared mount is loaded once, for the first call', async () => {
  const aggregator = await start({ mounts: ['todo'] }, { TODO_DATABASE_URL: ':memory:' });
  const [todo] = aggregator.mounts.map(({ definition }) => definition);
  if (todo === undefined) throw new Error('There is no todo.');
  const load = vi.fn<() => Promise<ServerDefinition>>(async () => todo);
  const definition = preparedDefinition(await recordListing(todo, []), load);
  await using peer = await connectInProcess(definition, LEGS[0]);
  await listed(peer);
  expect(load).not.toHaveBeenCalled();
  expect(firstText(await peer.callTool('list_tasks', { user_id: 'me' }))).toBe('[]');
  await peer.callTool('list_tasks', { user_id: 'me' });
  expect(load).toHaveBeenCalledOnce();
});

test('a prepared mount that cannot be opened does not keep the others from closing', async () => {
  const opened = await openBuiltIn(
    {},
    {
      mounts: ['popup'],
      listings,
      onPopup() {
        throw new Error('broken');
      },
    },
  );
  await expect(opened.popup()).rejects.toThrow('broken');
  await opened[Symbol.asyncDispose]();
});

test('a change in a prepared mount reaches the clients', async () => {
  const HOME = temporaryFolder();
  vi.stubEnv('HOME', HOME);
  vi.stubEnv('XDG_DATA_HOME', join(HOME, 'data'));
  onTestFinished(() => void vi.unstubAllEnvs());
  const { definition } = await start({ mounts: ['todo'], listings }, { HOME });
  const changes: string[] = [];
  definition.changes?.subscribe((change) => changes.push(change.kind));
  await using peer = await connectInProcess(definition, LEGS[0]);
  await (peer.client as LegacyClient).subscribeResource({ uri: 'todo://tasks/today' });
  await peer.callTool('todo_add_task', { user_id: 'owner', title: 'one' });
  await expect.poll(() => changes).toContain('resource_updated');
  expect(existsSync(join(HOME, 'data/deskside/todo.sqlite'))).toBe(true);
});

async function states(options: BuiltInOptions, env: Readonly<Record<string, string>> = {}) {
  return (await start({ listings, ...options }, env)).mountStates();
}

test('a mount with a variable or a setting is opened at once, and its problem is known', async () => {
  const degraded = { id: 'popup', state: 'degraded', tools: 0 };
  expect(await states({ mounts: ['popup'] }, { NOTIFY_POPUP_HISTORY_LIMIT: 'many' })).toMatchObject([
    degraded,
  ]);
  const settings = { popup: { historyLimit: 'many' } };
  expect(await states({ mounts: ['popup'], settings })).toMatchObject([degraded]);
  expect(await states({ mounts: ['popup'] })).toMatchObject([{ state: 'ready', tools: 1 }]);
});
