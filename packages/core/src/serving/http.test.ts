import { request } from 'node:http';
import { afterEach, expect, test } from 'vitest';
import type { Principal } from '../definition/context.ts';
import { silentLog } from '../log/log.ts';
import { serve, type HttpServeOptions } from '../run/serve.ts';
import { StartError } from '../run/start-error.ts';
import { echoServer, gate } from '../testing/echo-server.ts';
import type { Serving } from './serving.ts';

const opened: Serving[] = [];
afterEach(async () => {
  await Promise.all(opened.splice(0).map((serving) => serving.close()));
});

const TOKENS: Readonly<Record<string, string>> = { 'Bearer anna-token': 'anna', 'Bearer ben-token': 'ben' };

async function auth(header: string | undefined): Promise<Principal | undefined> {
  const user = TOKENS[header ?? ''];
  return user === undefined ? undefined : { user };
}

async function start(options: Partial<HttpServeOptions> = {}, definition = echoServer()): Promise<string> {
  const serving = await serve(definition, {
    ownsProcess: false,
    log: silentLog,
    http: { port: 0, auth, ...options },
  });
  opened.push(serving);
  return serving.url ?? '';
}

const JSON_HEADERS = {
  'Content-Type': 'application/json',
  Accept: 'application/json, text/event-stream',
  Authorization: 'Bearer anna-token',
};

function post(url: string, body: unknown, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(url, {
    method: 'POST',
    headers: { ...JSON_HEADERS, ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
}

const INITIALIZE = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
};

function call(name: string, args: Record<string, unknown> = {}) {
  return { jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name, arguments: args } };
}

async function openSession(url: string): Promise<Record<string, string>> {
  const response = await post(url, INITIALIZE);
  await response.text();
  const session = { 'Mcp-Session-Id': response.headers.get('mcp-session-id') ?? '' };
  await post(url, { jsonrpc: '2.0', method: 'notifications/initialized' }, session);
  return session;
}

/** fetch sets Host itself, so this says it by hand. */
function statusWithHost(url: string, path: string, host: string): Promise<number | undefined> {
  const { promise, resolve, reject } = Promise.withResolvers<number | undefined>();
  const { hostname, port } = new URL(url);
  request({ hostname, port, path, headers: { Host: host } }, (response) => {
    response.resume();
    resolve(response.statusCode);
  })
    .on('error', reject)
    .end();
  return promise;
}

test.each(['/mcp', '/healthz', '/.well-known/oauth-protected-resource', '/'])(
  'a foreign Host is refused at %s',
  async (path) => {
    const url = await start();
    expect(await statusWithHost(url, path, 'evil.example')).toBe(403);
    expect(await statusWithHost(url, '/healthz', 'localhost')).toBe(200);
  },
);

test.each(['/mcp', '/healthz'])('a foreign Origin is refused at %s', async (path) => {
  const url = new URL(path, await start()).href;
  const foreign = await fetch(url, { headers: { ...JSON_HEADERS, Origin: 'https://evil.example' } });
  expect(foreign.status).toBe(403);
  const local = await fetch(new URL('/healthz', url), { headers: { Origin: 'http://localhost:5173' } });
  expect(local.status).toBe(200);
});

test.each([undefined, 'Bearer wrong-token', 'Basic anna-token', 'anna-token', 'Bearer '])(
  'Authorization %j is answered 401 with a bare challenge',
  async (authorization) => {
    const url = await start();
    const headers = {
      ...JSON_HEADERS,
      ...(authorization === undefined ? {} : { Authorization: authorization }),
    };
    if (authorization === undefined) Reflect.deleteProperty(headers, 'Authorization');
    const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(INITIALIZE) });
    expect(response.status).toBe(401);
    expect(response.headers.get('www-authenticate')).toBe('Bearer');
    expect(await response.text()).not.toMatch(/oauth|resource_metadata/i);
  },
);

test('a configured token is its user, whatever the case of the scheme', async () => {
  const url = await start({ auth: { token: 'a-long-enough-token' } });
  const session = await post(url, INITIALIZE, { Authorization: 'bearer a-long-enough-token' });
  expect(session.status).toBe(200);
  expect((await post(url, INITIALIZE, { Authorization: 'Bearer a-long-enough-tokeN' })).status).toBe(401);
});

test.each([
  '/.well-known/oauth-protected-resource',
  '/.well-known/oauth-protected-resource/mcp',
  '/.well-known/oauth-authorization-server',
  '/.well-known/openid-configuration',
  '/register',
])('%s is not there', async (path) => {
  const response = await fetch(new URL(path, await start()));
  expect(response.status).toBe(404);
  expect(await response.json()).toStrictEqual({ error: 'Not found', hint: 'MCP is served at /mcp' });
});

test('a session belongs to its principal: to another token it does not exist', async () => {
  const url = await start();
  const session = await openSession(url);
  const own = await post(url, call('echo', { text: 'hi' }), session);
  expect(await own.text()).toContain('\\"user\\":\\"anna\\"');
  const other = await post(url, call('echo', { text: 'hi' }), {
    ...session,
    Authorization: 'Bearer ben-token',
  });
  expect(other.status).toBe(404);
  const ended = await fetch(url, {
    method: 'DELETE',
    headers: { ...JSON_HEADERS, ...session, Authorization: 'Bearer ben-token' },
  });
  expect(ended.status).toBe(404);
  expect((await post(url, call('echo', { text: 'still there' }), session)).status).toBe(200);
});

test('an unknown and an ended session are 404, none at all is 400', async () => {
  const url = await start();
  expect((await post(url, call('echo'), { 'Mcp-Session-Id': 'nope' })).status).toBe(404);
  expect((await post(url, call('echo'))).status).toBe(400);
  const session = await openSession(url);
  const headers = { ...JSON_HEADERS, ...session };
  expect((await fetch(url, { method: 'DELETE', headers })).status).toBe(200);
  expect((await post(url, call('echo'), session)).status).toBe(404);
});

test.each([
  ['20 MB', JSON.stringify(call('echo', { text: 'x'.repeat(20_000_000) })), {}, 413],
  ['broken JSON', '{"jsonrpc":', {}, 400],
  ['nothing', '', {}, 400],
  ['another content type', '{}', { 'Content-Type': 'text/plain' }, 415],
  ['no JSON-RPC', '{"a":1}', {}, 400],
  [
    'a modern request without its envelope',
    JSON.stringify(call('echo')),
    { 'MCP-Protocol-Version': '2026-07-28' },
    400,
  ],
])('a body of %s is refused, and the server goes on', async (_, body, headers, status) => {
  const url = await start();
  const session = await openSession(url);
  expect((await post(url, body, headers)).status).toBe(status);
  expect((await post(url, call('echo', { text: 'hi' }), session)).status).toBe(200);
});

test.each(['PUT', 'PATCH'])('%s is not allowed', async (method) => {
  const response = await fetch(await start(), { method, headers: JSON_HEADERS });
  expect(response.status).toBe(405);
  expect(response.headers.get('allow')).toBe('GET, POST, DELETE');
});

test('what a handler throws stays inside', async () => {
  const url = await start();
  const session = await openSession(url);
  const crashed = await (await post(url, call('crash'), session)).text();
  expect(crashed).toContain('Internal error');
  expect(crashed).not.toContain('shadow');
  const broken = { jsonrpc: '2.0', id: 3, method: 'resources/read', params: { uri: 'echo://broken' } };
  const read = await (await post(url, broken, session)).text();
  expect(read).toContain('-32603');
  expect(read).not.toContain('secret');
});

test('stateless serves the legacy era without sessions', async () => {
  const url = await start({ stateless: true });
  const response = await post(url, call('echo', { text: 'hi' }));
  expect(await response.text()).toContain('\\"user\\":\\"anna\\"');
  expect(response.headers.has('mcp-session-id')).toBe(false);
});

test('closing lets a running call end, and answers it', async () => {
  const deps = gate();
  const url = await start({}, echoServer(deps));
  const session = await openSession(url);
  const answer = post(url, call('wait'), session).then((response) => response.text());
  await deps.entered.promise;
  const closed = opened[0]?.close();
  deps.opened.resolve();
  expect(await answer).toContain('done');
  await closed;
  await expect(fetch(url)).rejects.toThrow('fetch failed');
});

test('closing aborts a call that does not end', async () => {
  const deps = gate();
  const url = await start({}, echoServer(deps));
  const session = await openSession(url);
  const answer = post(url, call('wait'), session).then((response) => response.text());
  const settled = Promise.allSettled([answer]);
  await deps.entered.promise;
  await opened[0]?.close();
  await expect(deps.aborted.promise).resolves.toBeUndefined();
  deps.opened.resolve();
  await settled;
});

test('a taken port is said with the way out', async () => {
  const { port } = new URL(await start());
  const again = start({ port: Number(port) });
  await expect(again).rejects.toThrow(`Port ${port} is taken. Choose another: --port ${Number(port) + 1}`);
  await expect(start({ port: Number(port) })).rejects.toBeInstanceOf(StartError);
});
