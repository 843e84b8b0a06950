import { expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { defineServer } from '../../definition/server.ts';
import { toolDefiner } from '../../definition/tool.ts';
import { silentLog } from '../../log.ts';
import { described } from '../../testing/described.ts';
import { callPost } from '../../testing/wire.ts';
import { httpHandler } from './handler.ts';

const region = toolDefiner<null>()({
  ...described('region'),
  input: z.object({ place: z.string().meta({ 'x-mcp-header': 'Region' }).optional() }),
  run: (args) => args.place ?? 'none',
});
const plain = toolDefiner<null>()({
  ...described('plain'),
  input: z.object({ place: z.string() }),
  run: (args) => args.place,
});
const definition = defineServer({ name: 'headers', version: '1.0.0', deps: null, tools: [region, plain] });

async function call(name: string, args: object, header?: string) {
  const handler = httpHandler(definition, { auth: async () => ({ user: 'ada' }), log: silentLog });
  onTestFinished(() => handler.close());
  const headers = { host: 'localhost', ...(header === undefined ? {} : { 'mcp-param-region': header }) };
  const response = await handler.fetch(
    new Request('http://localhost/mcp', callPost('modern', name, args, headers)),
  );
  return { status: response.status, text: await response.text() };
}

test.each([
  ['the same value', 'region', { place: 'us' }, 'us'],
  ['the same value in Base64', 'region', { place: 'Düsseldorf' }, '=?base64?RMO8c3NlbGRvcmY=?='],
  ['no argument and no header', 'region', {}, undefined],
  ['an argument that is not declared as a header', 'plain', { place: 'us' }, undefined],
])('a call with %s is answered', async (_, name, args, header) => {
  const { status, text } = await call(name, args, header);
  expect(status).toBe(200);
  expect(text).toContain('"content"');
});

test.each([
  ['another value', 'eu'],
  ['no header', undefined],
  ['an invalid Base64 value', '=?base64?dXM?='],
])('a call with %s is rejected as a mismatch of its headers', async (_, header) => {
  const { status, text } = await call('region', { place: 'us' }, header);
  expect(status).toBe(400);
  expect(JSON.parse(text)).toMatchObject({ id: 1, error: { code: -32_020 } });
});
