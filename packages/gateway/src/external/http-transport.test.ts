import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  defineServer,
  inputRequired,
  inputResponse,
  type ServerDefinition,
  silentLog,
  toolDefiner,
} from '@deskside/core';
import { serve } from '@deskside/core/serving';
import { afterEach, expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { deskWith, running, trustingSource } from '../testing/external.ts';
import { callOf, jsonOf, listingOf, manualTimer } from '../testing/fake.ts';
import { rawDefinition, type RawOptions } from '../testing/raw-peer.ts';
import { HttpTransport } from './http-transport.ts';
import type { ExternalSpec } from './spec.ts';

type Json = Readonly<Record<string, unknown>>;
type Answer = (request: IncomingMessage, body: Json, response: ServerResponse) => void;

const opened: AsyncDisposable[] = [];

afterEach(async () => {
  for (const each of opened.splice(0).toReversed()) await each[Symbol.asyncDispose]();
});

/** An HTTP server without a library. */
async function httpServer(answer: Answer): Promise<string> {
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (chunk: string) => {
      body += chunk;
    });
    request.on('end', () => answer(request, (body === '' ? {} : JSON.parse(body)) as Json, response));
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  opened.push({
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
    },
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
}

async function deskOf(spec: ExternalSpec, options: RawOptions = { era: 'legacy' }, isAccepted = true) {
  const timer = manualTimer();
  const sources = isAccepted ? { x: trustingSource(listingOf('echo', 'huge', 'drop')) } : {};
  const desk = await deskWith({ x: spec }, { startTimer: timer.startTimer, sources });
  opened.push(desk);
  const peer = await rawDefinition(desk.aggregator.definition, options);
  opened.push(peer);
  const state = async () => (await desk.aggregator.mountStates())[0];
  return { desk, peer, state, timer };
}

const initialized: Json = {
  protocolVersion: '2025-11-25',
  capabilities: { tools: {} },
  serverInfo: { name: 'http', version: '1' },
};

function sendJson(response: ServerResponse, body: Json, headers: Record<string, string> = {}): void {
  response.writeHead(200, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify({ jsonrpc: '2.0', ...body }));
}

/** A server of the legacy era with sessions that it can forget. */
function legacyServer(log: string[], tools: Readonly<Record<string, Answer>> = {}) {
  let sessions = 0;
  const valid = new Set<string>();
  const answer: Answer = (request, body, response) => {
    const { id, method, params } = body as { id?: number; method?: string; params?: Json };
    const session = String(request.headers['mcp-session-id']);
    log.push(`${method ?? request.method} ${session}`);
    if (request.method === 'GET') response.writeHead(405).end();
    else if (method === 'initialize') {
      sessions += 1;
      valid.add(`s${sessions}`);
      sendJson(response, { id, result: initialized }, { 'mcp-session-id': `s${sessions}` });
    } else if (!valid.has(session)) response.writeHead(404).end();
    else if (method === 'tools/list')
      sendJson(response, { id, result: { tools: listingOf('echo', 'huge', 'drop').tools } });
    else if (method === 'tools/call') {
      const own = tools[String(params?.['name'])];
      if (own !== undefined) own(request, body, response);
      else sendJson(response, { id, result: { content: [{ type: 'text', text: '"ok"' }] } });
    } else response.writeHead(202).end();
  };
  return { answer, forget: () => valid.clear() };
}

test.each<readonly [string, Answer]>([
  ['before the answer', (_, __, response) => void response.destroy()],
  [
    'in an event stream',
    (_, __, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(': hello\n\n', () => response.destroy());
    },
  ],
  [
    'in an event stream without an answer',
    (_, __, response) =>
      void response.writeHead(200, { 'content-type': 'text/event-stream' }).end(': bye\n\n'),
  ],
  [
    'with the answer of another request',
    (_, __, response) => sendJson(response, { jsonrpc: '2.0', id: 4711, result: { content: [] } }),
  ],
  ['with HTTP 202', (_, __, response) => void response.writeHead(202).end()],
])('a connection that ends %s is reported, and the call is not repeated', async (_, drop) => {
  const log: string[] = [];
  const { answer } = legacyServer(log, { drop });
  const { peer } = await deskOf(running({ url: await httpServer(answer) }));
  expect(jsonOf(await callOf(peer, 'x_drop'))).toMatchObject({ error: 'x ended during the call.' });
  expect(log.filter((line) => line.startsWith('tools/call'))).toHaveLength(1);
  expect(jsonOf(await callOf(peer, 'x_echo'))).toBe('ok');
});

test.each(['application/json', 'text/event-stream'])(
  'an answer above the limit as %s is an error of its call',
  async (type) => {
    const huge: Answer = (_, { id }, response) => {
      const message = JSON.stringify({
        jsonrpc: '2.0',
        id,
        result: { content: [{ type: 'text', text: 'x'.repeat(100_000) }] },
      });
      response.writeHead(200, { 'content-type': type });
      response.end(type === 'application/json' ? message : `data: ${message}\n\n`);
    };
    const { answer } = legacyServer([], { huge });
    const { peer } = await deskOf(
      running({ url: await httpServer(answer) }, { limits: { resultBytes: 50_000 } }),
    );
    expect(jsonOf(await callOf(peer, 'x_huge'))).toMatchObject({
      error: 'x: The answer is longer than 50000 bytes.',
      code: 'RESULT_TOO_LARGE',
    });
    expect(jsonOf(await callOf(peer, 'x_echo'))).toBe('ok');
  },
);

test('closing ends the session at the server, says so, and reports a server that does not end it', async () => {
  const { answer } = legacyServer([]);
  const goodbye: Answer = (request, body, response) =>
    request.method === 'DELETE' ? void response.writeHead(500).end() : answer(request, body, response);
  const transport = new HttpTransport({ url: await httpServer(goodbye), maxMessageBytes: 1000 });
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

test('a desk that closes ends the requests that still wait for an answer', async () => {
  const { promise: closed, resolve } = Promise.withResolvers<void>();
  const { promise: received, resolve: receive } = Promise.withResolvers<void>();
  const drop: Answer = (_, __, response) => {
    response.once('close', resolve);
    receive();
  };
  const { answer } = legacyServer([], { drop });
  const { peer, desk } = await deskOf(running({ url: await httpServer(answer) }));
  const call = callOf(peer, 'x_drop');
  await received;
  await desk[Symbol.asyncDispose]();
  await closed;
  expect(await call).toHaveProperty('isError', true);
});

const notFound: Answer = (_, __, response) => void response.writeHead(404).end();

test('a call whose session is lost again and again is tried twice', async () => {
  const log: string[] = [];
  const { answer } = legacyServer(log, { drop: notFound });
  const { peer } = await deskOf(running({ url: await httpServer(answer) }));
  expect(jsonOf(await callOf(peer, 'x_drop'))).toMatchObject({
    error: 'x is not available. It answers HTTP 404.',
  });
  expect(log.filter((line) => line.startsWith('tools/call'))).toHaveLength(2);
});

/** A call of a server whose answer is this stream of events. */
async function callOfStream(eventsFor: (id: unknown) => string) {
  const stream: Answer = (_, { id }, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.end(eventsFor(id));
  };
  const { answer } = legacyServer([], { huge: stream });
  const { peer } = await deskOf(
    running({ url: await httpServer(answer) }, { limits: { resultBytes: 50_000 } }),
  );
  return jsonOf(await callOf(peer, 'x_huge'));
}

test('an event of many short lines is an error of its call, if all of them are above the limit', async () => {
  expect(await callOfStream(() => 'data: 1234567890\n'.repeat(10_000))).toMatchObject({
    code: 'RESULT_TOO_LARGE',
  });
});

test.each(['\n', '\r\n'])(
  'many events that end with %j are not above the limit of one message',
  async (end) => {
    const data = 'x'.repeat(1000);
    const note = `{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"${data}"}}`;
    const result = { content: [{ type: 'text', text: '"late"' }] };
    const events = (id: unknown) => [
      ...Array.from({ length: 100 }, () => note),
      JSON.stringify({ jsonrpc: '2.0', id, result }),
    ];
    const stream = (id: unknown) => events(id).map((event) => `data: ${event}${end}${end}`);
    expect(await callOfStream((id) => stream(id).join(''))).toBe('late');
  },
);

test('a server that needs a login says how', async () => {
  const url = await httpServer((_, __, response) => {
    const metadata = 'https://login.example/.well-known/oauth-protected-resource';
    response.writeHead(401, { 'www-authenticate': `Bearer resource_metadata="${metadata}"` }).end();
  });
  const { peer, state } = await deskOf(running({ url }, { title: 'https://example.com' }));
  const sentence = 'x (https://example.com) needs a login.';
  expect(await state()).toMatchObject({ state: 'ready' });
  const result = (await callOf(peer, 'x_echo')) as { content: readonly { text: string }[] };
  expect(JSON.parse(result.content[0]?.text ?? '')).toStrictEqual({
    error: sentence,
    code: 'LOGIN_NEEDED',
    hint: 'Tell the person: log in in the window that offers it, or run "deskside login x" in a terminal. Then make the call again.',
  });
  expect(await state()).toMatchObject({
    state: 'degraded',
    reason: `${sentence} Run "deskside login x".`,
  });
});

test.each([
  ['has a login if it is its own authorization server', true, 'LOGIN_NEEDED'],
  ['may as well want a key if it names none', false, 'UNAVAILABLE'],
])('a server that refuses a request %s', async (_, isIssuer, code) => {
  const url = await httpServer(({ url: path, headers: { host } }, __, response) => {
    if (!isIssuer || path !== '/.well-known/oauth-authorization-server')
      return void response.writeHead(401).end();
    const issuer = `http://${host}`;
    const endpoints = { authorization_endpoint: `${issuer}/authorize`, token_endpoint: `${issuer}/token` };
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ issuer, ...endpoints, response_types_supported: ['code'] }));
  });
  const { peer } = await deskOf(running({ url }));
  expect(jsonOf(await callOf(peer, 'x_echo'))).toMatchObject({ code });
});

test('a server that is not there is degraded and comes back by itself', async () => {
  const { answer } = legacyServer([]);
  const closed = await httpServer(answer);
  await opened.pop()?.[Symbol.asyncDispose]();
  let url = closed;
  const { peer, state, timer } = await deskOf(running({ url }, { server: async () => ({ url }) }));
  expect(await callOf(peer, 'x_echo')).toHaveProperty('isError', true);
  expect(await state()).toMatchObject({
    reason: expect.stringMatching(/^It cannot be reached \(ECONNREFUSED\)\.$/),
  });
  url = await httpServer(answer);
  timer.ring(1000);
  await expect.poll(state).toMatchObject({ state: 'ready' });
  expect(jsonOf(await callOf(peer, 'x_echo'))).toBe('ok');
});

/** A server of the modern era that asks the person. */
function askingServer(): ServerDefinition {
  const ask = toolDefiner<null>()({
    name: 'ask',
    title: 'Ask',
    description: 'Asks',
    annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
    input: z.object({ region: z.string().meta({ 'x-mcp-header': 'Region' }) }),
    async run({ region }, _, { input }) {
      if (input.responses === undefined) {
        const requestedSchema = { type: 'object', properties: { name: { type: 'string' } } } as const;
        return inputRequired({
          inputRequests: { who: inputRequired.elicit({ message: 'Name?', requestedSchema }) },
          requestState: await input.seal({ region }),
        });
      }
      return JSON.stringify([input.state(), inputResponse(input.responses, 'who')]);
    },
  });
  return defineServer({ name: 'asking', version: '1', deps: null, tools: [ask] });
}

const FORM = { action: 'accept', content: { name: 'Ada' } };
const ELICITING = { elicitation: {} };

async function askingAddress(): Promise<string> {
  const serving = await serve(askingServer(), {
    log: silentLog,
    ownsProcess: false,
    http: { port: 0, auth: 'none' },
  });
  opened.push({ [Symbol.asyncDispose]: () => serving.close() });
  return serving.url ?? '';
}

test('a question of a modern server travels in its result to a modern caller', async () => {
  const spec = running({ url: await askingAddress() });
  const { peer } = await deskOf(spec, { era: 'modern', capabilities: ELICITING }, false);
  const asked = await callOf(peer, 'x_ask', { region: 'é' });
  expect(asked).toMatchObject({
    resultType: 'input_required',
    inputRequests: { who: { method: 'elicitation/create', params: { message: '[x] Name?' } } },
  });
  const { requestState } = asked;
  const answered = await callOf(
    peer,
    'x_ask',
    { region: 'é' },
    { inputResponses: { who: FORM }, requestState },
  );
  expect(jsonOf(answered)).toStrictEqual([{ region: 'é' }, expect.objectContaining(FORM)]);
});

test('a question of a modern server reaches a legacy caller as a request', async () => {
  const spec = running({ url: await askingAddress() });
  const { peer } = await deskOf(spec, { era: 'legacy', capabilities: ELICITING }, false);
  peer.answers = ({ method }) => (method === 'elicitation/create' ? FORM : undefined);
  const answered = await callOf(peer, 'x_ask', { region: 'north' });
  expect(jsonOf(answered)).toStrictEqual([{ region: 'north' }, expect.objectContaining(FORM)]);
});

test('a server that refuses the Authorization header of deskside.toml needs no login', async () => {
  const url = await httpServer((_, __, response) => {
    const metadata = 'https://login.example/.well-known/oauth-protected-resource';
    response.writeHead(401, { 'www-authenticate': `Bearer resource_metadata="${metadata}"` }).end();
  });
  const { peer } = await deskOf(running({ url, headers: { Authorization: 'Bearer old' } }));
  expect(jsonOf(await callOf(peer, 'x_echo'))).toMatchObject({
    error: 'x is not available. It answers HTTP 401.',
    code: 'UNAVAILABLE',
  });
});

test('a list above the limit names the setting', async () => {
  const { answer } = legacyServer([]);
  const { peer } = await deskOf(running({ url: await httpServer(answer) }, { limits: { resultBytes: 160 } }));
  expect(jsonOf(await callOf(peer, 'x_echo'))).toMatchObject({
    error:
      'x is not available. The answer is longer than 160 bytes. Raise max_result_bytes of this server in deskside.toml.',
  });
});

test.each(['application/json', 'text/event-stream'])(
  'a call may be silent (%s) for longer than fetch waits',
  async (type) => {
    // Node.js has its dispatcher from then on.
    await fetch('data:,');
    const key = Symbol.for('undici.globalDispatcher.1');
    const shared = Reflect.get(globalThis, key);
    onTestFinished(() => void Reflect.set(globalThis, key, shared));
    Reflect.set(globalThis, key, {
      dispatch: (options: object, handler: unknown) =>
        shared.dispatch({ headersTimeout: 100, bodyTimeout: 100, ...options }, handler),
    });
    const late: Answer = (_, { id }, response) => {
      const result = { content: [{ type: 'text', text: '"late"' }] };
      const text = JSON.stringify({ jsonrpc: '2.0', id, result });
      if (type === 'text/event-stream') response.writeHead(200, { 'content-type': type }).flushHeaders();
      setTimeout(() => {
        if (type === 'application/json') response.writeHead(200, { 'content-type': type }).end(text);
        else response.end(`data: ${text}\n\n`);
      }, 2500);
    };
    const { answer } = legacyServer([], { drop: late });
    const { peer } = await deskOf(running({ url: await httpServer(answer) }));
    expect(jsonOf(await callOf(peer, 'x_drop'))).toBe('late');
  },
);

test('a redirect to another origin gets neither headers nor arguments, and one to the same origin works', async () => {
  const got: string[] = [];
  const other = await httpServer((request, _, response) => {
    got.push(String(request.headers['x-api-key']));
    response.writeHead(200).end();
  });
  const drop: Answer = (_, __, response) => void response.writeHead(307, { location: other }).end();
  const { answer } = legacyServer([], { drop });
  const redirecting: Answer = (request, body, response) =>
    request.url === '/mcp'
      ? void response.writeHead(307, { location: '/mcp/' }).end()
      : answer(request, body, response);
  const url = await httpServer(redirecting);
  const { peer } = await deskOf(running({ url, headers: { 'x-api-key': 'secret' } }));
  expect(jsonOf(await callOf(peer, 'x_echo'))).toBe('ok');
  expect(jsonOf(await callOf(peer, 'x_drop'))).toMatchObject({
    error: 'x is not available. It answers HTTP 307.',
  });
  expect(got).toStrictEqual([]);
});
