import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { defineServer, type ServerDefinition } from '../../definition/server.ts';
import { toolDefiner } from '../../definition/tool.ts';
import { silentLog } from '../../log.ts';
import { echoServer, gate } from '../../testing/echo-server.ts';
import { serve } from '../serve.ts';
import { described } from '../../testing/described.ts';
import { INITIALIZE } from '../../testing/wire.ts';

const count = toolDefiner<null>()({
  ...described('count'),
  input: z.object({ steps: z.int() }),
  async run({ steps }, _, ctx) {
    for (let step = 1; step <= steps; step += 1) await ctx.progress(step, steps);
    return 'done';
  },
});
const counter = defineServer({ name: 'counter', version: '1.0.0', deps: null, tools: [count] });

const LEGS = [
  { leg: 'the modern era', era: 'modern', stateless: false },
  { leg: 'a legacy session', era: 'legacy', stateless: false },
  { leg: 'the legacy era without sessions', era: 'legacy', stateless: true },
] as const;
type Leg = (typeof LEGS)[number];

async function start(definition: ServerDefinition, { stateless }: Leg): Promise<URL> {
  const http = { port: 0, stateless, auth: 'none' } as const;
  const serving = await serve(definition, { ownsProcess: false, log: silentLog, http });
  onTestFinished(() => serving.close());
  return new URL(serving.url ?? '');
}

const JSON_HEADERS = { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' };

async function openSession(url: URL): Promise<Record<string, string>> {
  const body = JSON.stringify(INITIALIZE);
  const response = await fetch(url, { method: 'POST', headers: JSON_HEADERS, body });
  await response.text();
  return { 'Mcp-Session-Id': response.headers.get('mcp-session-id') ?? '' };
}

/** A call of a tool that asks for its progress, as a client of the leg sends it. */
async function callOn(url: URL, { era, stateless }: Leg, name: string, args: object) {
  const modern = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const _meta = { progressToken: 1, ...(era === 'modern' ? modern : {}) };
  const body = { jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name, arguments: args, _meta } };
  const own = { 'Mcp-Protocol-Version': '2026-07-28', 'Mcp-Method': 'tools/call', 'Mcp-Name': name };
  const session = era === 'modern' || stateless ? {} : await openSession(url);
  return {
    body: JSON.stringify(body),
    headers: { ...JSON_HEADERS, ...session, ...(era === 'modern' ? own : {}) },
  };
}

/** Everything that the server writes to a connection that the client asks to close, one text per write. */
async function writesFor(url: URL, body: string, headers: Readonly<Record<string, string>>) {
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
    const url = await start(counter, leg);
    const { body, headers } = await callOn(url, leg, 'count', { steps: 0 });
    const written = await writesFor(url, body, headers);
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
    const url = await start(counter, leg);
    const { body, headers } = await callOn(url, leg, 'count', { steps: 2 });
    const answer = (await writesFor(url, body, headers)).join('');
    expect(answer).toMatch(/content-type: text\/event-stream\r\n/i);
    expect(answer).toMatch(/connection: close\r\n/i);
    expect(answer).not.toMatch(/connection: keep-alive/i);
    expect(answer).toMatch(/"progress":1.*"progress":2.*"done"/s);
  },
);

test.each(LEGS.filter(({ era, stateless }) => era === 'modern' || stateless))(
  'a client of $leg that disconnects aborts its call',
  async (leg) => {
    const deps = gate();
    const url = await start(echoServer(deps), leg);
    const left = new AbortController();
    const sent = { method: 'POST', ...(await callOn(url, leg, 'wait', {})), signal: left.signal };
    const answer = fetch(url, sent);
    const settled = Promise.allSettled([answer]);
    await deps.entered.promise;
    left.abort();
    await expect(deps.aborted.promise).resolves.toBeUndefined();
    deps.opened.resolve();
    await settled;
  },
);

test('a call of a session goes on when its client disconnects', async () => {
  const [, leg] = LEGS;
  const deps = gate();
  const url = await start(echoServer(deps), leg);
  const left = new AbortController();
  const sent = { method: 'POST', ...(await callOn(url, leg, 'wait', {})), signal: left.signal };
  const settled = Promise.allSettled([fetch(url, sent)]);
  await deps.entered.promise;
  left.abort();
  await settled;
  // What serves others meanwhile has seen it.
  for (let count = 0; count < 5; count += 1) await openSession(url);
  const open = new Promise((resolve) => {
    setImmediate(resolve, 'open');
  });
  expect(await Promise.race([deps.aborted.promise, open])).toBe('open');
  deps.opened.resolve();
});
