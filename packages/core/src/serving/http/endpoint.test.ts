import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  PROTOCOL_VERSION_META_KEY,
} from '@modelcontextprotocol/server';
import { expect, onTestFinished, test } from 'vitest';
import { defineServer } from '../../definition/server.ts';
import { toolDefiner } from '../../definition/tool.ts';
import { silentLog } from '../../log.ts';
import { echoServer, gate, type Gate } from '../../testing/echo-server.ts';
import { sharedBy } from '../protocol/connection.ts';
import { type Endpoint, endpoint } from './endpoint.ts';
import { described } from '../../testing/described.ts';

/** Longer than a test may take: `idle` must not resolve because time has passed. */
const FOREVER_MS = 3_600_000;

const MODERN_META = {
  [PROTOCOL_VERSION_META_KEY]: '2026-07-28',
  [CLIENT_INFO_META_KEY]: { name: 'test', version: '1' },
  [CLIENT_CAPABILITIES_META_KEY]: {},
};

function open(deps: Gate, stateless = false): Endpoint {
  const opened = endpoint(echoServer(deps), sharedBy(silentLog, undefined), { stateless });
  onTestFinished(() => opened.close());
  return opened;
}

interface Leg {
  readonly era: 'modern' | 'legacy';
  readonly stateless: boolean;
}
const LEGS: readonly Leg[] = [
  { era: 'modern', stateless: false },
  { era: 'legacy', stateless: false },
  { era: 'legacy', stateless: true },
];

function send(
  to: Endpoint,
  method: 'POST' | 'DELETE',
  message?: {
    readonly method: string;
    readonly params?: Readonly<Record<string, unknown>>;
    readonly id?: number;
  },
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> {
  const name = message?.params?.['name'];
  const request = new Request('http://localhost/mcp', {
    method,
    headers: {
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
      ...(message === undefined ? {} : { 'Mcp-Method': message.method }),
      ...(typeof name === 'string' ? { 'Mcp-Name': name } : {}),
      ...headers,
    },
    ...(message === undefined ? {} : { body: JSON.stringify({ jsonrpc: '2.0', ...message }) }),
  });
  return to.handle(request, { user: 'owner' });
}

/** @returns the headers of later requests */
async function connect(to: Endpoint, { era, stateless }: Leg): Promise<Record<string, string>> {
  if (era === 'modern') return { 'MCP-Protocol-Version': '2026-07-28' };
  if (stateless) return {};
  const clientInfo = { name: 'test', version: '1' };
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo };
  const response = await send(to, 'POST', { id: 0, method: 'initialize', params });
  await response.text();
  return { 'Mcp-Session-Id': response.headers.get('mcp-session-id') ?? '' };
}

const callOf = (name: string, { era }: Leg, args = {}) => ({
  id: 1,
  method: 'tools/call',
  params: { name, arguments: args, ...(era === 'modern' ? { _meta: MODERN_META } : {}) },
});

test.each(LEGS)(
  'an endpoint is idle when all calls are answered, and not before: $era era, stateless: $stateless',
  async (leg) => {
    const deps = gate();
    const to = open(deps, leg.stateless);
    const headers = await connect(to, leg);
    const echo = await send(to, 'POST', callOf('echo', leg, { text: 'hi' }), headers);
    expect(await echo.text()).toContain('hi');
    await to.idle(FOREVER_MS);

    const answer = send(to, 'POST', callOf('wait', leg), headers).then((response) => response.text());
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
  },
);

test('an endpoint is idle when the session of its last call has ended', async () => {
  const deps = gate();
  const to = open(deps);
  const leg = { era: 'legacy', stateless: false } as const;
  const headers = await connect(to, leg);
  const answer = send(to, 'POST', callOf('wait', leg), headers).then((response) => response.text());
  await deps.entered.promise;
  expect((await send(to, 'DELETE', undefined, headers)).status).toBe(200);
  await to.idle(FOREVER_MS);
  expect(await answer).not.toContain('done');
});

test.each(LEGS)('a closing endpoint aborts running calls: $era era, stateless: $stateless', async (leg) => {
  const deps = gate();
  const to = open(deps, leg.stateless);
  const headers = await connect(to, leg);
  const answer = send(to, 'POST', callOf('wait', leg), headers).then((response) => response.text());
  const settled = Promise.allSettled([answer]);
  await deps.entered.promise;
  await to.close();
  await expect(deps.aborted.promise).resolves.toBeUndefined();
  deps.opened.resolve();
  await settled;
});

const ACCEPTS = [
  '*/*',
  'application/*, text/*;q=0.5',
  'application/json',
  'application/json;q=0.9, */*;q=0.1',
];

test.each(LEGS.flatMap((leg) => ACCEPTS.map((accept) => [accept, leg] as const)))(
  'a client that accepts %s gets the one answer: %j',
  async (accept, leg) => {
    const to = open(gate(), leg.stateless);
    const headers = { ...(await connect(to, leg)), Accept: accept };
    const response = await send(to, 'POST', callOf('echo', leg, { text: 'hi' }), headers);
    expect(response.status).toBe(200);
    const text = await response.text();
    expect(text).toContain('"hi"');
    if (accept !== 'application/json') return;
    expect(response.headers.get('content-type')).toBe('application/json');
    expect(JSON.parse(text)).toMatchObject({ jsonrpc: '2.0', id: 1, result: {} });
  },
);

test.each([
  ['application/json', 'no'],
  ['application/json, text/event-stream', 'yes'],
])('in a session of a client that accepts %s a tool can ask the person: %s', async (accept, expected) => {
  const tool = toolDefiner()({
    ...described('ask'),
    run: (_, __, { input }) => (input.capabilities.elicitation === undefined ? 'no' : 'yes'),
  });
  const asking = defineServer({
    name: 'asking',
    title: 'Asking',
    version: '1.0.0',
    deps: undefined,
    tools: [tool],
  });
  const to = endpoint(asking, sharedBy(silentLog, undefined), { stateless: false });
  onTestFinished(() => to.close());
  const clientInfo = { name: 'test', version: '1' };
  const params = { protocolVersion: '2025-11-25', capabilities: { elicitation: {} }, clientInfo };
  const headers = { Accept: accept };
  const begun = await send(to, 'POST', { id: 0, method: 'initialize', params }, headers);
  await begun.text();
  const session = { ...headers, 'Mcp-Session-Id': begun.headers.get('mcp-session-id') ?? '' };
  const answer = await send(to, 'POST', callOf('ask', { era: 'legacy', stateless: false }), session);
  expect(await answer.text()).toContain(`"text":"${expected}"`);
});
