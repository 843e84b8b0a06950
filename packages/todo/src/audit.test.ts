import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { connectInProcess, temporaryFolder } from '@deskside/testkit';
import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import { todoServer } from './server.ts';
import { openTodo } from './todo.ts';

const SECRET = 'zebra';

test('every call leaves one row, refused ones too, and no text of a task', async () => {
  const file = join(temporaryFolder(), 'todo.sqlite');
  {
    await using todo = openTodo({ database: file });
    await using peer = await connectInProcess(todoServer(todo), { era: 'modern', over: 'stdio' });
    const me = { user_id: 'me' };
    await peer.callTool('add_task', { ...me, title: SECRET, description: SECRET });
    await peer.callTool('add_task', { ...me, title: `${SECRET} `.repeat(50) });
    await peer.callTool('add_task', { user_id: 'ben', title: SECRET });
    await peer.callTool('list_tasks', { ...me, limit: 0 });
    await peer.callTool('update_task', { ...me, task_id: 1 });
    await peer.callTool('update_task', { ...me, task_id: 1, description: SECRET });
    await peer.callTool('complete_task', { ...me, task_id: 9 });
    await peer.callTool('delete_task', { ...me, task_id: SECRET });
  }
  const database = new Database(file, { readonly: true });
  const rows = database
    .prepare('SELECT actor, user, tool, outcome, task_id, changed FROM audit ORDER BY id')
    .raw()
    .all();
  database.close();
  expect(rows).toStrictEqual([
    ['owner', 'owner', 'add_task', 'ok', 1, null],
    ['owner', 'owner', 'add_task', 'invalid', null, null],
    ['owner', 'ben', 'add_task', 'user_not_found', null, null],
    ['owner', 'owner', 'list_tasks', 'invalid', null, null],
    ['owner', 'owner', 'update_task', 'no_updates', null, null],
    ['owner', 'owner', 'update_task', 'ok', 1, 'description'],
    ['owner', 'owner', 'complete_task', 'task_not_found', 9, null],
    ['owner', 'owner', 'delete_task', 'task_not_found', null, null],
  ]);
  expect(readFileSync(file).includes(SECRET)).toBe(true);
  expect(JSON.stringify(rows)).not.toContain(SECRET);
});
