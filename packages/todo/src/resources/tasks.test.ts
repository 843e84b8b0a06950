import { join } from 'node:path';
import { connectInProcess, LEGS, type Peer, temporaryFolder } from '@deskside/testkit';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { todoServer } from '../server.ts';
import { connectTodo } from '../testing/connect-todo.ts';
import { openTodo } from '../todo.ts';

const me = { user_id: 'me' };

async function addTasks(peer: Peer): Promise<void> {
  for (const [title, due_date] of [
    ['Call mom', '2025-12-20'],
    ['Pay rent', '2025-12-01'],
    ['Buy gifts', '2025-12-24'],
    ['Milk'],
    ['done', '2025-12-01'],
  ]) {
    await peer.callTool('add_task', { ...me, title, due_date });
  }
  await peer.callTool('complete_task', { ...me, task_id: 5 });
}

async function read(peer: Peer, uri: string): Promise<unknown> {
  const { contents } = await peer.readResource(uri);
  const [content] = contents;
  return content !== undefined && 'text' in content ? JSON.parse(content.text) : undefined;
}

describe.each(LEGS)('resources and prompt of todo in the $era era over $over', (leg) => {
  test('todo://tasks/today has the pending tasks that are due, the longest due first', async () => {
    const peer = await connectTodo(leg);
    await addTasks(peer);
    expect(await read(peer, 'todo://tasks/today')).toMatchObject({
      date: '2025-12-20',
      tasks: [
        { id: 2, title: 'Pay rent', due_date: '2025-12-01' },
        { id: 1, title: 'Call mom', due_date: '2025-12-20' },
      ],
      remaining: 0,
    });
  });

  test('todo://tasks/{id} is one task, and its ids are completed by number and by words', async () => {
    const peer = await connectTodo(leg);
    await addTasks(peer);
    expect(await read(peer, 'todo://tasks/3')).toMatchObject({ id: 3, title: 'Buy gifts' });
    expect(await read(peer, 'todo://tasks/4')).not.toHaveProperty('due_date');
    for (const id of ['9', '0', '01', 'x', '99999999999999999999']) {
      await expect(read(peer, `todo://tasks/${id}`), id).rejects.toThrow(/not found/i);
    }
    const complete = async (value: string) => {
      const ref = { type: 'ref/resource', uri: 'todo://tasks/{id}' } as const;
      const params = { ref, argument: { name: 'id', value } };
      return (await peer.client.complete(params)).completion.values;
    };
    expect(await complete('')).toStrictEqual(['5', '4', '3', '2', '1']);
    expect(await complete('3')).toStrictEqual(['3']);
    expect(await complete('gift')).toStrictEqual(['3']);
    expect(await complete('!')).toStrictEqual([]);
  });

  test('plan_my_day shows the due and the other open tasks', async () => {
    const peer = await connectTodo(leg);
    await addTasks(peer);
    const { messages } = await peer.getPrompt('plan_my_day');
    const text = JSON.stringify(messages);
    expect(text).toContain('Today is 2025-12-20');
    expect(text).toMatch(/Due today.*Pay rent.*Call mom.*Other open tasks.*Milk.*Buy gifts/);
    expect(text).not.toContain('done');
  });
});

test('many due tasks with long texts fit into 60 kB, and the rest is counted', async () => {
  const peer = await connectTodo();
  const title = '\u{1F4A7}'.repeat(200);
  for (let id = 1; id <= 70; id += 1) {
    await peer.callTool('add_task', {
      ...me,
      title,
      description: '\u{1F4A7}'.repeat(1000),
      due_date: '2025-12-01',
    });
  }
  const { contents } = await peer.readResource('todo://tasks/today');
  const [content] = contents;
  const text = content !== undefined && 'text' in content ? content.text : '';
  expect(Buffer.byteLength(text)).toBeLessThanOrEqual(60_000);
  const { tasks, remaining } = JSON.parse(text);
  expect(tasks[0]).toMatchObject({ id: 1, title });
  expect([tasks.length > 5, tasks.length + remaining]).toStrictEqual([true, 70]);
  const { messages } = await peer.getPrompt('plan_my_day');
  expect(Buffer.byteLength(JSON.stringify(messages))).toBeLessThanOrEqual(60_000);
  const [, due = '', hidden] =
    /Due today or earlier:(.*?)(\d+) more are due\./.exec(JSON.stringify(messages)) ?? [];
  expect(due.split('(task ').length - 1 + Number(hidden)).toBe(70);
});

test('of more tasks than a page has, the longest due comes first, and an id is completed by its digits', async () => {
  const peer = await connectTodo();
  await peer.callTool('add_task', { ...me, title: 'Oldest', due_date: '2020-01-01' });
  const add = () => peer.callTool('add_task', { ...me, title: 'Milk', due_date: '2025-12-01' });
  await Promise.all(Array.from({ length: 500 }, add));
  const { tasks, remaining } = (await read(peer, 'todo://tasks/today')) as {
    tasks: object[];
    remaining: number;
  };
  expect(tasks[0]).toMatchObject({ title: 'Oldest' });
  expect(tasks.length + remaining).toBe(501);
  const ref = { type: 'ref/resource', uri: 'todo://tasks/{id}' } as const;
  const { completion } = await peer.client.complete({ ref, argument: { name: 'id', value: '12' } });
  const tens = Array.from({ length: 10 }, (_, index) => String(129 - index));
  expect(completion.values).toStrictEqual(['12', ...tens]);
});

test('a change is announced to the clients of its user that subscribe to the task or to today, and to no others', async () => {
  const todo = openTodo({ database: ':memory:', delegatedUsers: ['anna'] });
  onTestFinished(() => todo[Symbol.asyncDispose]());
  const connect = (user: string) => connectInProcess(todoServer(todo), { ...LEGS[2], user });
  const [peer, other] = [await connect('owner'), await connect('anna')];
  for (const each of [peer, other]) onTestFinished(() => each[Symbol.asyncDispose]());
  await addTasks(peer);
  const [updates, ofOther] = [await updatesOf(peer), await updatesOf(other)];
  await peer.callTool('complete_task', { user_id: 'anna', task_id: 1 });
  await peer.callTool('add_task', { user_id: 'anna', title: 'of anna' });
  await peer.callTool('delete_task', { user_id: 'anna', task_id: 1 });
  await peer.callTool('update_task', { ...me, task_id: 9, title: 'missing' });
  await peer.callTool('update_task', { ...me, task_id: 1, title: 'Call dad' });
  await peer.callTool('add_task', { ...me, title: 'Gifts', due_date: '2025-12-20' });
  const expected = ['todo://tasks/1', 'todo://tasks/today', 'todo://tasks/today'];
  await expect.poll(() => updates).toStrictEqual(expected);
  // On one stream an update would come before this answer.
  await other.callTool('list_tasks', me);
  expect(ofOther).toStrictEqual([]);
});

/** What a client that subscribes to a task and to today hears. */
async function updatesOf({ client }: Peer): Promise<readonly string[]> {
  if (!('listen' in client)) throw new Error('This needs the modern client.');
  const updates: string[] = [];
  client.setNotificationHandler(
    'notifications/resources/updated',
    ({ params }) => void updates.push(params.uri),
  );
  await client.listen({ resourceSubscriptions: ['todo://tasks/1', 'todo://tasks/today'] });
  return updates;
}

test('two clients that subscribe learn of a change of another process once, and nothing is read when both have ended', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  const database = join(temporaryFolder(), 'todo.sqlite');
  const other = await connectTodo(LEGS[2], { database });
  await addTasks(other);
  const todo = openTodo({ database });
  onTestFinished(() => todo[Symbol.asyncDispose]());
  await (await todo.store()).prepare();
  const updates: string[] = [];
  todo.changes.subscribe((change) => void (change.kind === 'resource_updated' && updates.push(change.uri)));
  // The first one is not of the user of the server: it starts nothing.
  const [, ...ends] = ['anna', 'owner', 'owner'].map((user) => todo.watch(user));
  await (await todo.store()).prepare();
  const change = async (tool: string) => {
    await other.callTool(tool, { ...me, task_id: 1 });
    vi.advanceTimersByTime(250);
    await (await todo.store()).prepare();
  };
  await change('complete_task');
  await expect.poll(() => updates).toStrictEqual(['todo://tasks/1', 'todo://tasks/today']);
  ends[0]?.();
  await change('reopen_task');
  await expect.poll(() => updates).toHaveLength(4);
  ends[1]?.();
  await change('complete_task');
  expect(updates).toHaveLength(4);
});
