import type { ServerResponse } from 'node:http';
import { describe, expect, test } from 'vitest';
import { running, trustingSource } from '../testing/external.ts';
import { callOf } from '../testing/fake.ts';
import {
  answer,
  failure,
  json,
  type Oddity,
  OddServer,
  reached,
  type Reply,
  type Sent,
  TRANSPORTS,
} from '../testing/odd-server.ts';
import { openDesk } from '../testing/open-desk.ts';
import type { Incoming, Json } from '../testing/scripted.ts';
import { startOnTrial } from './trial.ts';

type TransportName = (typeof TRANSPORTS)[number];

/** An odd answer to one method. */
const at =
  (method: string, reply: (message: Incoming) => Sent): Oddity =>
  (message) =>
    message.method === method ? reply(message) : undefined;

/** What a caller gets, in a word: whether the call may have run, is what an agent has to know. */
function outcomeOf({ error, isError, content }: Json): string {
  if (error !== undefined) return `error ${String((error as Json)['code'])}`;
  const text = String((content as readonly Json[])[0]?.['text']);
  if (isError !== true) return text.replaceAll('"', '');
  const { code, hint } = JSON.parse(text) as { code: string; hint: string };
  return hint.includes('may have had an effect') ? 'unknown' : code;
}

/** A desk with one odd server, which was accepted, and its calls. */
async function deskOf(server: OddServer, transport: TransportName) {
  const { address, openTransport } = await reached(server, transport);
  const spec = running(address);
  const { listing, problems } = await startOnTrial('x', spec, openTransport);
  const source = trustingSource(listing);
  const { peer, desk } = await openDesk({ x: spec }, { openTransport, sources: { x: source } });
  const state = async () => (await desk.aggregator.mountStates())[0];
  return { listing, problems, state, peer, call: async () => outcomeOf(await callOf(peer, 'x_echo')) };
}

async function outcomes(call: () => Promise<string>, count: number): Promise<readonly string[]> {
  const all: string[] = [];
  for (let index = 0; index < count; index += 1) all.push(await call());
  return all;
}

const nested = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels);
const html = (status: number): Reply => ({ status, type: 'text/html', body: '<html><h1>Error</h1></html>' });
const text = (status: number, body: string): Reply => ({ status, type: 'text/plain', body });
const rpc = (status: number, message: string, id: unknown = null, code = -32_000): Reply => ({
  ...json({ jsonrpc: '2.0', id, error: { code, message } }),
  status,
});
const event = (message: unknown): Reply => ({
  type: 'text/event-stream',
  body: `event: message\ndata: ${JSON.stringify(message)}\n\n`,
});

/** What calls get after a restart, when the session of before is refused so. */
async function refused(refusal: (message: Incoming) => Sent, calls: number) {
  const server = new OddServer();
  server.refusal = refusal;
  const { call, state } = await deskOf(server, 'http');
  expect(await call()).toBe('echo');
  server.restart();
  const got = await outcomes(call, calls);
  return { server, got, state };
}

describe('a session that is refused', () => {
  test.each<readonly [string, (message: Incoming) => Sent]>([
    ['404', () => ({ status: 404 })],
    ['400 of the reference server', () => rpc(400, 'Bad Request: No valid session ID provided')],
    ['400 of a server that was not initialized', () => rpc(400, 'Bad Request: Server not initialized')],
    ['400 with the id of the call', ({ id }) => rpc(400, 'Session expired', id)],
    ['401', () => text(401, 'The session has expired')],
    ['409', () => text(409, 'No such session')],
    ['422', () => ({ ...json({ detail: 'mcp-session-id is not known' }), status: 422 })],
    ['500', () => text(500, 'Unknown session: s1')],
    ['200 with the id of the call', ({ id }) => rpc(200, 'Session not found', id, -32_001)],
    ['200 and no id', () => rpc(200, 'Session not found', null, -32_600)],
    ['200 and another id', () => rpc(200, 'Session not found', 'server-error', -32_600)],
    [
      '200 in an event',
      ({ id }) => event({ jsonrpc: '2.0', id, error: { code: -32_001, message: 'Session not found' } }),
    ],
  ])('by name (%s) is begun again, and the call is made once', async (_, refusal) => {
    const { server, got, state } = await refused(refusal, 2);
    expect(got).toStrictEqual(['echo', 'echo']);
    expect(server.times('tools/call refused')).toBe(1);
    expect(server.times('initialize')).toBe(3);
    expect(await state()).toMatchObject({ state: 'ready' });
  });

  test('is begun again once for all calls of agents that meet it, and each of them is made once', async () => {
    const server = new OddServer();
    const met: ServerResponse[] = [];
    server.refusal = () => (response) => {
      met.push(response);
      if (met.length === 4) for (const each of met) each.writeHead(400).end('Invalid session ID');
    };
    const { call, state } = await deskOf(server, 'http');
    await call();
    server.restart();
    const got = await Promise.all([call(), call(), call(), call()]);
    expect(new Set(got)).toStrictEqual(new Set(['echo']));
    expect(server.times('initialize')).toBe(3);
    expect(await state()).toMatchObject({ state: 'ready' });
  });

  test.each<readonly [string, () => Sent]>([
    ['400', () => ({ status: 400 })],
    ['410', () => ({ status: 410 })],
    ['422', () => text(422, 'Unprocessable Entity')],
  ])('without a reason (%s) is begun again by the next call', async (_, refusal) => {
    const { got, state } = await refused(refusal, 3);
    expect(got.at(0)).toBe('unknown');
    expect(got.slice(1)).toStrictEqual(['echo', 'echo']);
    expect(await state()).toMatchObject({ state: 'ready' });
  });

  test.each<readonly [string, Sent]>([
    ...[500, 502, 503, 520].map((status) => [String(status), html(status)] as const),
    ['a lost connection', 'end'],
    ['an event stream without an answer', { type: 'text/event-stream', body: ': bye\n\n' }],
  ])(
    'without a reason, as a fault of the server (%s), is begun again after the second time at the latest',
    async (_, fault) => {
      const { got, state } = await refused(() => fault, 4);
      expect(got.slice(2)).toStrictEqual(['echo', 'echo']);
      expect(got.slice(0, 2).filter((each) => each === 'echo').length).toBeLessThan(2);
      expect(await state()).toMatchObject({ state: 'ready' });
    },
  );
});

describe.each(TRANSPORTS)('over %s', (transport) => {
  test.each<readonly [string, (message: Incoming) => Sent]>([
    ['-32601', (message) => failure(message, { code: -32_601, message: 'Method not found' })],
    ['-32600', (message) => failure(message, { code: -32_600, message: 'Invalid request' })],
    ['an error whose code is a text', (message) => failure(message, { code: 'E', message: 'x' })],
    ['an error without id', () => json({ jsonrpc: '2.0', error: { code: -32_601, message: 'x' } })],
    ['null', (message) => answer(message, null)],
    ['an empty result', (message) => answer(message, {})],
    ['the end', () => 'end'],
  ])('a server that answers the question for its era with %s is initialized once', async (_, reply) => {
    const server = new OddServer(at('server/discover', reply));
    const { call } = await deskOf(server, transport);
    expect(server.times('initialize')).toBe(1);
    expect(await call()).toBe('echo');
  });

  // Over stdio each waits for half of the limit: the program may not have read the question yet.
  test.each<readonly [string, Sent]>([
    ['nothing', 'silence'],
    ['no JSON', { body: '{"jsonrpc": "2.0", "id"' }],
  ])('a server that answers the question for its era with %s is initialized once', async (_, sent) => {
    const server = new OddServer(at('server/discover', () => sent));
    const { address, openTransport } = await reached(server, transport);
    const { listing } = await startOnTrial(
      'x',
      running(address, { limits: { startMs: 4000 } }),
      openTransport,
    );
    expect(listing.tools).toHaveLength(1);
    expect(server.times('initialize')).toBe(1);
  });

  test.each<readonly [string, string, Json, Json]>([
    ['tools that are a list', 'initialize', { capabilities: { tools: [] } }, { capabilities: { tools: {} } }],
    [
      'a capability that is null',
      'initialize',
      { capabilities: { tools: {}, logging: null } },
      { capabilities: { tools: {} } },
    ],
    ['no version', 'initialize', { serverInfo: { name: 'odd' } }, { serverInfo: { name: 'odd' } }],
    ['instructions that are null', 'initialize', { instructions: null }, {}],
    ['a cursor and _meta that are null', 'tools/list', { nextCursor: null, _meta: null }, {}],
    ['an empty cursor', 'tools/list', { nextCursor: '' }, {}],
  ])('a server with %s is used', async (_, method, more, expected) => {
    const server = new OddServer((message, own) => {
      if (message.method !== method) return undefined;
      const ordinary = JSON.parse(own.ordinary(message).body ?? '') as { result: Json };
      return answer(message, { ...ordinary.result, ...more });
    });
    const { listing, call } = await deskOf(server, transport);
    expect(listing).toMatchObject({ tools: [{ name: 'echo' }], ...expected });
    expect(await call()).toBe('echo');
  });

  test.each<readonly [string, Json]>([
    ['a list of required parameters', { inputSchema: { type: 'object', required: null } }],
    ['parameters as an empty list', { inputSchema: { type: 'object', properties: [] } }],
    ['hints', { annotations: { readOnlyHint: null, title: null } }],
  ])('a tool whose %s are null is listed', async (_, more) => {
    const tool = { name: 'echo', inputSchema: { type: 'object' }, ...more };
    const server = new OddServer(at('tools/list', (message) => answer(message, { tools: [tool] })));
    const { listing, call } = await deskOf(server, transport);
    expect(listing.tools.map(({ name }) => name)).toStrictEqual(['echo']);
    expect(await call()).toBe('echo');
  });

  test.each<readonly [string, (cursor: unknown) => string, readonly string[]]>([
    [
      'repeats its pages ends with what came',
      (cursor) => (cursor === 'b' ? 'second' : 'echo'),
      ['echo', 'second'],
    ],
    ['has the same page for each cursor has each tool once', () => 'echo', ['echo']],
  ])('a list that %s, and says it', async (_, nameAt, names) => {
    const server = new OddServer(
      at('tools/list', (message) => {
        const tools = [{ name: nameAt(message.params?.['cursor']), inputSchema: { type: 'object' } }];
        return answer(message, { tools, nextCursor: 'b' });
      }),
    );
    const { listing, problems, call } = await deskOf(server, transport);
    expect(listing.tools.map(({ name }) => name)).toStrictEqual(names);
    const sentence = `tools/list repeats its pages, so it ends after ${names.length} items.`;
    expect(problems).toStrictEqual({ failed: [], sentences: [sentence] });
    expect(await call()).toBe('echo');
  });

  const content = [{ type: 'text', text: 'echo' }];
  const nulls = { _meta: null, annotations: null };
  test.each<readonly [string, (message: Incoming) => Reply]>([
    ['isError', (message) => answer(message, { content, isError: null })],
    ['_meta', (message) => answer(message, { content, _meta: null })],
    [
      '_meta and annotations of a block',
      (message) => answer(message, { content: [{ ...content[0], ...nulls }] }),
    ],
    ['structuredContent', (message) => answer(message, { content, structuredContent: null })],
    [
      'the error beside the result',
      ({ id }) => json({ jsonrpc: '2.0', id, result: { content }, error: null }),
    ],
    ['nothing, in a list of messages', ({ id }) => json([{ jsonrpc: '2.0', id, result: { content } }])],
    [
      'nothing, with the id as text',
      ({ id }) => json({ jsonrpc: '2.0', id: String(id), result: { content } }),
    ],
    ['nothing, without jsonrpc', ({ id }) => json({ id, result: { content } })],
    [
      'nothing, after a byte order mark',
      (message) => ({ body: `\u{feff}${answer(message, { content }).body ?? ''}` }),
    ],
  ])('an answer where %s is null is passed', async (_, reply) => {
    const { call } = await deskOf(new OddServer(at('tools/call', reply)), transport);
    expect(await outcomes(call, 2)).toStrictEqual(['echo', 'echo']);
  });

  test.each<readonly [string, (message: Incoming) => Reply]>([
    ['null', (message) => answer(message, null)],
    ['a list', (message) => answer(message, [])],
    ['nothing', ({ id }) => json({ jsonrpc: '2.0', id })],
    ['an error that is a text', (message) => failure(message, 'broken')],
    ['an error whose code is a text', (message) => failure(message, { code: 'E', message: 'x' })],
    ['an error without a message', (message) => failure(message, { code: -1 })],
    [
      'a result and an error',
      ({ id }) => json({ jsonrpc: '2.0', id, result: { content }, error: { code: 1, message: 'x' } }),
    ],
    ['content that is a text', (message) => answer(message, { content: 'hi' })],
    ['an unknown kind of content', (message) => answer(message, { content: [{ type: 'smell' }] })],
  ])('an answer that is %s is invalid at once, and the server goes on', async (_, reply) => {
    let calls = 0;
    const server = new OddServer((message) =>
      message.method === 'tools/call' && (calls += 1) === 1 ? reply(message) : undefined,
    );
    const { call, state } = await deskOf(server, transport);
    expect(await outcomes(call, 2)).toStrictEqual(['INVALID_ANSWER', 'echo']);
    expect(server.times('initialize')).toBe(1 + 1);
    expect(await state()).toMatchObject({ state: 'ready' });
  });

  test.each([
    ['1000 levels is passed with every digit', `[12345678901234567890,${nested(997)}]`, 'echo'],
    ['more levels is an error of its call', nested(999), 'RESULT_TOO_LARGE'],
    [
      'very many levels, and a number that JavaScript cannot hold, too',
      `[12345678901234567890,${nested(20_000)}]`,
      'RESULT_TOO_LARGE',
    ],
  ])('an answer with %s', async (_, deep, outcome) => {
    const reply = ({ id }: Incoming) => ({
      body: `{"jsonrpc":"2.0","id":${id},"result":{"content":${JSON.stringify(content)},"deep":${deep}}}`,
    });
    const { call, peer } = await deskOf(new OddServer(at('tools/call', reply)), transport);
    expect(await call()).toBe(outcome);
    expect(peer.lines.at(-1)?.includes(deep)).toBe(outcome === 'echo');
  });

  test.each<readonly [string, number]>([
    ['Session not found', -32_602],
    ['Method not found', -32_601],
  ])('an error of a tool (%s, %d) is passed, and the connection stays', async (message, code) => {
    const server = new OddServer(at('tools/call', (request) => failure(request, { code, message })));
    const { call, state } = await deskOf(server, transport);
    expect(await outcomes(call, 2)).toStrictEqual([`error ${code}`, `error ${code}`]);
    expect([server.times('initialize'), server.times('tools/call')]).toStrictEqual([2, 2]);
    expect(await state()).toMatchObject({ state: 'ready' });
  });
});

test.each<readonly [string, Reply]>([
  ['401', { status: 401 }],
  ['500', html(500)],
  ['an empty body', { status: 200 }],
  ['HTML', html(200)],
  ['an event stream without an answer', { type: 'text/event-stream', body: ': hello\n\n' }],
  ['an event that is no JSON', { type: 'text/event-stream', body: 'data: hello\n\n' }],
])(
  'over HTTP a server that answers the question for its era with %s is initialized once',
  async (_, reply) => {
    const server = new OddServer(at('server/discover', () => reply));
    const { call } = await deskOf(server, 'http');
    expect(server.times('initialize')).toBe(1);
    expect(await call()).toBe('echo');
  },
);

test.each([
  'Starting…',
  '{"level":50,"id":ID,"msg":"slow call"}',
  '{"id":ID,"error":"ECONNREFUSED","msg":"retry"}',
  '{"jsonrpc":"2.0"}',
  '{"jsonrpc":"2.0","id":4711,"result":{}}',
  '[]',
  '"text"',
  '\r',
])('a line on stdout that is no message or no answer of this call (%s) changes nothing', async (line) => {
  const server = new OddServer(
    at('tools/call', (message) => {
      const { body = '' } = answer(message, { content: [{ type: 'text', text: 'echo' }] });
      return { body: `${line.replace('ID', String(message.id))}\n${body}` };
    }),
  );
  const { call } = await deskOf(server, 'stdio');
  expect(await outcomes(call, 2)).toStrictEqual(['echo', 'echo']);
});

test.each([
  [500, 'It answers HTTP 500.'],
  [429, 'It answers HTTP 429.'],
])('the state says what the last call met (HTTP %d), until a call succeeds', async (status, reason) => {
  let isBroken = true;
  const server = new OddServer((message) =>
    message.method === 'tools/call' && isBroken ? { status } : undefined,
  );
  const { call, state } = await deskOf(server, 'http');
  await call();
  expect(await state()).toMatchObject({ state: 'degraded', reason: `The last call failed: ${reason}` });
  isBroken = false;
  expect(await call()).toBe('echo');
  expect(await state()).toMatchObject({ state: 'ready' });
});

const BYE: Reply = { type: 'text/event-stream', body: ': bye\n\n' };

test.each<readonly [string, Oddity, RegExp]>([
  [
    'whose stream ends before it has started is said to have ended it',
    ({ method }) => (method === 'server/discover' || method === 'initialize' ? BYE : undefined),
    /^It ended its connection without an answer\.$/,
  ],
  [
    'whose initialization is not valid is named without the words of the library',
    at('initialize', (message) => answer(message, { protocolVersion: 5 })),
    /^It cannot be used: (?!.*(?:invalid_|"code"|\{))/,
  ],
])('a server %s', async (_, oddity, sentence) => {
  const { address, openTransport } = await reached(new OddServer(oddity), 'http');
  await expect(startOnTrial('x', running(address), openTransport)).rejects.toThrow(sentence);
});
