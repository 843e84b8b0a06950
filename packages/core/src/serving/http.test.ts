import { once } from 'node:events';
import { request } from 'node:http';
import { connect, Server } from 'node:net';
import { afterEach, expect, onTestFinished, test, vi } from 'vitest';
import type { Principal } from '../definition/context.ts';
import { createLog, silentLog } from '../log.ts';
import type { HttpServeOptions } from './http/serve-http.ts';
import { serve, type ServeOptions } from './serve.ts';
import { StartError } from '../errors/index.ts';
import { echoServer, gate } from '../testing/echo-server.ts';
import type { Serving } from './protocol/connection.ts';
import { beginSession, INITIALIZE, postOf, toolCall } from '../testing/wire.ts';

const opened: Serving[] = [];
afterEach(async () => {
  await Promise.all(opened.splice(0).map((serving) => serving.close()));
});

const TOKENS: Readonly<Record<string, string>> = { 'Bearer anna-token': 'anna', 'Bearer ben-token': 'ben' };

async function auth(header: string | undefined): Promise<Principal | undefined> {
  const user = TOKENS[header ?? ''];
  return user === undefined ? undefined : { user };
}

async function start(
  options: Partial<HttpServeOptions> = {},
  definition = echoServer(),
  more: Partial<ServeOptions> = {},
): Promise<string> {
  const serving = await serve(definition, {
    ownsProcess: false,
    log: silentLog,
    http: { port: 0, auth, ...options },
    ...more,
  });
  opened.push(serving);
  return serving.url ?? '';
}

const AUTHORIZED = { Authorization: 'Bearer anna-token' };

function post(url: string, body: object | string, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(url, postOf(body, { ...AUTHORIZED, ...headers }));
}

async function openSession(url: string): Promise<Record<string, string>> {
  const session = await beginSession(({ body, headers }) => post(url, body, headers));
  await post(url, { jsonrpc: '2.0', method: 'notifications/initialized' }, session);
  return session;
}

/** Of a GET; `fetch` cannot set the Host header. */
async function statusWith(url: URL, headers: Record<string, string>): Promise<number | undefined> {
  const [response] = await once(request(url, { headers: { ...AUTHORIZED, ...headers } }).end(), 'response');
  response.resume();
  return response.statusCode;
}

test.each(['/mcp', '/healthz', '/.well-known/oauth-protected-resource', '/'])(
  'a foreign Host or Origin header is rejected at %s',
  async (path) => {
    const url = new URL(path, await start());
    expect(await statusWith(url, { host: 'evil.example' })).toBe(403);
    expect(await statusWith(url, { origin: 'https://evil.example' })).toBe(403);
    const local = { host: 'localhost', origin: 'http://localhost:5173' };
    expect(await statusWith(new URL('/healthz', url), local)).toBe(200);
  },
);

test.each([undefined, 'Bearer wrong-token', 'Basic anna-token', 'anna-token', 'Bearer '])(
  'the Authorization header %j is answered with 401 and a plain Bearer challenge',
  async (authorization) => {
    const url = await start();
    const headers = authorization === undefined ? {} : { Authorization: authorization };
    const response = await fetch(url, postOf(INITIALIZE, headers));
    expect(response.status).toBe(401);
    expect(response.headers.get('www-authenticate')).toBe('Bearer');
    expect(await response.text()).not.toMatch(/oauth|resource_metadata/i);
  },
);

test('the configured token is accepted with any case of the scheme, and another token is rejected', async () => {
  const url = await start({ auth: { token: 'a-long-enough-token' } });
  const session = await post(url, INITIALIZE, { Authorization: 'bearer a-long-enough-token' });
  expect(session.status).toBe(200);
  expect(session.headers.get('keep-alive')).toBe('timeout=75');
  expect((await post(url, INITIALIZE, { Authorization: 'Bearer a-long-enough-tokeN' })).status).toBe(401);
});

test.each(['/.well-known/oauth-protected-resource', '/.well-known/oauth-authorization-server', '/register'])(
  'the discovery path %s answers 404',
  async (path) => {
    const response = await fetch(new URL(path, await start()));
    expect(response.status).toBe(404);
    expect(await response.json()).toStrictEqual({ error: 'Not found', hint: 'MCP is served at /mcp' });
  },
);

test.each([
  ['broken JSON', '{"jsonrpc":', {}, 400],
  ['zero bytes', '', {}, 400],
  ['another content type', '{}', { 'Content-Type': 'text/plain' }, 415],
  ['JSON that is not JSON-RPC', '{"a":1}', {}, 400],
  [
    'a modern request without its envelope',
    JSON.stringify(toolCall(2, 'echo')),
    { 'MCP-Protocol-Version': '2026-07-28' },
    400,
  ],
])('a body of %s is rejected, and the server keeps serving', async (_, body, headers, status) => {
  const url = await start();
  const session = await openSession(url);
  expect((await post(url, body, headers)).status).toBe(status);
  expect((await post(url, toolCall(2, 'echo', { text: 'hi' }), session)).status).toBe(200);
});

test.each(['PUT', 'PATCH'])('the method %s answers 405', async (method) => {
  const response = await fetch(await start(), { method, headers: AUTHORIZED });
  expect(response.status).toBe(405);
  expect(response.headers.get('allow')).toBe('GET, POST, DELETE');
});

test('a closing server lets a running call finish and answers it', async () => {
  const deps = gate();
  const url = await start({}, echoServer(deps));
  const session = await openSession(url);
  const answer = post(url, toolCall(2, 'wait'), session).then((response) => response.text());
  await deps.entered.promise;
  const closed = opened[0]?.close();
  deps.opened.resolve();
  expect(await answer).toContain('done');
  await closed;
  await expect(fetch(url)).rejects.toThrow('fetch failed');
});

test('a port in use fails the start with another port to try, and closes what the server used', async () => {
  const { port } = new URL(await start());
  const again = start({ port: Number(port) });
  const withFlags = start({ port: Number(port), hasFlags: true });
  await expect(withFlags).rejects.toThrow(`Try --port ${Number(port) + 1}.`);
  await expect(again).rejects.toThrow(`Port ${port} is already in use. Try port: ${Number(port) + 1}.`);
  let closed = 0;
  const onClose = async () => void (closed += 1);
  const third = start({ port: Number(port) }, echoServer(), { onClose });
  await expect(third).rejects.toBeInstanceOf(StartError);
  expect(closed).toBe(1);
});

test.each(['0.0.0.0', '::', '127.example', '192.0.2.1'])(
  'a server without authentication refuses to listen on %s',
  async (host) => {
    await expect(start({ auth: 'none', host })).rejects.toThrow(/listens on loopback only/);
  },
);

test.each(['127.0.0.1', 'localhost'])('a server without authentication listens on %s', async (host) => {
  expect((await post(await start({ auth: 'none', host }), INITIALIZE)).status).toBe(200);
});

/** Sends the start of a chunked POST, and leaves the connection open. */
async function startPost(url: string, token: string, contentType = 'application/json') {
  const { host, hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  const received = Promise.withResolvers<string>();
  socket.on('data', (data) => received.resolve(data.toString()));
  socket.on('error', () => undefined);
  const head = [
    'POST /mcp HTTP/1.1',
    `Host: ${host}`,
    `Authorization: Bearer ${token}`,
    `Content-Type: ${contentType}`,
    'Accept: application/json, text/event-stream',
    'Transfer-Encoding: chunked',
  ];
  socket.write(`${head.join('\r\n')}\r\n\r\n4\r\n{"js\r\n`);
  return { socket, received: received.promise };
}

test.each([
  ['token', 'wrong-token', 'application/json', 401],
  // A page can send it without asking.
  ['content type', 'anna-token', 'text/plain', 415],
])('the %s is checked before the body is read', async (_, token, contentType, status) => {
  const { socket, received } = await startPost(await start(), token, contentType);
  expect(await received).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
  socket.destroy();
});

test('a client that drops its connection while it sends a body causes no warning or error in the log', async () => {
  const lines: string[] = [];
  const log = createLog({ level: 'warn', write: (line) => lines.push(line) });
  let asked = Promise.withResolvers<void>();
  const noting = (header: string | undefined) => {
    asked.resolve();
    return auth(header);
  };
  const url = await start({ auth: noting }, echoServer(), { log });
  for (const token of ['anna-token', 'wrong-token']) {
    asked = Promise.withResolvers();
    const { socket } = await startPost(url, token);
    await asked.promise;
    socket.destroy();
  }
  expect((await post(url, INITIALIZE)).status).toBe(200);
  // When it has closed, it has noticed the end of every connection.
  await opened[0]?.close();
  expect(lines).toEqual([]);
});

/** A POST without a declared length. */
function chunked(text: string) {
  return { ...postOf(text, AUTHORIZED), body: new Blob([text]).stream(), duplex: 'half' as const };
}

test('a body above its limit is rejected with its length declared or not, and a body at the limit is read', async () => {
  const body = JSON.stringify(toolCall(2, 'echo', { text: 'x'.repeat(500) }));
  const url = await start({ stateless: true }, echoServer(), { limits: { bodyBytes: body.length } });
  expect((await post(url, body)).status).toBe(200);
  expect((await fetch(url, chunked(body))).status).toBe(200);
  const longer = await post(url, `${body} `);
  expect(longer.status).toBe(413);
  expect(await longer.text()).toContain(`Message exceeds ${body.length} bytes`);
  expect((await fetch(url, chunked(`${body} `))).status).toBe(413);
});

test('texts that a client chooses are cut in the log', async () => {
  const lines: string[] = [];
  const log = createLog({ level: 'debug', write: (line) => lines.push(line) });
  const url = await start({}, echoServer(), { log });
  const session = await openSession(url);
  await post(url, { jsonrpc: '2.0', id: 'x'.repeat(100_000), result: {} }, session);
  expect(lines.join('')).toContain(`"${'x'.repeat(4000)}… (`);
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThan(10_000);
});

test.each([
  ['an empty token', { auth: { token: '' } }, {}, 'The secret or token is empty.'],
  ['an empty secret', {}, { secret: '' }, 'The secret or token is empty.'],
  ['a limit of 0', {}, { limits: { bodyBytes: 0 } }, 'The limit bodyBytes must be'],
  ['a limit of 1.5', {}, { limits: { bodyBytes: 1.5 } }, 'The limit bodyBytes must be'],
])('serve rejects %s, and closes what the server would use', async (_, http, more, message) => {
  let closed = 0;
  const onClose = async () => void (closed += 1);
  const error = { name: 'RangeError', message: expect.stringContaining(message) };
  await expect(start(http, echoServer(), { ...more, onClose })).rejects.toMatchObject(error);
  expect(closed).toBe(1);
});

test.each([
  ['EACCES', 3333, /^The system does not allow port 3333\b.*--port 0/],
  ['EAFNOSUPPORT', 3333, 'This machine cannot listen on 127.0.0.1 (EAFNOSUPPORT). Use --host 127.0.0.1.'],
  ['EAI_AGAIN', 3333, 'This machine cannot listen on 127.0.0.1 (EAI_AGAIN). Use --host 127.0.0.1.'],
  ['EADDRINUSE', 65_535, 'Port 65535 is already in use. Try --port 65534.'],
])('the advice for %s at port %i can be followed', async (code, port, message) => {
  const listen = vi.spyOn(Server.prototype, 'listen').mockImplementationOnce(function fail(this: Server) {
    setImmediate(() => this.emit('error', Object.assign(new Error(`listen ${code}`), { code })));
    return this;
  });
  onTestFinished(() => listen.mockRestore());
  await expect(start({ port, hasFlags: true })).rejects.toThrow(message);
});
