import { defineServer } from '@deskside/core';
import { expect, test } from 'vitest';
import { running } from '../testing/external.ts';
import { callOf, fakeServer, fakeTransports, jsonOf } from '../testing/fake.ts';
import { fakeDesk, openDesk, scriptedDesk } from '../testing/open-desk.ts';
import type { Message, RawPeer } from '../testing/raw-peer.ts';
import { type Json, ScriptedServer } from '../testing/scripted.ts';
import type { OpenTransport } from './transport.ts';

const PER_CLIENT = { isolation: 'per-client' } as const;
const ERAS = ['legacy', 'modern'] as const;

test('an error of the server passes with its message and data', async () => {
  const { peer } = await fakeDesk();
  const error = { code: -32_602, message: 'not\u0000found', data: { why: [1] } };
  // The SDK sends -32602 for -32002 in both eras.
  expect(await callOf(peer, 'x_fail')).toStrictEqual({ error });
});

test.each([['shared'], ['per-client']] as const)(
  'an error of a %s server that demands a visit to an address names the server',
  async (isolation) => {
    const visit = { mode: 'url', url: 'https://evil.example/', elicitationId: '1' };
    const elicitations = [{ ...visit, message: 'Deskside:\u202e log in' }, 'no question'];
    const server = new ScriptedServer('legacy', {
      'tools/call': ({ id }, start) => {
        start.say({ id, error: { code: -32_042, message: 'Log\u202e in first', data: { elicitations } } });
        return undefined;
      },
    });
    const { peer } = await scriptedDesk(server, { isolation });
    expect(await callOf(peer, 'x_echo')).toStrictEqual({
      error: {
        code: -32_042,
        message: String.raw`[x] Log\u{202e} in first`,
        data: {
          elicitations: [
            { ...visit, message: String.raw`[x] Deskside:\u{202e} log in (opens evil.example)` },
          ],
        },
      },
    });
  },
);

test.each(ERAS)('valid progress passes with the token of the caller in the %s era', async (era) => {
  const { peer } = await fakeDesk({}, { client: { era } });
  expect(jsonOf(await callOf(peer, 'x_progress', {}, { _meta: { progressToken: 'mine' } }))).toBe('done');
  const steps = peer.notifications.filter(({ method }) => method === 'notifications/progress');
  expect(steps.map(({ params }) => params)).toStrictEqual([
    { progressToken: 'mine', progress: 1, total: 2, message: 'step 1' },
    { progressToken: 'mine', progress: 2, total: 2, message: 'step 2' },
  ]);
});

/** @returns what ends the subscription */
async function subscribed(peer: RawPeer, era: (typeof ERAS)[number], uri: string): Promise<() => unknown> {
  if (era === 'legacy') {
    await peer.request('resources/subscribe', { uri });
    return () => peer.request('resources/unsubscribe', { uri });
  }
  const notifications = { resourceSubscriptions: [uri] };
  const { id } = peer.start('subscriptions/listen', { notifications });
  return () => peer.notify('notifications/cancelled', { requestId: id });
}

/** A server with one resource. */
function serverOf(uri: string): ScriptedServer {
  const server = new ScriptedServer('legacy', {
    'resources/list': () => ({ resources: [{ uri, name: uri }] }),
  });
  server.capabilities = { tools: {}, resources: { subscribe: true } };
  return server;
}

/** A desk with two servers. */
function deskOf(mine: ScriptedServer, other: ScriptedServer, era: (typeof ERAS)[number] = 'legacy') {
  const openTransport: OpenTransport = (server, options) =>
    ('command' in server && server.command === 'mine' ? mine : other).openTransport(server, options);
  const specs = { x: running({ command: 'mine' }), y: running({ command: 'other' }) };
  return openDesk(specs, { openTransport, client: { era } });
}

/** The notifications about changed resources that the client got. */
const updatesAt = (peer: RawPeer) =>
  peer.notifications.filter(({ method }) => method === 'notifications/resources/updated');

test.each(ERAS)(
  'a subscription in the %s era is for the server of the resource, and passes until it ends',
  async (era) => {
    const [mine, other] = [serverOf('mine://a'), serverOf('other://a')];
    const { peer } = await deskOf(mine, other, era);
    const uri = 'mine://a';
    const end = await subscribed(peer, era, uri);
    await expect.poll(() => mine.asked('resources/subscribe')).toStrictEqual([{ uri }]);
    await callOf(peer, 'y_echo');
    other.running.say({ method: 'notifications/resources/updated', params: { uri } });
    await callOf(peer, 'y_echo');
    expect(updatesAt(peer)).toStrictEqual([]);
    mine.running.say({ method: 'notifications/resources/updated', params: { uri } });
    await expect.poll(() => updatesAt(peer)).toMatchObject([{ params: { uri } }]);
    await end();
    await expect.poll(() => mine.asked('resources/unsubscribe')).toStrictEqual([{ uri }]);
  },
);

const ELICITING = { roots: {}, elicitation: {} };
const ROOTS = { roots: [{ uri: 'file:///work', name: 'work' }] };
const FORM = { action: 'accept', content: { name: 'Ada' } };

test('with per-client isolation a server asks a legacy caller for roots and input', async () => {
  const { peer } = await fakeDesk(PER_CLIENT, { client: { era: 'legacy', capabilities: ELICITING } });
  peer.answers = ({ method }: Message) => (method === 'roots/list' ? ROOTS : FORM);
  expect(jsonOf(await callOf(peer, 'x_ask'))).toStrictEqual({ roots: ROOTS, form: FORM });
});

test('with per-client isolation a server gets the changed roots of a legacy caller, also between calls', async () => {
  const capabilities = { roots: { listChanged: true } };
  const { peer } = await fakeDesk(PER_CLIENT, { client: { era: 'legacy', capabilities } });
  await callOf(peer, 'x_pid');
  peer.answers = () => ROOTS;
  peer.notify('notifications/roots/list_changed');
  await expect
    .poll(() => peer.notifications.map(({ method }) => method))
    .toContain('notifications/tools/list_changed');
  expect(jsonOf(await callOf(peer, 'x_seen'))).toContain(`roots ${JSON.stringify(ROOTS)}`);
});

test('roots that a server asks for during a call come also if the call is answered before', async () => {
  const server = new ScriptedServer('legacy');
  server.plays = {
    'tools/call': (request, start) => {
      start.say({ id: 'roots', method: 'roots/list' });
      return server.answer(request, start);
    },
  };
  const { peer } = await scriptedDesk(server, PER_CLIENT, {
    client: { era: 'legacy', capabilities: ELICITING },
  });
  peer.answers = () => ROOTS;
  await callOf(peer, 'x_echo');
  await expect
    .poll(() => server.running.received.find(({ id }) => id === 'roots'))
    .toMatchObject({ result: ROOTS });
});

test('with per-client isolation a server asks a modern caller for roots and input', async () => {
  const { peer } = await fakeDesk(PER_CLIENT, { client: { era: 'modern', capabilities: ELICITING } });
  let result = await callOf(peer, 'x_ask');
  const asked: unknown[] = [];
  while (result['resultType'] === 'input_required') {
    const { inputRequests, requestState } = result as {
      inputRequests: Record<string, Json>;
      requestState: string;
    };
    const [key = '', question] = Object.entries(inputRequests)[0] ?? [];
    asked.push(question?.['method']);
    const response = question?.['method'] === 'roots/list' ? ROOTS : FORM;
    result = await callOf(peer, 'x_ask', {}, { inputResponses: { [key]: response }, requestState });
  }
  expect(asked).toStrictEqual(['roots/list', 'elicitation/create']);
  expect(jsonOf(result)).toStrictEqual({ roots: ROOTS, form: FORM });
});

test('with per-client isolation each client has its own process, which ends with the client', async () => {
  const { starts, peer: first, connect } = await fakeDesk(PER_CLIENT);
  const isRunning = (pid: number) => starts[pid - 1]?.isClosed === false;
  const second = await connect();
  const pids = [jsonOf(await callOf(first, 'x_pid')), jsonOf(await callOf(second, 'x_pid'))].map(Number);
  expect(new Set(pids).size).toBe(2);
  expect(jsonOf(await callOf(first, 'x_pid'))).toBe(pids[0]);
  await first[Symbol.asyncDispose]();
  await expect.poll(() => isRunning(Number(pids[0]))).toBe(false);
  expect(isRunning(Number(pids[1]))).toBe(true);
});

test('conversations that a client names share its process', async () => {
  const { starts, peer } = await fakeDesk(PER_CLIENT);
  const before = starts.length;
  for (const id of ['a', 'b', 'c']) {
    await callOf(peer, 'x_pid', {}, { _meta: { 'vscode.conversationId': id } });
  }
  expect(starts.length - before).toBe(1);
});

test('a user has at most 32 processes of a server, and the longest unused one makes room', async () => {
  const { starts, peer: first, connect } = await fakeDesk(PER_CLIENT);
  const before = starts.length;
  await callOf(first, 'x_pid');
  for (let count = 1; count < 32; count += 1) await callOf(await connect(), 'x_pid');
  const running32 = starts.slice(before);
  expect(running32.filter(({ isClosed }) => isClosed)).toStrictEqual([]);
  await callOf(first, 'x_pid');
  expect(jsonOf(await callOf(await connect(), 'x_pid'))).toBe(before + 33);
  await expect
    .poll(() => running32.map(({ isClosed }, index) => (isClosed ? index : -1)).filter((index) => index >= 0))
    .toStrictEqual([1]);
});

test('a shared server has no roots and no elicitation', async () => {
  const { peer } = await fakeDesk({}, { client: { era: 'legacy', capabilities: ELICITING } });
  expect(jsonOf(await callOf(peer, 'x_ask'))).toStrictEqual({ roots: {}, form: {} });
});

test('a foreign mount shows no view and no hidden character, and answers for no address of another mount', async () => {
  const own = {
    id: 'toast',
    definition: defineServer({
      name: 'own',
      version: '1',
      deps: null,
      resources: [{ uri: 'ui://toast/other', name: 'view', read: () => 'from the owner' }],
    }),
  };
  const specs = { x: running(fakeServer()), y: running(fakeServer()) };
  const { peer, desk } = await openDesk(specs, { ...fakeTransports(), own: [own] });
  const { resources } = (await peer.request('resources/list')) as { resources: readonly Json[] };
  expect(resources.map(({ uri }) => uri)).toStrictEqual(['ui://toast/other', 'fake://a']);
  expect(JSON.stringify(await peer.request('tools/list'))).not.toContain('ui://');
  expect(desk.aggregator.definition.instructions((name) => name)).toContain('x: Use\\u{202e} it.');
  expect(await peer.request('resources/read', { uri: 'ui://toast/view' })).toHaveProperty('error');
  expect(await peer.request('resources/read', { uri: 'other://b' })).toHaveProperty('error');
  expect(await peer.request('resources/read', { uri: 'fake://a' })).toHaveProperty('contents');
});

const TEMPLATES = [
  'doc://{page}{#section}',
  'doc://deep/{id}{.ext}',
  'opt://x{/a}',
  'none{+rest}',
  'p://{id}',
];

function offer(server: ScriptedServer, templates: readonly string[]): void {
  server.plays = {
    'resources/templates/list': () => ({
      resourceTemplates: templates.map((uriTemplate) => ({ uriTemplate, name: 'a' })),
    }),
    'resources/read': ({ params }) => ({ contents: [{ uri: params?.['uri'], text: 'a' }] }),
  };
}

test('a resource template with more of RFC 6570 than core supports is asked by its fixed beginning', async () => {
  const [mine, other] = [serverOf('mine://a'), serverOf('other://a')];
  offer(mine, TEMPLATES);
  offer(other, ['{+all}', 'doc://deep/own/{id}{.ext}']);
  const { peer } = await deskOf(mine, other);
  const uris = ['doc://a#b', 'doc://deep/a.md', 'opt://x', 'opt://x/a', 'p://100%'];
  for (const uri of uris) expect(await peer.request('resources/read', { uri })).toHaveProperty('contents');
  await peer.request('resources/read', { uri: 'doc://deep/own/a.md' });
  expect(mine.asked('resources/read').map(({ uri }) => uri)).toStrictEqual(uris);
  expect(other.asked('resources/read')).toMatchObject([{ uri: 'doc://deep/own/a.md' }]);
  for (const uri of ['unlisted://a', 'none://a', 'opt://y'])
    expect(await peer.request('resources/read', { uri })).toHaveProperty('error');
});

test.each([
  ['f:///dir/a.txt', ['f:///dir']],
  ['f:///dir#part', ['f:///dir']],
  ['f:///dir', ['f:///dir']],
  ['f:///directory', []],
  ['f:///', []],
])('a change of %s is reported for the watched resources %j', async (uri, reported) => {
  const server = serverOf('f:///dir');
  const { peer } = await scriptedDesk(server);
  await peer.request('resources/subscribe', { uri: 'f:///dir' });
  await expect.poll(() => server.asked('resources/subscribe')).toHaveLength(1);
  server.running.say({ method: 'notifications/resources/updated', params: { uri } });
  await callOf(peer, 'x_echo');
  expect(updatesAt(peer).map(({ params }) => params?.['uri'])).toStrictEqual(reported);
});

const message = (level: string) => ({ level, logger: 'scripted', data: `at ${level}` });

test('a legacy server with log messages is asked for all, and a client gets debug messages if it sets that level', async () => {
  const server = new ScriptedServer('legacy', {
    'logging/setLevel': () => ({}),
    'tools/call': (_, start) => {
      for (const level of ['debug', 'info'])
        start.say({ method: 'notifications/message', params: message(level) });
      return { content: [] };
    },
  });
  server.capabilities = { tools: {}, logging: {} };
  const { peer } = await scriptedDesk(server);
  const messages = () => peer.notifications.map(({ params }) => params);
  await callOf(peer, 'x_echo');
  expect(server.running.received.filter(({ method }) => method === 'logging/setLevel')).toMatchObject([
    { params: { level: 'debug' } },
  ]);
  expect(messages()).toStrictEqual([message('info')]);
  await peer.request('logging/setLevel', { level: 'debug' });
  await callOf(peer, 'x_echo');
  expect(messages()).toStrictEqual(['info', 'debug', 'info'].map(message));
});

test('with per-client isolation a subscription begins when a call starts the server', async () => {
  const { peer } = await fakeDesk(PER_CLIENT);
  await peer.request('resources/subscribe', { uri: 'fake://a' });
  await expect.poll(async () => jsonOf(await callOf(peer, 'x_seen'))).toContain('resources/subscribe');
});

test('a call that is cancelled while a login is looked up is not sent', async () => {
  const gate = Promise.withResolvers<undefined>();
  let asked = 0;
  const logins = {
    owner: 'nobody here',
    serverOf: () => {
      asked += 1;
      return gate.promise;
    },
  };
  const { peer } = await fakeDesk({ logins });
  const { id } = peer.start('tools/call', { name: 'x_never', arguments: {} });
  await expect.poll(() => asked).toBe(1);
  peer.notify('notifications/cancelled', { requestId: id });
  // The desk has read the cancellation when it answers this.
  await peer.request('tools/list');
  gate.resolve(undefined);
  const seen = jsonOf(await callOf(peer, 'x_seen')) as readonly string[];
  expect(seen.filter((method) => method === 'tools/call')).toHaveLength(1);
});

test.each(ERAS)(
  'values of others keep their nulls, and unknown members and _meta pass, in the %s era',
  async (era) => {
    const result = {
      zeta: null,
      content: [{ type: 'text', text: 'a', own: null, _meta: { x: null } }],
      structuredContent: { title: null, list: [], annotations: [] },
      _meta: { y: null },
    };
    const server = new ScriptedServer(era, { 'tools/call': () => result });
    const { peer } = await scriptedDesk(server, {}, { client: { era } });
    const trace = { _meta: { 'example/trace': 'abc' } };
    expect(await callOf(peer, 'x_echo', { a: null }, trace)).toMatchObject(result);
    expect(server.asked('tools/call')).toMatchObject([{ arguments: { a: null }, ...trace }]);
  },
);

const STRUCTURES = [[[1]], [null], [{ a: 1 }, {}]] as const;

test.each(STRUCTURES.flatMap(([value, schema]) => ERAS.map((era) => [value, schema, era] as const)))(
  'structure that need not be an object (%j with the schema %j) is in one in the legacy era only: %s',
  async (structuredContent, outputSchema, era) => {
    const server = new ScriptedServer('modern', {
      'tools/list': () => ({ tools: [{ name: 'echo', inputSchema: { type: 'object' }, outputSchema }] }),
      'tools/call': () => ({ content: [], structuredContent }),
    });
    const { peer } = await scriptedDesk(server, {}, { client: { era } });
    expect(await callOf(peer, 'x_echo')).toMatchObject({
      content: [{ type: 'text', text: JSON.stringify(structuredContent) }],
      structuredContent: era === 'legacy' ? { result: structuredContent } : structuredContent,
    });
  },
);

test.each(ERAS)(
  'a result with structure only gets its text, and null there is absent in the legacy era: %s',
  async (era) => {
    const results: Json[] = [
      { structuredContent: { id: 1 } },
      { content: [{ type: 'text', text: 'own' }], structuredContent: { id: 2 } },
      { content: [{ type: 'text', text: 'the real text' }], structuredContent: null },
    ];
    const server = new ScriptedServer(era, { 'tools/call': () => ({ content: [], ...results.shift() }) });
    const { peer } = await scriptedDesk(server, {}, { client: { era } });
    for (const text of ['{"id":1}', 'own'])
      expect((await callOf(peer, 'x_echo'))['content']).toStrictEqual([{ type: 'text', text }]);
    const last = await callOf(peer, 'x_echo');
    expect(last['content']).toStrictEqual([{ type: 'text', text: 'the real text' }]);
    expect('structuredContent' in last).toBe(era === 'modern');
  },
);
