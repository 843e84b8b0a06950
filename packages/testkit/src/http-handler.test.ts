import { createLog, defineServer, silentLog, toolDefiner } from '@deskside/core';
import { serve, httpHandler, type HttpHandler } from '@deskside/core/serving';
import { afterEach, describe, expect, test } from 'vitest';
import { described } from '@deskside/core/testing/described';

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

describe('a mounted server', () => {
  const INITIALIZE = {
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'raw', version: '1' } },
  };

  function send(
    handler: Pick<HttpHandler, 'fetch'>,
    headers: Record<string, string> = {},
    body: object | string = INITIALIZE,
  ) {
    return handler.fetch(
      new Request('http://localhost/tools/mcp', {
        method: 'POST',
        headers: {
          host: 'localhost',
          authorization: `Bearer ${token}`,
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          ...headers,
        },
        body: typeof body === 'string' ? body : JSON.stringify(body),
      }),
    );
  }

  test('has the guards and limits of serve', async () => {
    const handler = createHandler({
      allowHosts: ['desk.example.com'],
      allowOrigins: ['https://app.example.com'],
      limits: { bodyBytes: 200 },
    });
    expect((await send(handler)).status).toBe(200);
    expect((await send(handler, { authorization: 'Bearer wrong' })).status).toBe(401);
    expect((await send(handler, { host: 'evil.example' })).status).toBe(403);
    expect((await send(handler, { host: 'desk.example.com' })).status).toBe(200);
    expect((await send(handler, { origin: 'https://evil.example' })).status).toBe(403);
    expect((await send(handler, { 'content-type': 'text/plain' })).status).toBe(415);
    const allowed = await send(handler, { origin: 'https://app.example.com' });
    expect(allowed.headers.get('access-control-allow-origin')).toBe('https://app.example.com');
    expect((await send(handler, {}, 'x'.repeat(201))).status).toBe(413);
  });

  test('says in the log that a body parser comes before it', async () => {
    const lines: string[] = [];
    const log = createLog({ level: 'error', write: (line) => lines.push(line) });
    const request = new Request('http://localhost/tools/mcp', {
      method: 'POST',
      headers: { host: 'localhost', authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(INITIALIZE),
    });
    await request.json();
    expect((await createHandler({ log }).fetch(request)).status).toBe(500);
    expect(lines.join('')).toContain('Mount MCP before body parsers.');
  });

  test('has the sessions of serve: another process with the same token continues them', async () => {
    const started = await send(createHandler());
    const id = started.headers.get('mcp-session-id') ?? '';
    const ping = { jsonrpc: '2.0', id: 2, method: 'ping' };
    expect((await send(createHandler(), { 'mcp-session-id': id }, ping)).status).toBe(200);
    expect(
      (await send(createHandler({ secret: 'another secret' }), { 'mcp-session-id': id }, ping)).status,
    ).toBe(404);
  });

  const CALL = { ...INITIALIZE, method: 'tools/call', params: { name: 'whoami', arguments: {} } };
  const MODERN_META = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const MODERN_CALL = { ...CALL, params: { ...CALL.params, _meta: MODERN_META } };
  const MODERN_HEADERS = {
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': 'tools/call',
    'mcp-name': 'whoami',
  };

  test.each([
    ['instructions', 'initialize', INITIALIZE, {}],
    ['instructions', 'a modern call', MODERN_CALL, MODERN_HEADERS],
    ['instructions', 'a call without session', CALL, {}],
    ['listTools', 'a modern call', MODERN_CALL, MODERN_HEADERS],
    ['toolScopes', 'a call', CALL, {}],
  ])('logs once that %s throws, and answers as serve: %s', async (member, sent, body, headers) => {
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
  });
});
