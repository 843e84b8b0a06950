import { changeFeed, type Principal, silentLog } from '@deskside/core';
import { serve } from '@deskside/core/serving';
import { connectHttp, cpuMsOf, firstText, type Peer } from '@deskside/testkit';
import { Client as LegacyClient } from '@modelcontextprotocol/sdk/client/index.js';
import { ResourceUpdatedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import { expect, onTestFinished, test } from 'vitest';
import { createAggregator } from '../aggregator.ts';
import { matches } from '../mounts/glob.ts';
import type { Mount } from '../mounts/mount.ts';
import { fixedTool, namedServer } from '../testing/servers.ts';
import type { Profile } from './profile.ts';

const ids = ['todo', 'popup', 'log'];
const mounts = ids.map((id) => ({
  id,
  brief: `About ${id}.`,
  definition: namedServer(id, [fixedTool('read', id), fixedTool('write', id)]),
}));

const profiles = new Map<string, Profile>([
  ['all', {}],
  ['work', { mounts: ['todo', 'popup'] }],
  ['reader', { include: ['*_read', 'todo_greet'] }],
  ['silent', { exclude: ['*_greet'] }],
  ['careful', { mounts: ['todo'], exclude: ['*_wr?te'] }],
]);

async function auth(authorization: string = ''): Promise<Principal> {
  return JSON.parse(Buffer.from(authorization.replace('Bearer ', ''), 'base64url').toString());
}

/** Serves the mounts over HTTP; a token is JSON of the principal that it stands for. */
async function connect(
  principal: Principal,
  path = '/mcp',
  era: 'legacy' | 'modern' = 'modern',
  served: readonly Mount[] = mounts,
): Promise<Peer> {
  const { routes } = await createAggregator({ mounts: served, profiles });
  const serving = await serve(routes, { log: silentLog, ownsProcess: false, http: { port: 0, auth } });
  onTestFinished(() => serving.close());
  const token = Buffer.from(JSON.stringify(principal)).toString('base64url');
  const peer = await connectHttp((serving.url ?? '').replace('/mcp', path), { era, token });
  onTestFinished(() => peer[Symbol.asyncDispose]());
  return peer;
}

async function toolsOf(principal: Principal, path?: string): Promise<string> {
  const peer = await connect(principal, path);
  return (await peer.listTools()).map(({ name }) => name).join(' ');
}

const EVERYTHING = 'todo_read todo_write popup_read popup_write log_read log_write';
const owner = { user: 'owner' };
const guest = { user: 'bob' };

test.each<readonly [string, Principal, string | undefined, string]>([
  ['the owner sees everything', owner, undefined, EVERYTHING],
  [
    'a profile selects mounts',
    { ...owner, profile: 'work' },
    undefined,
    'todo_read todo_write popup_read popup_write',
  ],
  ['include selects names', { ...owner, profile: 'reader' }, undefined, 'todo_read popup_read log_read'],
  ['exclude removes names', { ...owner, profile: 'careful' }, undefined, 'todo_read'],
  ['a profile that does not exist contains nothing', { ...owner, profile: 'gone' }, undefined, ''],
  ['another user does not reach the person', { ...guest, profile: 'all' }, undefined, 'todo_read todo_write'],
  [
    'a profile that names the popup gives it to another user',
    { ...guest, profile: 'work' },
    undefined,
    'todo_read todo_write popup_read popup_write',
  ],
  ['the route of a profile selects for the owner', owner, '/mcp/p/careful', 'todo_read'],
  [
    'the route of a profile does not add to the profile of a token',
    { ...owner, profile: 'work' },
    '/mcp/p/reader',
    'todo_read popup_read',
  ],
  ['the route of a mount has bare names', owner, '/mcp/todo', 'read write'],
  ['a profile applies to the route of a mount', { ...owner, profile: 'careful' }, '/mcp/todo', 'read'],
])('%s', async (_, principal, path, tools) => {
  expect(await toolsOf(principal, path)).toBe(tools);
});

test('what a profile leaves out is not in the instructions, and cannot be called, read or completed', async () => {
  const peer = await connect({ ...owner, profile: 'careful' });
  expect(peer.client.getInstructions()).toBe('todo: About todo.');
  expect(firstText(await peer.callTool('todo_read'))).toBe('todo');
  await expect(peer.callTool('todo_write')).rejects.toThrow('Unknown tool: todo_write');
  await expect(peer.callTool('log_read')).rejects.toThrow('Unknown tool: log_read');
  expect(await peer.readResource('todo://text')).toMatchObject({ contents: [{ text: 'text of todo' }] });
  await expect(peer.readResource('log://text')).rejects.toThrow(/Resource not found/);
  await expect(peer.readResource('log://items/7')).rejects.toThrow(/Resource not found/);
  await expect(peer.getPrompt('log_greet', { whom: 'Ada' })).rejects.toThrow(/Unknown prompt/);
  const { resources } = await peer.client.listResources();
  expect(resources.map(({ uri }) => uri)).toStrictEqual(['todo://text']);
  const { resourceTemplates } = await peer.client.listResourceTemplates();
  expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toStrictEqual(['todo://items/{id}']);
  const { prompts } = await peer.client.listPrompts();
  expect(prompts.map(({ name }) => name)).toStrictEqual(['todo_greet']);
  const ref = { type: 'ref/prompt', name: 'log_greet' } as const;
  await expect(peer.client.complete({ ref, argument: { name: 'whom', value: 'A' } })).rejects.toThrow(
    /Unknown completion/,
  );
  const alone = await connect({ ...owner, profile: 'silent' }, '/mcp/todo');
  const own = { ref: { ...ref, name: 'greet' }, argument: { name: 'whom', value: 'A' } };
  await expect(alone.client.complete(own)).rejects.toThrow(/Unknown completion/);
});

test.each(['legacy', 'modern'] as const)(
  'in the %s era the route of a mount that a profile leaves out does not exist',
  async (era) => {
    await expect(connect({ ...owner, profile: 'careful' }, '/mcp/log', era)).rejects.toThrow(
      era === 'legacy' ? /Not found/ : /did not offer/,
    );
  },
);

test.each(['legacy', 'modern'] as const)(
  'in the %s era a client is told of changes of the mounts of its profile only',
  async (era) => {
    const [own, other] = ['todo', 'log'].map((id) => {
      const changes = changeFeed();
      return { id, changes, definition: { ...namedServer(id, [fixedTool('read', id)]), changes } };
    });
    if (own === undefined || other === undefined) throw new Error('no mounts');
    const peer = await connect({ ...owner, profile: 'careful' }, '/mcp', era, [own, other]);
    const uris: string[] = [];
    const listen = ({ params }: { readonly params: { readonly uri: string } }) => void uris.push(params.uri);
    if (peer.client instanceof LegacyClient) {
      peer.client.setNotificationHandler(ResourceUpdatedNotificationSchema, listen);
      for (const uri of ['todo://text', 'log://text']) await peer.client.subscribeResource({ uri });
    } else {
      peer.client.setNotificationHandler('notifications/resources/updated', listen);
      await peer.client.listen({ resourceSubscriptions: ['todo://text', 'log://text'] });
    }
    for (const { changes, id } of [other, own]) changes.updated(`${id}://text`);
    await expect.poll(() => uris).toStrictEqual(['todo://text']);
  },
);

test('a name that a server has chosen against a pattern is matched at once', () => {
  const isMatch = matches(['*_delete_*x', '*a*a*a*a*a*b']);
  const cpuMs = cpuMsOf(() => {
    expect(isMatch(`${'_delete_'.repeat(400_000)}\n`)).toBe(false);
    expect(isMatch('a'.repeat(100_000))).toBe(false);
  });
  expect(cpuMs).toBeLessThan(20_000);
  const cases = ['read', 'read_', 'xread_a', 'read_a\nb', '*', 'a?c', 'abc', ''];
  const globs = ['read_*', '*', 'a?c', '*_*', 'read', '**d', '?'];
  for (const glob of globs) {
    const pattern = new RegExp(`^${glob.replaceAll('*', '[^]*').replaceAll('?', '[^]')}$`);
    expect(cases.filter(matches([glob]))).toStrictEqual(cases.filter((name) => pattern.test(name)));
  }
});
