import { connectInProcess, firstText, temporaryFolder } from '@deskside/testkit';
import { expect, test } from 'vitest';
import { todoServer } from '../server.ts';
import { openTodo } from '../todo.ts';

test('lengths are checked before the database is opened', async () => {
  // A folder is not a database.
  await using todo = openTodo({ database: temporaryFolder() });
  await using peer = await connectInProcess(todoServer(todo), { era: 'modern', over: 'stdio' });
  const add = async (args: object) =>
    firstText(await peer.callTool('add_task', { user_id: 'me', title: 'Milk', ...args }));
  expect(await add({ title: 'x'.repeat(201) })).toBe('{"error":"Title exceeds 200 characters"}');
  expect(await add({ description: 'x'.repeat(1001) })).toBe(
    '{"error":"Description exceeds 1000 characters"}',
  );
  expect(await add({})).toContain('UNAVAILABLE');
});
