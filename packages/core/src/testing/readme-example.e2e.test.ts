import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, test } from 'vitest';

const MESSAGES = [
  {
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
  },
  { id: 2, method: 'tools/call', params: { name: 'take', arguments: { item: 'cup', pieces: 2 } } },
  { id: 3, method: 'tools/call', params: { name: 'take', arguments: { item: 'cup', pieces: 11 } } },
];

test('the example in the README runs as a server', async () => {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'readme-example.ts')], {
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  for (const message of MESSAGES) child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  child.stdin.end();
  const answers = new Map<number, string>();
  for await (const line of createInterface({ input: child.stdout })) answers.set(JSON.parse(line).id, line);
  expect(answers.get(1)).toContain('"name":"stock"');
  expect(answers.get(2)).toContain('"structuredContent":{"item":"cup","left":10}');
  expect(answers.get(3)).toContain('Not enough of cup');
});
