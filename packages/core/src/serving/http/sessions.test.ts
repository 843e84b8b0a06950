import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createLog, silentLog } from '../../log.ts';
import { echoServer, gate } from '../../testing/echo-server.ts';
import { toolCall } from '../../testing/wire.ts';
import { changeFeed } from '../../definition/changes.ts';
import type { Limits } from '../limits.ts';
import { sharedBy } from '../protocol/connection.ts';
import { LegacySessions } from './sessions.ts';

const SECRET = 'the secret of this test';

let sessions: LegacySessions;
const opened: LegacySessions[] = [];
beforeEach(() => {
  vi.useFakeTimers({
    toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date', 'hrtime'],
  });
  sessions = open();
});
afterEach(async () => {
  await Promise.all(opened.splice(0).map((each) => each.close()));
  vi.useRealTimers();
});

/** A server process; a second one with the same secret is the same server after a restart, or a replica. */
function open(limits: Partial<Limits> = {}, secret = SECRET, definition = echoServer()): LegacySessions {
  const created = new LegacySessions(definition, sharedBy(silentLog, secret, limits));
  opened.push(created);
  return created;
}

interface Sent {
  readonly to?: LegacySessions;
  readonly user?: string;
}

async function send(
  method: 'GET' | 'POST' | 'DELETE',
  body?: object,
  session?: string,
  { to = sessions, user = 'owner' }: Sent = {},
): Promise<Response> {
  const headers = {
    Accept: method === 'GET' ? 'text/event-stream' : 'application/json, text/event-stream',
    'Content-Type': 'application/json',
    ...(session === undefined ? {} : { 'Mcp-Session-Id': session }),
  };
  const init = { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) };
  return to.handle(new Request('http://127.0.0.1/mcp', init), { user }, body);
}

const CLIENT = { name: 'test', version: '1' };

async function initialize(sent: Sent = {}, clientInfo: object = CLIENT, capabilities = {}): Promise<string> {
  const params = { protocolVersion: '2025-11-25', capabilities, clientInfo };
  const response = await send(
    'POST',
    { jsonrpc: '2.0', id: 1, method: 'initialize', params },
    undefined,
    sent,
  );
  await response.text();
  return response.headers.get('mcp-session-id') ?? '';
}

const PING = { jsonrpc: '2.0', id: 2, method: 'ping' };
const ECHO = toolCall(3, 'echo', { text: 'hi' });
const WAIT = toolCall(7, 'wait');
const CANCEL = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: WAIT.id } };

async function ping(session: string, sent: Sent = {}): Promise<number> {
  const response = await send('POST', PING, session, sent);
  await response.text();
  return response.status;
}

test('two sessions continue after a restart with their own client and session, without a new initialize', async () => {
  const ids = [await initialize(), await initialize()];
  const before = await Promise.all(ids.map(async (id) => (await send('POST', ECHO, id)).text()));
  const restarted = open();
  const after = await Promise.all(
    ids.map(async (id) => (await send('POST', ECHO, id, { to: restarted })).text()),
  );
  expect(after).toEqual(before);
  expect(new Set(after).size).toBe(2);
  // What another process has asked is not a question of this one, and no reason to begin again.
  const answer = { jsonrpc: '2.0', id: 'x/0', result: { action: 'accept' } };
  expect((await send('POST', answer, ids[0], { to: restarted })).status).toBe(202);
});

test('concurrent requests of one session continue it once', async () => {
  const id = await initialize();
  const continued: string[] = [];
  const log = { ...silentLog, info: (message: string) => void continued.push(message) };
  const restarted = new LegacySessions(echoServer(), sharedBy(log, SECRET));
  opened.push(restarted);
  const statuses = await Promise.all(
    [11, 12, 13].map(async (n) => (await send('POST', { ...PING, id: n }, id, { to: restarted })).status),
  );
  expect(statuses).toEqual([200, 200, 200]);
  expect(continued).toEqual(['session continued']);
  expect(restarted.size).toBe(1);
});

test('a session continues for its own user only, and with the same secret only', async () => {
  const id = await initialize();
  expect(await ping(id, { to: open(), user: 'ben' })).toBe(404);
  expect(await ping(id, { to: open({}, 'another secret') })).toBe(404);
  expect(await ping(id, { user: 'ben' })).toBe(404);
  const changed = `${id.slice(0, -1)}${id.endsWith('A') ? 'B' : 'A'}`;
  expect(await ping(changed)).toBe(404);
  expect(await ping(id, { to: open() })).toBe(200);
});

test('a session id expires after 30 days', async () => {
  const id = await initialize();
  vi.advanceTimersByTime(30 * 24 * 60 * 60_000);
  expect(await ping(id)).toBe(200);
  vi.setSystemTime(Date.now() + 2000);
  expect(await ping(id)).toBe(404);
  expect(await ping(id, { to: open() })).toBe(404);
});

test('an ended session does not continue, also if it was not in memory, and a request needs a session', async () => {
  sessions = open({ sessionsPerPrincipal: 1 });
  const [ended, evicted] = [await initialize(), await initialize()];
  expect(await ping(ended)).toBe(200);
  expect((await send('DELETE', undefined, ended)).status).toBe(200);
  expect((await send('POST', PING)).status).toBe(400);
  expect((await send('DELETE', undefined, evicted)).status).toBe(200);
  expect(await Promise.all([ping(ended), ping(evicted)])).toEqual([404, 404]);
});

test('above the limit of a principal its idlest session without a stream leaves memory first', async () => {
  const lines: string[] = [];
  const log = createLog({ level: 'info', write: (line) => lines.push(line) });
  const to = new LegacySessions(echoServer(), sharedBy(log, SECRET, { sessionsPerPrincipal: 3 }));
  opened.push(to);
  const ids: string[] = [];
  for (let count = 0; count < 3; count += 1) {
    ids.push(await initialize({ to }));
    vi.advanceTimersByTime(1000);
    // The wall clock, which does not count, is set back.
    vi.setSystemTime(Date.now() - 5000);
  }
  const [streaming = '', idlest = '', recent = ''] = ids;
  const stream = await send('GET', undefined, streaming, { to });
  await initialize({ to, user: 'ben' });
  expect(to.size).toBe(4);
  await initialize({ to });
  expect(to.size).toBe(4);
  const continued = () => lines.filter((line) => line.includes('session continued')).length;
  await ping(streaming, { to });
  await ping(recent, { to });
  expect(continued()).toBe(0);
  await ping(idlest, { to });
  expect(continued()).toBe(1);
  await stream.body?.cancel();
});

test('sessions of all principals leave memory after 30 minutes without a request or a stream, and continue', async () => {
  const unused = await initialize();
  const streaming = await initialize({ user: 'ben' });
  const stream = await send('GET', undefined, streaming, { user: 'ben' });
  vi.advanceTimersByTime(31 * 60_000);
  await initialize({ user: 'cleo' });
  expect(sessions.size).toBe(2);
  expect(await ping(unused)).toBe(200);
  expect(sessions.size).toBe(3);
  await stream.body?.cancel();
});

test('sessions with a call in progress do not leave memory for each other', async () => {
  sessions = open({ sessionsPerPrincipal: 1 });
  const busy = [await initialize()];
  const answers = [send('POST', WAIT, busy[0])];
  busy.push(await initialize());
  answers.push(send('POST', WAIT, busy[1]));
  await initialize();
  expect(sessions.size).toBe(2);
  for (const id of busy) expect((await send('POST', CANCEL, id)).status).toBe(202);
  expect(await Promise.all(answers.map(async (answer) => (await answer).text()))).toEqual(['', '']);
  expect(sessions.size).toBe(1);
});

test('a session continues and is served also if all other sessions of its user have an open stream', async () => {
  sessions = open({ sessionsPerPrincipal: 1 });
  const [streaming, late] = [await initialize(), await initialize()];
  const stream = await send('GET', undefined, streaming);
  for (let n = 0; n < 3; n += 1) expect(await ping(late)).toBe(200);
  expect(sessions.size).toBe(1);
  await stream.body?.cancel();
});

const withChanges = () => open({}, SECRET, echoServer(undefined, changeFeed()));
const LISTS = ['tools', 'resources'].map((list) => `notifications/${list}/list_changed`);

test.each(['GET', 'POST'] as const)(
  'a continued session receives one list_changed per list, on the first stream, if that is a %s',
  async (method) => {
    sessions = withChanges();
    const id = await initialize();
    sessions = withChanges();
    const stream = await send(method, method === 'GET' ? undefined : ECHO, id);
    const text = method === 'GET' ? await firstEvents(stream, LISTS.length) : await stream.text();
    for (const notification of LISTS) expect(text.split(notification)).toHaveLength(2);
    expect(await (await send('POST', { ...ECHO, id: 4 }, id)).text()).not.toContain('list_changed');
  },
);

async function firstEvents(stream: Response, count: number): Promise<string> {
  const reader = stream.body?.getReader();
  let text = '';
  while (text.split('\n\n').length <= count) text += new TextDecoder().decode((await reader?.read())?.value);
  await reader?.cancel();
  return text;
}

test.each([
  ['a usual client', CLIENT, { elicitation: {}, roots: { listChanged: true } }],
  [
    'a long name of emoji',
    { name: '😀'.repeat(5000), title: '😀'.repeat(5000), version: '9'.repeat(5000) },
    {},
  ],
  ['large capabilities', CLIENT, { experimental: { x: { y: 'z'.repeat(5000) } }, elicitation: {} }],
])('a session id is visible ASCII of at most 1 kB for %s', async (_, clientInfo, capabilities) => {
  const id = await initialize({}, clientInfo, capabilities);
  expect(id).toMatch(/^[!-~]{1,1024}$/);
  expect(await ping(id, { to: open() })).toBe(200);
});

test('a call that waits becomes a stream after 15 s, on which its answer follows', async () => {
  const deps = gate();
  sessions = open({}, SECRET, echoServer(deps));
  const session = await initialize();
  const answer = send('POST', WAIT, session);
  await deps.entered.promise;
  vi.advanceTimersByTime(15_000);
  const response = await answer;
  expect(response.headers.get('content-type')).toBe('text/event-stream');
  deps.opened.resolve();
  expect(await response.text()).toMatch(/^: keepalive\n\nevent: message\ndata: \{"result":.*"id":7\}\n\n$/);
});

test('a cancellation that comes after the answer does not hit a later request with the same id', async () => {
  const session = await initialize();
  const cancel = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: PING.id } };
  for (let n = 0; n < 2; n += 1) {
    expect(await (await send('POST', PING, session)).text()).toContain('"id":2');
    await send('POST', cancel, session);
  }
});

test('a batch with a cancelled call ends its stream when the other calls are answered', async () => {
  const session = await initialize();
  const answer = send('POST', [WAIT, PING], session);
  await send('POST', CANCEL, session);
  const text = await (await answer).text();
  expect(text).toContain('"id":2');
  expect(text).not.toContain('"id":7');
});

test('a request that repeats the id of an unanswered one, or of one in its batch, is rejected, and the session goes on', async () => {
  const session = await initialize();
  void send('POST', WAIT, session);
  await ping(session);
  for (const again of [WAIT, [PING, PING]]) {
    const response = await send('POST', again, session);
    expect(response.status).toBe(400);
    expect(await response.text()).toContain('a request with this id waits for its answer');
  }
  expect(await ping(session)).toBe(200);
});

test('the late end of a replaced stream does not end the new one', async () => {
  sessions = withChanges();
  const id = await initialize();
  // A continued session sends two notifications at once, which nobody reads here.
  sessions = withChanges();
  const lost = await send('GET', undefined, id);
  const stream = await send('GET', undefined, id);
  await lost.body?.cancel();
  expect(await ping(id)).toBe(200);
  const last = await send('GET', undefined, id);
  // Only a stream that the session still knows is replaced.
  expect(await stream.text()).toBe('');
  await last.body?.cancel();
});
