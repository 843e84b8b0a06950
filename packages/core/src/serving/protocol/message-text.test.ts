import { expect, test } from 'vitest';
import { messageText } from './message-text.ts';

/** Counts how often it becomes JSON. */
function countedTool(name: string) {
  const tool = { name, written: 0, toJSON: () => ({ name, written: (tool.written += 1) }) };
  return tool;
}

test('the text of a list of tools is written once, and each answer has its own id and fields', () => {
  const tools = [countedTool('a'), countedTool('b')];
  const listed = tools.map(({ name }) => ({ name, written: 1 }));
  const answers = [
    { jsonrpc: '2.0' as const, id: 1, result: { tools } },
    { jsonrpc: '2.0' as const, id: '"2"', result: { ttlMs: 5, tools, _meta: { 'x/y': '\u2028' } } },
  ];
  for (const answer of answers) {
    const expected = { ...answer, result: { ...answer.result, tools: listed } };
    expect(JSON.parse(String(messageText(answer)))).toStrictEqual(expected);
  }
});
