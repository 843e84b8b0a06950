import { defineServer, silentLog, toolDefiner } from '@deskside/core';
import { serve } from '@deskside/core/serving';
import { described } from '@deskside/core/testing/described';
import { listen } from '@deskside/testkit';
import { expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { scriptedServer } from '../testing/authorization-server.ts';
import { running, trustingSource } from '../testing/external.ts';
import { callOf, jsonOf, listingOf } from '../testing/fake.ts';
import { answer, json, OddServer, type Sent } from '../testing/odd-server.ts';
import { openDesk, stateOf } from '../testing/open-desk.ts';
import type { Incoming } from '../testing/scripted.ts';
import { HttpTransport } from './http-transport.ts';
import type { ExternalSpec } from './spec.ts';

const sources = { x: trustingSource(listingOf('echo')) };

/** A desk with a server over HTTP whose calls are answered so, the first one or all. */
async function deskOf(
  reply: (message: Incoming) => Sent | undefined,
  { limits, isAlways = false }: Pick<ExternalSpec, 'limits'> & { readonly isAlways?: boolean } = {},
) {
  let calls = 0;
  const server = new OddServer((message) =>
    message.method === 'tools/call' && ((calls += 1) === 1 || isAlways) ? reply(message) : undefined,
  );
  const spec = running({ url: await server.listen() }, limits && { limits });
  const { peer, desk } = await openDesk({ x: spec }, { sources });
  return { server, peer, desk, call: async () => jsonOf(await callOf(peer, 'x_echo')) };
}

const EVENTS = 'text/event-stream';

test.each<readonly [string, Sent]>([
  ['before the answer', 'end'],
  [
    'in an event stream',
    (response) => {
      response.writeHead(200, { 'content-type': EVENTS });
      response.write(': hello\n\n', () => response.destroy());
    },
  ],
  ['in an event stream without an answer', { type: EVENTS, body: ': bye\n\n' }],
  ['with the answer of another request', json({ jsonrpc: '2.0', id: 4711, result: { content: [] } })],
  ['with HTTP 202', { status: 202 }],
])('a connection that ends %s is reported, and the call is not repeated', async (_, drop) => {
  const { server, call } = await deskOf(() => drop);
  expect(await call()).toMatchObject({ error: 'x ended during the call.' });
  expect(server.times('tools/call')).toBe(1);
  expect(await call()).toBe('echo');
});

const LIMITS = { limits: { resultBytes: 50_000 } };

test.each(['application/json', EVENTS])(
  'an answer above the limit as %s is an error of its call',
  async (type) => {
    const huge = (message: Incoming): Sent => {
      const { body = '' } = answer(message, { content: [{ type: 'text', text: 'x'.repeat(100_000) }] });
      return { type, body: type === EVENTS ? `data: ${body}\n\n` : body };
    };
    const { call } = await deskOf(huge, LIMITS);
    expect(await call()).toMatchObject({
      error: 'x: The answer is longer than 50000 bytes.',
      code: 'RESULT_TOO_LARGE',
    });
    expect(await call()).toBe('echo');
  },
);

test('an event of many short lines is an error of its call, if all of them are above the limit', async () => {
  const { call } = await deskOf(() => ({ type: EVENTS, body: 'data: 1234567890\n'.repeat(10_000) }), LIMITS);
  expect(await call()).toMatchObject({ code: 'RESULT_TOO_LARGE' });
});

test.each(['\n', '\r\n'])(
  'many events that end with %j are not above the limit of one message',
  async (end) => {
    const data = 'x'.repeat(1000);
    const note = `{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"${data}"}}`;
    const many = (message: Incoming): Sent => {
      const { body } = answer(message, { content: [{ type: 'text', text: '"late"' }] });
      const events = [...Array.from({ length: 100 }, () => note), body];
      return { type: EVENTS, body: events.map((event) => `data: ${event}${end}${end}`).join('') };
    };
    const { call } = await deskOf(many, LIMITS);
    expect(await call()).toBe('late');
  },
);

test('a list above the limit names the setting', async () => {
  const tools = [{ name: 'echo', description: 'x'.repeat(200), inputSchema: { type: 'object' } }];
  const server = new OddServer((message) =>
    message.method === 'tools/list' ? answer(message, { tools }) : undefined,
  );
  const spec = running({ url: await server.listen() }, { limits: { resultBytes: 160 } });
  const { peer } = await openDesk({ x: spec }, { sources });
  expect(jsonOf(await callOf(peer, 'x_echo'))).toMatchObject({
    error:
      'x is not available. The answer is longer than 160 bytes. Raise max_result_bytes of this server in deskside.toml.',
  });
});

test('closing ends the session at the server, says so, and reports a server that does not end it', async () => {
  const server = new OddServer();
  server.goodbye = (_, response) => void response.writeHead(500).end();
  const transport = new HttpTransport({ url: await server.listen(), maxMessageBytes: 1000 });
  const events: string[] = [];
  transport.onclose = () => events.push('closed');
  transport.onerror = ({ message }) => events.push(message);
  await transport.start();
  const clientInfo = { name: 'test', version: '1' };
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo };
  await transport.send({ jsonrpc: '2.0', id: 1, method: 'initialize', params });
  await expect.poll(() => transport.sessionId).toBe('s1');
  await transport.close();
  expect(events).toStrictEqual([expect.stringContaining('Failed to terminate session'), 'closed']);
});

test('a session is ended once, and that renews no login: the process may end before the new one is stored', async () => {
  const server = new OddServer();
  const seen: (string | undefined)[] = [];
  server.goodbye = ({ headers }, response) => {
    seen.push(headers.authorization);
    response.writeHead(401).end();
  };
  let renewals = 0;
  const renewed = async () => `new ${(renewals += 1)}`;
  const login = {
    token: async (mayRenew: boolean) => (mayRenew ? renewed() : 'old'),
    renewed,
    isRenewing: false,
    lacks: async () => undefined,
  };
  const transport = new HttpTransport({ url: await server.listen(), maxMessageBytes: 1000, login });
  transport.sessionId = 's1';
  await Promise.all([transport.close(), transport.close()]);
  expect({ seen, renewals }).toStrictEqual({ seen: ['Bearer old'], renewals: 0 });
});

test('a desk that closes ends the requests that still wait for an answer', async () => {
  const { promise: closed, resolve } = Promise.withResolvers<void>();
  const { promise: received, resolve: receive } = Promise.withResolvers<void>();
  const { peer, desk } = await deskOf(() => (response) => {
    response.once('close', resolve);
    receive();
  });
  const call = callOf(peer, 'x_echo');
  await received;
  await desk[Symbol.asyncDispose]();
  await closed;
  expect(await call).toHaveProperty('isError', true);
});

test('a call whose session is lost again and again is tried twice', async () => {
  const { server, call } = await deskOf(() => ({ status: 404 }), { isAlways: true });
  expect(await call()).toMatchObject({ error: 'x is not available. It answers HTTP 404.' });
  expect(server.times('tools/call')).toBe(2);
});

const METADATA = '/.well-known/oauth-authorization-server';
const ELSEWHERE = {
  status: 401,
  headers: {
    'www-authenticate':
      'Bearer resource_metadata="https://login.example/.well-known/oauth-protected-resource"',
  },
};
const NEEDED = 'x (https://example.com) needs a login.';
const REFUSED = 'x is not available. It answers HTTP 401.';

test.each([
  ['that names its metadata needs a login', { '/mcp': () => ELSEWHERE }, {}, NEEDED],
  ['that is its own authorization server needs a login', {}, {}, NEEDED],
  ['that names none may as well want a key', { [METADATA]: () => ({ status: 404 }) }, {}, REFUSED],
  [
    'that refuses the Authorization header of deskside.toml needs no login',
    { '/mcp': () => ELSEWHERE },
    { Authorization: 'Bearer old' },
    REFUSED,
  ],
])('a server with HTTP 401 %s', async (_, answers, headers, expected) => {
  const { url } = await scriptedServer(answers);
  const spec = running({ url, headers }, { title: 'https://example.com' });
  const { peer, desk } = await openDesk({ x: spec }, { sources });
  expect(await stateOf(desk, 'x')).toMatchObject({ state: 'ready' });
  const code = expected === NEEDED ? 'LOGIN_NEEDED' : 'UNAVAILABLE';
  expect(jsonOf(await callOf(peer, 'x_echo'))).toMatchObject({ error: expected, code });
  const reason = expected === NEEDED ? `${NEEDED} Run "deskside login x".` : 'It answers HTTP 401.';
  expect(await stateOf(desk, 'x')).toMatchObject({ state: 'degraded', reason });
});

test('a call of a modern server has the headers that its tool demands', async () => {
  const place = toolDefiner<null>()({
    ...described('place'),
    input: z.object({ region: z.string().meta({ 'x-mcp-header': 'Region' }) }),
    run: ({ region }) => JSON.stringify(region),
  });
  const serving = await serve(defineServer({ name: 'places', version: '1', deps: null, tools: [place] }), {
    log: silentLog,
    ownsProcess: false,
    http: { port: 0, auth: 'none' },
  });
  onTestFinished(() => serving.close());
  const { peer } = await openDesk({ x: running({ url: serving.url ?? '' }) });
  expect(jsonOf(await callOf(peer, 'x_place', { region: 'Łódź' }))).toBe('Łódź');
});

test('a call may be silent for longer than fetch waits', async () => {
  // Node.js has its dispatcher from then on.
  await fetch('data:,');
  const key = Symbol.for('undici.globalDispatcher.1');
  const shared = Reflect.get(globalThis, key);
  onTestFinished(() => void Reflect.set(globalThis, key, shared));
  const limits = new Set<unknown>();
  Reflect.set(globalThis, key, {
    dispatch(options: { readonly headersTimeout?: number; readonly bodyTimeout?: number }, handler: unknown) {
      limits.add(options.headersTimeout).add(options.bodyTimeout);
      return shared.dispatch(options, handler);
    },
  });
  const { call } = await deskOf(() => undefined);
  expect(await call()).toBe('echo');
  // Without a limit.
  expect(limits).toStrictEqual(new Set([0]));
});

test('a redirect to another origin gets neither headers nor arguments, and one to the same origin works', async () => {
  const got: string[] = [];
  await using other = await listen((request, response) => {
    got.push(String(request.headers['x-api-key']));
    response.writeHead(200).end();
  });
  const locations = ['/mcp', undefined, `${other.origin}/mcp`];
  const server = new OddServer(({ method }) => {
    const location = method === 'tools/call' ? locations.shift() : undefined;
    return location === undefined ? undefined : { status: 307, headers: { location } };
  });
  const spec = running({ url: await server.listen(), headers: { 'x-api-key': 'secret' } });
  const { peer } = await openDesk({ x: spec }, { sources });
  expect(jsonOf(await callOf(peer, 'x_echo'))).toBe('echo');
  expect(jsonOf(await callOf(peer, 'x_echo'))).toMatchObject({
    error: 'x is not available. It answers HTTP 307.',
  });
  expect(got).toStrictEqual([]);
});
