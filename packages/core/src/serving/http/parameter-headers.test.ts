import { expect, test } from 'vitest';
import { z } from 'zod';
import { defineServer } from '../../definition/server.ts';
import { toolDefiner } from '../../definition/tool.ts';
import { silentLog } from '../../log.ts';
import { httpHandler } from './handler.ts';
import { described } from '../../testing/described.ts';

const place = z.string().meta({ 'x-mcp-header': 'Region' });
const region = toolDefiner<null>()({
  ...described('region'),
  input: z.object({ place: place.optional() }),
  run: (args) => args.place ?? 'none',
});
const plain = toolDefiner<null>()({
  ...described('plain'),
  input: z.object({ place: z.string() }),
  run: (args) => args.place,
});
const definition = defineServer({ name: 'headers', version: '1.0.0', deps: null, tools: [region, plain] });

async function call(name: string, args: object, headers: Record<string, string> = {}) {
  const handler = httpHandler(definition, { auth: async () => ({ user: 'ada' }), log: silentLog });
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args, _meta } };
  const response = await handler.fetch(
    new Request('http://localhost/mcp', {
      method: 'POST',
      headers: {
        host: 'localhost',
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': 'tools/call',
        'mcp-name': name,
        ...headers,
      },
      body: JSON.stringify(body),
    }),
  );
  const text = await response.text();
  await handler.close();
  return { status: response.status, text };
}

test.each([
  ['the same value', { place: 'us' }, { 'mcp-param-region': 'us' }],
  [
    'the same value in Base64',
    { place: 'Düsseldorf' },
    { 'mcp-param-region': '=?base64?RMO8c3NlbGRvcmY=?=' },
  ],
  ['no argument and no header', {}, {}],
])('a call with %s in argument and header is answered', async (_, args, headers: Record<string, string>) => {
  const { status, text } = await call('region', args, headers);
  expect(status).toBe(200);
  expect(text).toContain('"content"');
});

test.each([
  ['another value', { 'mcp-param-region': 'eu' }],
  ['no header', {}],
  ['an invalid Base64 value', { 'mcp-param-region': '=?base64?dXM?=' }],
])('a call with %s is rejected as a mismatch of its headers', async (_, headers: Record<string, string>) => {
  const { status, text } = await call('region', { place: 'us' }, headers);
  expect(status).toBe(400);
  expect(JSON.parse(text)).toMatchObject({ id: 1, error: { code: -32_020 } });
});

test('a tool that declares no header is called without one', async () => {
  expect((await call('plain', { place: 'us' })).status).toBe(200);
});
