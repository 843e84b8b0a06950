import { join } from 'node:path';
import { startProgram } from '@deskside/testkit';
import { expect, test } from 'vitest';

test('the demo streams the results of the real server as AG-UI events', async () => {
  const args = [join(import.meta.dirname, '../demo/main.ts'), '--port', '0', '--no-open'];
  await using demo = startProgram({ command: process.execPath, args });
  const [url] = await demo.printed(/http:\S+/);
  const response = await fetch(`${url}answer`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ message: 'Deploy the workflow' }),
  });
  const events = (await response.text()).trim().split('\n\n');
  const types = events.map((event) => (JSON.parse(event.slice(6)) as { readonly type: string }).type);
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
