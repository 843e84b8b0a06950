import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { defineServer, type ServerDefinition } from '../../definition/server.ts';
import { toolDefiner } from '../../definition/tool.ts';
import { silentLog } from '../../log.ts';
import { described } from '../../testing/described.ts';
import { echoServer, gate } from '../../testing/echo-server.ts';
import { serverOf } from '../../testing/surface.ts';
import { beginSession, callPost, INITIALIZE } from '../../testing/wire.ts';
import { sharedBy } from '../protocol/connection.ts';
import { serve } from '../serve.ts';
import { endpoint } from './endpoint.ts';

/** Longer than a test may take: `idle` must not resolve because time has passed. */
const FOREVER_MS = 3_600_000;

const LEGS = [
  { leg: 'the modern era', era: 'modern', stateless: false },
  { leg: 'a legacy session', era: 'legacy', stateless: false },
  { leg: 'the legacy era without sessions', era: 'legacy', stateless: true },
] as const;
type Leg = (typeof LEGS)[number];
const [MODERN, SESSION] = LEGS;

type Send = Parameters<typeof beginSession>[0];

function open(definition: ServerDefinition, { stateless }: Leg) {
  const to = endpoint(definition, sharedBy(silentLog, undefined), { stateless });
  onTestFinished(() => to.close());
  const send = (init: RequestInit) => to.handle(new Request('http://localhost/mcp', init), { user: 'owner' });
  return { to, send };
}

/** The same over HTTP. */
async function listen(definition: ServerDefinition, { stateless }: Leg) {
  const http = { port: 0, stateless, auth: 'none' } as const;
  const serving = await serve(definition, { ownsProcess: false, log: silentLog, http });
  onTestFinished(() => serving.close());
  const url = new URL(serving.url ?? '');
  return { url, send: (init: RequestInit) => fetch(url, init) };
}

const headersOn = async (send: Send, { era, stateless }: Leg): Promise<Record<string, string>> =>
  era === 'modern' || stateless ? {} : beginSession(send);

const textOf = async (response: Promise<Response>) => (await response).text();

test.each(LEGS)('an endpoint of $leg is idle when all calls are answered, and not before', async (leg) => {
  const deps = gate();
  const { to, send } = open(echoServer(deps), leg);
  const headers = await headersOn(send, leg);
  expect(await textOf(send(callPost(leg.era, 'echo', { text: 'hi' }, headers)))).toContain('hi');
  await to.idle(FOREVER_MS);

  const answer = textOf(send(callPost(leg.era, 'wait', {}, headers)));
  await deps.entered.promise;
  const order: string[] = [];
  const idle = to.idle(FOREVER_MS).then(() => order.push('idle'));
  // Everything that can happen without the answer has happened.
  await new Promise((resolve) => setImmediate(resolve));
  order.push('opened');
  deps.opened.resolve();
  expect(await answer).toContain('done');
  await idle;
  expect(order).toEqual(['opened', 'idle']);
});

test('an endpoint is idle when the session of its last call has ended', async () => {
  const deps = gate();
  const { to, send } = open(echoServer(deps), SESSION);
  const headers = await beginSession(send);
  const answer = textOf(send(callPost('legacy', 'wait', {}, headers)));
  await deps.entered.promise;
  expect((await send({ method: 'DELETE', headers })).status).toBe(200);
  await to.idle(FOREVER_MS);
  expect(await answer).not.toContain('done');
});

test.each(LEGS)('a closing endpoint of $leg aborts running calls', async (leg) => {
  const deps = gate();
  const { to, send } = open(echoServer(deps), leg);
  const answer = textOf(send(callPost(leg.era, 'wait', {}, await headersOn(send, leg))));
  const settled = Promise.allSettled([answer]);
  await deps.entered.promise;
  await to.close();
  await expect(deps.aborted.promise).resolves.toBeUndefined();
  deps.opened.resolve();
  await settled;
});

const ACCEPTS = ['*/*', 'application/*, text/*;q=0.5', 'application/json'];

test.each(LEGS.flatMap((leg) => ACCEPTS.map((accept) => [accept, leg] as const)))(
  'a client that accepts %s gets the one answer: %j',
  async (accept, leg) => {
    const { send } = open(echoServer(), leg);
    const headers = { ...(await headersOn(send, leg)), Accept: accept };
    const response = await send(callPost(leg.era, 'echo', { text: 'hi' }, headers));
    expect(response.status).toBe(200);
    const text = await response.text();
    expect(text).toContain('"hi"');
    if (accept !== 'application/json') return;
    expect(response.headers.get('content-type')).toBe('application/json');
    expect(JSON.parse(text)).toMatchObject({ jsonrpc: '2.0', id: 1, result: {} });
  },
);

const callTool: ServerDefinition['callTool'] = async (_, args) => ({
  content: [{ type: 'text', text: JSON.stringify(args) }],
});

test('arguments reach a definition with every digit', async () => {
  const { send } = open({ ...echoServer(), callTool }, MODERN);
  const n = JSON.rawJSON('12345678901234567890');
  expect(await textOf(send(callPost('modern', 'echo', { n })))).toContain(':12345678901234567890}');
});

test.each([
  ['application/json', 'no'],
  ['application/json, text/event-stream', 'yes'],
])('in a session of a client that accepts %s a tool can ask the person: %s', async (accept, expected) => {
  const asking = serverOf('ask', ({ input }) =>
    input.capabilities.elicitation === undefined ? 'no' : 'yes',
  );
  const { send } = open(asking, SESSION);
  const params = { ...INITIALIZE.params, capabilities: { elicitation: {} } };
  const accepting: Send = ({ headers, ...init }) =>
    send({ ...init, headers: { ...headers, Accept: accept } });
  const session = await beginSession(accepting, { ...INITIALIZE, params });
  expect(await textOf(accepting(callPost('legacy', 'ask', {}, session)))).toContain(`"text":"${expected}"`);
});

const count = toolDefiner<null>()({
  ...described('count'),
  input: z.object({ steps: z.int() }),
  async run({ steps }, _, ctx) {
    for (let step = 1; step <= steps; step += 1) await ctx.progress(step, steps);
    return 'done';
  },
});
const counter = defineServer({ name: 'counter', version: '1.0.0', deps: null, tools: [count] });

/** Everything that the server writes to a connection that the client asks to close, one text per write. */
async function writesOf(leg: Leg, steps: number) {
  const { url, send } = await listen(counter, leg);
  const { body, headers } = callPost(leg.era, 'count', { steps }, await headersOn(send, leg));
  const all = { ...headers, Host: url.host, 'Content-Length': String(body.length), Connection: 'close' };
  const socket = connect(Number(url.port), url.hostname).setNoDelay(true);
  const written: string[] = [];
  socket.on('data', (data) => written.push(data.toString()));
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.write(`POST ${url.pathname} HTTP/1.1\r\n${lines.join('')}\r\n${body}`);
  await once(socket, 'close');
  return written;
}

test.each(LEGS)(
  'an answer of $leg is JSON in one write, and "Connection: close" closes with it',
  async (leg) => {
    const written = await writesOf(leg, 0);
    expect(written).toHaveLength(1);
    expect(written[0]).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    expect(written[0]).toMatch(/content-type: application\/json\r\n/i);
    expect(written[0]).toMatch(/connection: close\r\n/i);
    expect(written[0]).toContain('"done"');
  },
);

test.each(LEGS)(
  'an answer of $leg after progress is a stream, and "Connection: close" closes with its end',
  async (leg) => {
    const answer = (await writesOf(leg, 2)).join('');
    expect(answer).toMatch(/content-type: text\/event-stream\r\n/i);
    expect(answer).toMatch(/connection: close\r\n/i);
    expect(answer).not.toMatch(/connection: keep-alive/i);
    expect(answer).toMatch(/"progress":1.*"progress":2.*"done"/s);
  },
);

/** A call whose client disconnects while it runs. */
async function leftCall(leg: Leg) {
  const deps = gate();
  const { send } = await listen(echoServer(deps), leg);
  const left = new AbortController();
  const call = callPost(leg.era, 'wait', {}, await headersOn(send, leg));
  const settled = Promise.allSettled([send({ ...call, signal: left.signal })]);
  await deps.entered.promise;
  left.abort();
  await settled;
  return { send, deps };
}

test.each(LEGS.filter(({ era, stateless }) => era === 'modern' || stateless))(
  'a client of $leg that disconnects aborts its call',
  async (leg) => {
    const { deps } = await leftCall(leg);
    await expect(deps.aborted.promise).resolves.toBeUndefined();
    deps.opened.resolve();
  },
);

test('a call of a session goes on when its client disconnects', async () => {
  const { send, deps } = await leftCall(SESSION);
  // What serves others meanwhile has seen it.
  for (let session = 0; session < 5; session += 1) await beginSession(send);
  const running = new Promise((resolve) => {
    setImmediate(resolve, 'running');
  });
  expect(await Promise.race([deps.aborted.promise, running])).toBe('running');
  deps.opened.resolve();
});
