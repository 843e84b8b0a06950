import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, expect, test } from 'vitest';
import { z } from 'zod';

const running: { kill: () => boolean }[] = [];
afterEach(() => {
  for (const child of running.splice(0)) child.kill();
});

test('the demo streams the results of the real server as AG-UI events', async () => {
  const demo = join(import.meta.dirname, '../demo/main.ts');
  const child = spawn(process.execPath, [demo, '--port', '0', '--no-open'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  running.push(child);
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const url = /http:\S+/.exec(String((await lines.next()).value))?.[0] ?? '';
  const response = await fetch(`${url}answer`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ message: 'Deploy the workflow' }),
  });
  const events = (await response.text()).trim().split('\n\n');
  const types = events.map((event) => z.object({ type: z.string() }).parse(JSON.parse(event.slice(6))).type);
  expect(types).toEqual([
    'RUN_STARTED',
    'TEXT_MESSAGE_START',
    'TEXT_MESSAGE_CONTENT',
    'TEXT_MESSAGE_END',
    'TOOL_CALL_START',
    'TOOL_CALL_ARGS',
    'TOOL_CALL_END',
    'TOOL_CALL_RESULT',
    'RUN_FINISHED',
  ]);
  expect(events[7]).toContain('Workflow deployed successfully to production!');
  expect(await (await fetch(url)).text()).toContain('<deskside-toaster>');
});
