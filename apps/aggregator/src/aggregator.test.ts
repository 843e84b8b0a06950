import { writeFileSync } from 'node:fs';
import { silentLog } from '@deskside/core';
import { identityName } from '@deskside/core/errors';
import { serve } from '@deskside/core/serving';
import { connectInProcess, LEGS, type Peer } from '@deskside/testkit';
import { Client as LegacyClient } from '@modelcontextprotocol/sdk/client/index.js';
import { ToolListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import { expect, onTestFinished, test } from 'vitest';
import { openAggregator } from '@deskside/gateway';
import { add } from './commands/add.ts';
import { apply } from './commands/apply.ts';
import { remove } from './commands/remove.ts';
import { placesFor } from './config/load.ts';
import { openDesk } from './open-desk.ts';
import { runCommand } from './testing/commands.ts';
import { foreignServer } from '@deskside/gateway/testing/foreign-server';
import { namedServer } from '@deskside/gateway/testing/servers';
import { userHome } from './testing/user-home.ts';

const tool = (name: string) => ({
  name,
  annotations: { readOnlyHint: true },
  inputSchema: { type: 'object' as const },
});
const yes = { flags: { yes: true } };
const settings = { mounts: [], noMounts: ['popup', 'log', 'toast', 'manictime'] };

/** A desk without deskside.toml, and a foreign server. */
async function openEmptyDesk() {
  const user = userHome();
  const errors: unknown[] = [];
  const error = (message: string, fields?: object) => void errors.push({ message, ...fields });
  const env = { TODO_DATABASE_URL: ':memory:' };
  const desk = await openDesk(settings, { env, log: { ...silentLog, error } });
  onTestFinished(() => desk[Symbol.asyncDispose]());
  return { ...user, desk, errors, foreign: await foreignServer([tool('read')]) };
}

/** How often the client was told that the tools have changed. */
async function changesOf({ client }: Peer): Promise<() => number> {
  let count = 0;
  const listen = () => void (count += 1);
  if (client instanceof LegacyClient) {
    client.setNotificationHandler(ToolListChangedNotificationSchema, listen);
  } else {
    client.setNotificationHandler('notifications/tools/list_changed', listen);
    await client.listen({ toolsListChanged: true });
  }
  return () => count;
}

const namesOf = async (peer: Peer) => (await peer.listTools()).map(({ name }) => name);

test.each(LEGS)(
  'open clients in the $era era over $over learn of a server and of a profile that come, change and go',
  async (leg) => {
    const { desk, foreign, edit, text } = await openEmptyDesk();
    const { definition, routes } = desk.aggregator;
    await using peer = await connectInProcess(definition, leg);
    const changes = await changesOf(peer);
    expect(await namesOf(peer)).not.toContain('docs_read');
    expect(await runCommand(add, { ...yes, operands: ['docs', foreign.url] })).toMatchObject({ code: 0 });
    await expect.poll(() => namesOf(peer)).toContain('docs_read');
    await expect.poll(changes).toBeGreaterThan(0);
    expect(await peer.callTool('docs_read')).toMatchObject({ content: [{ text: 'read of foreign' }] });

    const applied = async (change: (before: string) => string) => {
      edit(change(text()));
      expect(await runCommand(apply, yes)).toMatchObject({ code: 0 });
    };
    await applied((before) => `${before}\n[profiles.work]\nmounts = ["docs"]\n`);
    await expect.poll(() => routes.has('/mcp/docs') && routes.has('/mcp/p/work')).toBe(true);
    await using alone = await connectInProcess(routes.get('/mcp/docs') ?? definition, leg);
    await using profile = await connectInProcess(routes.get('/mcp/p/work') ?? definition, leg);
    const [changesAlone, changesInProfile] = [await changesOf(alone), await changesOf(profile)];
    expect([await namesOf(alone), await namesOf(profile)]).toStrictEqual([['read'], ['docs_read']]);
    await applied((before) => before.replace('["docs"]', '["todo"]'));
    await expect.poll(() => namesOf(profile)).toContain('todo_add_task');
    await expect.poll(changesInProfile).toBeGreaterThan(0);
    expect(await namesOf(profile)).not.toContain('docs_read');
    await applied((before) => before.replace(/\n\[profiles[^]*/, ''));
    await expect.poll(() => namesOf(profile)).toStrictEqual([]);
    await expect(profile.callTool('todo_list_tasks', { user_id: 'me' })).rejects.toThrow('Unknown tool');

    await applied((before) => before.replace('[mcpServers.docs]', '[mcpServers.docs]\nexclude = ["read"]'));
    await expect.poll(() => namesOf(peer)).not.toContain('docs_read');
    expect(await runCommand(remove, { operands: ['docs'] })).toMatchObject({ code: 0 });
    await expect.poll(() => routes.has('/mcp/docs')).toBe(false);
    expect(await namesOf(peer)).toContain('todo_add_task');
    expect(await namesOf(alone)).toStrictEqual([]);
    await expect.poll(changesAlone).toBeGreaterThan(0);
    await expect(alone.callTool('read')).rejects.toThrow('Unknown tool');
  },
);

test('a server that a change leaves alone goes on with its calls', async () => {
  const { desk, foreign } = await openEmptyDesk();
  const other = await foreignServer([tool('look')]);
  await runCommand(add, { ...yes, operands: ['docs', foreign.url] });
  await expect.poll(() => desk.aggregator.routes.has('/mcp/docs')).toBe(true);
  const before = desk.aggregator.mounts.find(({ id }) => id === 'docs');
  await runCommand(add, { ...yes, operands: ['more', other.url] });
  await expect.poll(() => desk.aggregator.routes.has('/mcp/more')).toBe(true);
  expect(desk.aggregator.mounts).toContain(before);
});

test('paths of mounts come and go while HTTP is served', async () => {
  const { desk, foreign } = await openEmptyDesk();
  const http = { port: 0, auth: 'none' } as const;
  const serving = await serve(desk.aggregator.routes, { log: silentLog, ownsProcess: false, http });
  onTestFinished(() => serving.close());
  const statusAt = async (path: string) => (await fetch(`${serving.url}${path}`, { method: 'PUT' })).status;
  expect([await statusAt(''), await statusAt('/docs')]).toStrictEqual([405, 404]);
  await runCommand(add, { ...yes, operands: ['docs', foreign.url] });
  await expect.poll(() => statusAt('/docs/')).toBe(405);
  await runCommand(remove, { operands: ['docs'] });
  await expect.poll(() => statusAt('/docs')).toBe(404);
});

test('a configuration that cannot be used leaves the desk as it is', async () => {
  const { desk, foreign, errors, file } = await openEmptyDesk();
  await runCommand(add, { ...yes, operands: ['docs', foreign.url] });
  await expect.poll(() => desk.aggregator.routes.has('/mcp/docs')).toBe(true);
  writeFileSync(placesFor(file).accepted, Buffer.of(0xff));
  await expect.poll(() => errors.length).toBeGreaterThan(0);
  expect(errors[0]).toMatchObject({ message: expect.stringContaining('goes on with the one before') });
  await using peer = await connectInProcess(desk.aggregator.definition, LEGS[0]);
  expect(await namesOf(peer)).toContain('docs_read');
});

test('a resource is watched at its mount until its client leaves', async () => {
  const log: string[] = [];
  const watchResource = (uri: string) => {
    log.push(`watch ${uri}`);
    return () => void log.push('release');
  };
  const news = { id: 'news', definition: { ...namedServer('news'), watchResource } };
  const live = await openAggregator({ mounts: [news] });
  const view = { era: 'modern', toolName: identityName, principal: { user: 'owner' } } as const;
  for (const path of ['/mcp', '/mcp/news']) {
    const release = live.aggregator.routes.get(path)?.watchResource?.('news://text', view);
    await expect.poll(() => log.splice(0)).toStrictEqual(['watch news://text']);
    // Its mount stays the same object.
    await live.use({ mounts: [news] });
    release?.();
    await expect.poll(() => log.splice(0)).toStrictEqual(['release']);
  }
});
