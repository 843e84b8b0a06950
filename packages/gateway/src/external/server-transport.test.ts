import { setImmediate } from 'node:timers/promises';
import type { JSONRPCMessage } from '@modelcontextprotocol/client';
import { expect, test } from 'vitest';
import { ScriptedStart } from '../testing/scripted.ts';

const nested = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels);

/** What a client gets of what a server prints, with requests 1 and 2 of a method under way. */
async function read(method: string, ...lines: readonly string[]) {
  const transport = new ScriptedStart(() => undefined);
  const messages: JSONRPCMessage[] = [];
  const problems: string[] = [];
  transport.onmessage = (message) => messages.push(message);
  transport.onerror = ({ message }) => problems.push(message);
  await transport.start();
  for (const id of [1, 2]) await transport.send({ jsonrpc: '2.0', id, method, params: {} });
  for (const line of lines) transport.print(line);
  await setImmediate();
  return { messages, problems };
}

test('an answer of too many levels becomes an error of its call, and other such messages are ignored', async () => {
  const { messages } = await read(
    'tools/call',
    `{"jsonrpc":"2.0","method":"x","params":{"deep":${nested(1000)}}}`,
    `{"jsonrpc":"2.0","id":1,"result":{"deep":${nested(1000)}}}`,
    `{"jsonrpc":"2.0","id":2,"result":{"deep":${nested(998)}}}`,
  );
  expect(messages).toMatchObject([
    { id: 1, error: { message: 'The answer has more than 1000 levels.' } },
    { id: 2, result: {} },
  ]);
});

test('an answer of very many levels with a number that JavaScript cannot hold is such an error, too', async () => {
  const result = `{"n":12345678901234567890,"deep":${nested(20_000)}}`;
  const { messages } = await read('tools/call', `{"jsonrpc":"2.0","id":1,"result":${result}}`);
  expect(messages).toMatchObject([{ id: 1, error: { message: 'The answer has more than 1000 levels.' } }]);
});

test('a request of a caller has an id of its own, progress before its answer, and the answer as it came', async () => {
  const transport = new ScriptedStart(() => undefined);
  const seen: unknown[] = [];
  const { signal } = new AbortController();
  const onProgress = (progress: unknown) => seen.push(progress);
  const answer = transport.request('tools/call', { name: 'a' }, { signal, onProgress });
  const { id = 0 } = transport.received[0] ?? {};
  expect(id).toBeGreaterThan(2 ** 30);
  for (const progress of [1, 'many']) {
    transport.say({ method: 'notifications/progress', params: { progressToken: id, progress } });
  }
  const result = { zeta: 1, content: [], own: null };
  transport.say({ id, result });
  expect(await answer).toStrictEqual(result);
  expect(seen).toStrictEqual([{ progress: 1, total: undefined, message: undefined }]);
});

test('an answer is handed on once, and only to a request that waits', async () => {
  const answer = '{"jsonrpc":"2.0","id":1,"result":{"content":[]}}';
  const { messages, problems } = await read('tools/call', answer, answer, answer.replace('1', '7'));
  expect(messages).toStrictEqual([{ jsonrpc: '2.0', id: 1, result: { content: [] } }]);
  expect(problems).toHaveLength(2);
});

test('values of others keep their nulls, and unknown members stay', async () => {
  const result = {
    zeta: null,
    content: [{ type: 'text', text: 'a', own: null, _meta: { x: null } }],
    structuredContent: { title: null, list: [], annotations: [] },
    _meta: { y: null },
  };
  const { messages } = await read('tools/call', JSON.stringify({ jsonrpc: '2.0', id: 1, result }));
  expect(messages).toStrictEqual([{ jsonrpc: '2.0', id: 1, result }]);
});

test('structured content that is null is a value in the modern era', async () => {
  const result = { resultType: 'complete', content: [], structuredContent: null };
  const { messages } = await read('tools/call', JSON.stringify({ jsonrpc: '2.0', id: 1, result }));
  expect(messages).toMatchObject([{ id: 1, result }]);
});

test('lists that are null are empty, and schemas keep the nulls of their values', async () => {
  const property = { anyOf: [{ type: 'null' }], default: null, enum: [null] };
  const tool = {
    name: 'a',
    description: null,
    inputSchema: { type: 'object', required: null, properties: { a: property } },
  };
  const lines = [
    JSON.stringify({ jsonrpc: '2.0', id: 1, result: { tools: null } }),
    JSON.stringify({ jsonrpc: '2.0', id: 2, result: { tools: [tool] } }),
  ];
  const { messages } = await read('tools/list', ...lines);
  const inputSchema = { type: 'object', properties: { a: property } };
  expect(messages).toMatchObject([
    { result: { tools: [] } },
    { result: { tools: [{ name: 'a', inputSchema }] } },
  ]);
});
