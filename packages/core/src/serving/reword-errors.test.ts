import { PassThrough } from 'node:stream';
import { createInterface } from 'node:readline';
import { afterEach, describe, expect, test } from 'vitest';
import type { Era } from '../definition/context.ts';
import { silentLog } from '../log/log.ts';
import { serve } from '../run/serve.ts';
import { echoServer } from '../testing/echo-server.ts';
import type { Serving } from './serving.ts';

const opened: Serving[] = [];
afterEach(async () => {
  await Promise.all(opened.splice(0).map((serving) => serving.close()));
});

type Ask = (method: string, params?: Record<string, unknown>) => Promise<unknown>;

const common = { ownsProcess: false, log: silentLog };
const clientInfo = { name: 'test', version: '1' };
const HELLO = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo };
const ENVELOPE = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
};

function request(era: Era, method: string, params?: Record<string, unknown>) {
  const full = era === 'modern' ? { ...params, _meta: ENVELOPE } : params;
  return { jsonrpc: '2.0', id: 1, method, ...(full === undefined ? {} : { params: full }) };
}

async function overStdio(era: Era): Promise<Ask> {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const lines = createInterface({ input: output })[Symbol.asyncIterator]();
  opened.push(await serve(echoServer(), { ...common, streams: { input, output } }));
  const ask: Ask = async (method, params) => {
    input.write(`${JSON.stringify(request(era, method, params))}\n`);
    return JSON.parse((await lines.next()).value ?? 'null');
  };
  if (era === 'legacy') await ask('initialize', HELLO);
  return ask;
}

async function overHttp(era: Era, stateless: boolean): Promise<Ask> {
  const serving = await serve(echoServer(), { ...common, http: { port: 0, stateless, auth: 'none' } });
  opened.push(serving);
  const session: Record<string, string> = {};
  const ask: Ask = async (method, params) => {
    const headers = {
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
      ...(era === 'modern' ? modernHeaders(method, params) : session),
    };
    const body = JSON.stringify(request(era, method, params));
    const response = await fetch(serving.url ?? '', { method: 'POST', headers, body });
    const id = response.headers.get('mcp-session-id');
    if (id !== null) session['Mcp-Session-Id'] = id;
    const [answer = ''] = /\{.*\}/.exec(await response.text()) ?? [];
    return JSON.parse(answer);
  };
  if (era === 'legacy' && !stateless) await ask('initialize', HELLO);
  return ask;
}

function modernHeaders(method: string, params: Record<string, unknown> = {}): Record<string, string> {
  const name = params['name'] ?? params['uri'];
  return {
    'MCP-Protocol-Version': '2026-07-28',
    'Mcp-Method': method,
    ...(typeof name === 'string' ? { 'Mcp-Name': name } : {}),
  };
}

describe.each([
  { leg: 'legacy over stdio', era: 'legacy', connect: () => overStdio('legacy') },
  { leg: 'modern over stdio', era: 'modern', connect: () => overStdio('modern') },
  { leg: 'legacy over HTTP', era: 'legacy', connect: () => overHttp('legacy', false) },
  { leg: 'legacy over stateless HTTP', era: 'legacy', connect: () => overHttp('legacy', true) },
  { leg: 'modern over HTTP', era: 'modern', connect: () => overHttp('modern', false) },
])('$leg', ({ era, connect }) => {
  test.each([null, [], 'x', 7])('arguments of %j are answered in a sentence', async (args) => {
    const ask = await connect();
    expect(await ask('tools/call', { name: 'echo', arguments: args })).toMatchObject({
      error: { code: -32_602, message: 'Invalid params: "arguments" must be an object.' },
    });
  });

  test('what does not fit is no internal error', async () => {
    const ask = await connect();
    expect(await ask('tools/list', { cursor: 7 })).toMatchObject({
      error: { code: -32_602, message: 'Invalid params: "cursor" must be a string.' },
    });
  });

  test('a resource that is not there has the code of its era', async () => {
    const ask = await connect();
    const code = era === 'legacy' ? -32_002 : -32_602;
    expect(await ask('resources/read', { uri: 'echo://none' })).toMatchObject({
      error: { code, message: 'Resource not found: echo://none', data: { uri: 'echo://none' } },
    });
    expect(await ask('tools/call', { name: 'none' })).toMatchObject({
      error: { code: -32_602, message: 'Unknown tool: none' },
    });
  });
});
