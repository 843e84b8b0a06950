import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { silentLog } from '../log/log.ts';
import { echoServer } from '../testing/echo-server.ts';
import { LegacySessions } from './legacy-sessions.ts';
import { stateSeal } from './state-seal.ts';

const LIMIT_MS = 30 * 60_000;
const SWEEP_MS = 60_000;
const owner = { user: 'owner' };
let sessions: LegacySessions;
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'Date'] });
  sessions = new LegacySessions(echoServer(), { log: silentLog, seal: stateSeal() });
});
afterEach(async () => {
  await sessions.close();
  vi.useRealTimers();
});

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

async function ping(session: string): Promise<number> {
  const response = await send('POST', PING, session);
  await response.text();
  return response.status;
}

test('a session that nobody uses ends', async () => {
  const session = await initialize();
  vi.advanceTimersByTime(LIMIT_MS);
  expect(await ping(session)).toBe(200);
  vi.advanceTimersByTime(LIMIT_MS);
  expect(await ping(session)).toBe(200);
  vi.advanceTimersByTime(LIMIT_MS + SWEEP_MS);
  await expect.poll(() => ping(session)).toBe(404);
});

test('a session whose stream is held stays, and ends when it is let go', async () => {
  const session = await initialize();
  const stream = await send('GET', undefined, session);
  expect(stream.status).toBe(200);
  vi.advanceTimersByTime(2 * LIMIT_MS);
  expect(await ping(session)).toBe(200);
  await stream.body?.cancel();
  vi.advanceTimersByTime(LIMIT_MS + SWEEP_MS);
  await expect.poll(() => ping(session)).toBe(404);
});
