import { afterEach, expect, test } from 'vitest';
import { silentLog } from '../log/log.ts';
import { echoServer } from '../testing/echo-server.ts';
import { LegacySessions } from './legacy-sessions.ts';
import { stateSeal } from './state-seal.ts';

const IDLE_MS = 200;
const owner = { user: 'owner' };
let sessions: LegacySessions;
afterEach(() => sessions.close());

function open(): void {
  sessions = new LegacySessions(echoServer(), { log: silentLog, seal: stateSeal() }, IDLE_MS);
}

async function send(method: 'GET' | 'POST', body?: object, session?: string): Promise<Response> {
  const headers = {
    Accept: method === 'GET' ? 'text/event-stream' : 'application/json, text/event-stream',
    'Content-Type': 'application/json',
    ...(session === undefined ? {} : { 'Mcp-Session-Id': session }),
  };
  const init = { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) };
  return sessions.handle(new Request('http://127.0.0.1/mcp', init), owner, body);
}

async function initialize(): Promise<string> {
  const params = {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'test', version: '1' },
  };
  const response = await send('POST', { jsonrpc: '2.0', id: 1, method: 'initialize', params });
  await response.text();
  return response.headers.get('mcp-session-id') ?? '';
}

const PING = { jsonrpc: '2.0', id: 2, method: 'ping' };

/** Asks for nothing else meanwhile, since each request keeps a session. */
function after(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}

test('a session that nobody uses ends', async () => {
  open();
  const session = await initialize();
  const used = await send('POST', PING, session);
  expect(used.status).toBe(200);
  await used.text();
  await after(4 * IDLE_MS);
  expect((await send('POST', PING, session)).status).toBe(404);
});

test('a session whose stream is held stays, and ends when it is let go', async () => {
  open();
  const session = await initialize();
  const stream = await send('GET', undefined, session);
  expect(stream.status).toBe(200);
  await after(4 * IDLE_MS);
  const used = await send('POST', PING, session);
  expect(used.status).toBe(200);
  await used.text();
  await stream.body?.cancel();
  await after(4 * IDLE_MS);
  expect((await send('POST', PING, session)).status).toBe(404);
});
