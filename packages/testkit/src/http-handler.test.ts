import { createLog, defineServer, silentLog, toolDefiner } from '@deskside/core';
import { serve, httpHandler, type HttpHandler } from '@deskside/core/serving';
import { afterEach, expect, test } from 'vitest';
import { described } from '@deskside/core/testing/described';
import { callPost, INITIALIZE, postOf } from '@deskside/core/testing/wire';

const whoami = toolDefiner<null>()({
  ...described('whoami'),
  run: (_, __, { caller }) => caller.principal.user,
});
const definition = defineServer({ name: 'mounted', version: '1.0.0', deps: null, tools: [whoami] });
const token = 'a-token-of-this-test';
/** Accepts everyone. */
const auth = async () => ({ user: 'ada', scopes: [] });

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

function createHandler(options: Partial<Parameters<typeof httpHandler>[1]> = {}): HttpHandler {
  const handler = httpHandler(definition, { auth: { token }, user: 'ada', log: silentLog, ...options });
  closing.push(() => handler.close());
  return handler;
}

function send(
  handler: Pick<HttpHandler, 'fetch'>,
  headers: Record<string, string> = {},
  body: object | string = INITIALIZE,
) {
  const init = postOf(body, { host: 'localhost', authorization: `Bearer ${token}`, ...headers });
  return handler.fetch(new Request('http://localhost/tools/mcp', init));
}

test('a mounted server has the guards and limits that it is given', async () => {
  const handler = createHandler({
    allowHosts: ['desk.example.com'],
    allowOrigins: ['https://app.example.com'],
    limits: { bodyBytes: 200 },
  });
  expect((await send(handler, { host: 'desk.example.com' })).status).toBe(200);
  expect((await send(handler, { host: 'evil.example' })).status).toBe(403);
  const allowed = await send(handler, { origin: 'https://app.example.com' });
  expect(allowed.headers.get('access-control-allow-origin')).toBe('https://app.example.com');
  // A page that may not read this answer cannot begin a login.
  const refused = await send(handler, { origin: 'https://app.example.com', authorization: 'Bearer wrong' });
  expect(refused.headers.get('access-control-expose-headers')).toContain('WWW-Authenticate');
  expect((await send(handler, {}, 'x'.repeat(201))).status).toBe(413);
});

test('a mounted server says in the log that a body parser comes before it', async () => {
  const lines: string[] = [];
  const log = createLog({ level: 'error', write: (line) => lines.push(line) });
  const init = postOf(INITIALIZE, { host: 'localhost', authorization: `Bearer ${token}` });
  const request = new Request('http://localhost/tools/mcp', init);
  await request.json();
  expect((await createHandler({ log }).fetch(request)).status).toBe(500);
  expect(lines.join('')).toContain('Mount MCP before body parsers.');
});

test('a mounted server has the sessions of serve: another process with the same token continues them', async () => {
  const started = await send(createHandler());
  const id = started.headers.get('mcp-session-id') ?? '';
  const ping = { jsonrpc: '2.0', id: 2, method: 'ping' };
  expect((await send(createHandler(), { 'mcp-session-id': id }, ping)).status).toBe(200);
  expect(
    (await send(createHandler({ secret: 'another secret' }), { 'mcp-session-id': id }, ping)).status,
  ).toBe(404);
});

const [CALL, MODERN_CALL] = [callPost('legacy', 'whoami'), callPost('modern', 'whoami')];

test.each([
  ['instructions', 'initialize', postOf(INITIALIZE)],
  ['instructions', 'a modern call', MODERN_CALL],
  ['instructions', 'a call without session', CALL],
  ['listTools', 'a modern call', MODERN_CALL],
  ['toolScopes', 'a call', CALL],
])(
  'a mounted server logs once that %s throws, and answers as serve: %s',
  async (member, sent, { body, headers }) => {
    const defective = {
      ...definition,
      [member]() {
        throw new Error('a defect');
      },
    };
    const lines: string[] = [];
    const log = createLog({ level: 'warn', write: (line) => lines.push(line) });
    const stateless = sent === 'a call without session';
    const handler = httpHandler(defective, { auth, log, stateless });
    const serving = await serve(defective, { log, ownsProcess: false, http: { port: 0, auth, stateless } });
    closing.push(
      () => handler.close(),
      () => serving.close(),
    );
    const served = { fetch: (request: Request) => fetch(new Request(serving.url ?? '', request)) };
    for (const server of [handler, served]) {
      const response = await send(server, headers, body);
      expect(response.status).toBe(500);
      expect(await response.json()).toEqual({
        jsonrpc: '2.0',
        id: null,
        error: { code: -32_603, message: 'Internal error' },
      });
      expect(lines.splice(0)).toEqual([expect.stringContaining('a defect')]);
    }
  },
);
