import { readOptions } from '@deskside/core/program';
import {
  connectInProcess,
  describeOptions,
  describeServer,
  firstText,
  LEGS,
  temporaryFolder,
} from '@deskside/testkit';
import { describe, expect, test } from 'vitest';
import { todoOptions } from './options.ts';
import { todoServer } from './server.ts';
import { StoreUnavailable } from './store/task-store.ts';
import { answersOf, expectedAnswers } from './testing/contract-answers.ts';
import { connectTodo } from './testing/connect-todo.ts';
import { contractRows } from './testing/contract-rows.ts';
import { openTodo } from './todo.ts';

const MODERN = { era: 'modern', over: 'stdio' } as const;
const me = { user_id: 'me' };

describeOptions({ options: todoOptions, open: openTodo, definition: todoServer });

describeServer({
  name: 'todo',
  open: async () => {
    const todo = openTodo({ database: ':memory:' });
    return { definition: todoServer(todo), [Symbol.asyncDispose]: () => todo[Symbol.asyncDispose]() };
  },
  toolsJson: '../tools.json',
  // The present tools, and one more of their size.
  tokenBudget: 2800,
  samples: [
    {
      tool: 'add_task',
      args: { ...me, title: 'Milk' },
      survives: ['"task_id"', '"created"', 'Milk'],
    },
    {
      tool: 'list_tasks',
      args: { ...me, limit: 1 },
      before: ['Eggs', 'Ham'].map((title) => ({ tool: 'add_task', args: { ...me, title } })),
      survives: ['"title":"Ham"', '2 more tasks follow', 'after_id 3'],
    },
  ],
});

describe('todo contract in process', () => {
  test.each(contractRows)('contract: $says', async (row) => {
    expect(await answersOf(await connectTodo(MODERN), row)).toStrictEqual(expectedAnswers(row));
  });
});

describe.each(LEGS)('todo in the $era era over $over', (leg) => {
  const fiveRows = contractRows.filter((_, index) => index % Math.ceil(contractRows.length / 5) === 0);

  test.each(fiveRows)('keeps the contract in both editions: $says', async (row) => {
    for (const tools of ['core', 'all'] as const)
      expect(await answersOf(await connectTodo(leg, { tools }), row)).toStrictEqual(expectedAnswers(row));
  });

  test('list_tasks says how many tasks follow a page, and how to get them', async () => {
    const peer = await connectTodo(leg);
    for (const title of ['a', 'b', 'c']) await peer.callTool('add_task', { ...me, title });
    const page = await peer.callTool('list_tasks', { ...me, limit: 1 });
    expect(page._meta).toMatchObject({ 'deskside/remaining': 2, 'deskside/after_id': 3 });
    expect(page.content[1]).toStrictEqual({
      type: 'text',
      text: '2 more tasks follow. Call list_tasks again with after_id 3 to go on.',
    });
    const { content } = await peer.callTool('list_tasks', { ...me, limit: 2 });
    expect(content[1]).toMatchObject({ text: expect.stringMatching(/^1 more task follows\. /) });
    const lastPage = await peer.callTool('list_tasks', { ...me, limit: 3 });
    expect(lastPage.content).toHaveLength(1);
  });

  test('"User not found" is followed by the id of the caller, and by the options for other users', async () => {
    const peer = await connectTodo(leg);
    const { content } = await peer.callTool('list_tasks', { user_id: 'user123' });
    expect(content).toMatchObject([
      { text: '{"error":"User not found"}' },
      {
        text: 'You act for the user "owner": pass user_id "me" or "owner". For another user, the person sets --user (TODO_USER_ID) to that id, or names it in --delegated-users (TODO_DELEGATED_USERS).',
      },
    ]);
  });
});

test('only the configured user may act for a delegated user', async () => {
  const backend = await connectTodo(MODERN, { delegatedUsers: ['user123'] });
  const answer = await backend.callTool('add_task', { user_id: 'user123', title: 'Milk' });
  expect(firstText(answer)).toBe('{"task_id":1,"status":"created","title":"Milk"}');
  expect(firstText(await backend.callTool('list_tasks', me))).toBe('[]');
  expect(firstText(await backend.callTool('list_tasks', { user_id: 'user124' }))).toBe(
    '{"error":"User not found"}',
  );
  const other = await connectTodo(MODERN, { user: 'other', delegatedUsers: ['user123'] });
  expect(firstText(await other.callTool('list_tasks', { user_id: 'user123' }))).toBe(
    '{"error":"User not found"}',
  );
});

test('every change leaves one audit row without task texts, and every other call is counted', async () => {
  await using todo = openTodo({ database: ':memory:' });
  await using peer = await connectInProcess(todoServer(todo), MODERN);
  for (const [tool, args] of [
    ['add_task', { title: 'zebra', description: 'zebra' }],
    ['update_task', { task_id: 1, description: 'zebra' }],
    ['add_task', { title: 'x'.repeat(201) }],
    ['add_task', { title: 'x', after: [9] }],
    ['add_task', { title: 'x', user_id: 'ben' }],
    ['list_tasks', { limit: 0 }],
    ['list_tasks', {}],
    ['list_tasks', { status: 'pending' }],
    ['update_task', { task_id: 1 }],
    ['complete_task', { task_id: 9 }],
    ['delete_task', { task_id: 'zebra' }],
  ] as const) {
    await peer.callTool(tool, { ...me, ...args });
  }
  const owner = { actor: 'owner', user: 'owner', tool: 'audit' };
  const { changes, counts } = await (await todo.store()).readAudit(owner, 9);
  expect(changes.map(({ tool, outcome, taskId, changed }) => [tool, outcome, taskId, changed])).toStrictEqual(
    [
      ['update_task', 'ok', 1, 'description'],
      ['add_task', 'ok', 1, null],
    ],
  );
  expect(JSON.stringify([changes, counts])).not.toContain('zebra');
  expect(counts.map(({ tool, outcome, calls }) => [tool, outcome, calls])).toStrictEqual([
    ['add_task', 'invalid', 2],
    ['add_task', 'user_not_found', 1],
    ['complete_task', 'task_not_found', 1],
    ['delete_task', 'task_not_found', 1],
    ['list_tasks', 'invalid', 1],
    ['list_tasks', 'ok', 2],
    ['update_task', 'no_updates', 1],
  ]);
});

test('lengths are checked before the database is opened, and the answer of one that cannot be used names no path', async () => {
  // A folder is not a database.
  const database = temporaryFolder();
  const peer = await connectTodo(MODERN, { database });
  const add = async (args: object) =>
    firstText(await peer.callTool('add_task', { ...me, title: 'Milk', ...args }));
  expect(await add({ title: 'x'.repeat(201) })).toBe('{"error":"Title exceeds 200 characters"}');
  expect(await add({ description: 'x'.repeat(1001) })).toBe(
    '{"error":"Description exceeds 1000 characters"}',
  );
  expect(await add({})).toContain('UNAVAILABLE');
  expect(await add({})).not.toContain(database);
});

test('a disposed todo rejects calls, whether it was used before or not', async () => {
  for (const isUsed of [true, false]) {
    const todo = openTodo({ database: ':memory:' });
    if (isUsed) await todo.store();
    await todo[Symbol.asyncDispose]();
    await todo[Symbol.asyncDispose]();
    await expect(todo.store()).rejects.toThrow(StoreUnavailable);
  }
});

test.each([
  [{}, { TODO_MIGRATION_URL: '/srv/todo' }, 'TODO_MIGRATION_URL: use a URL like postgres://'],
  [{ database: '' }, {}, '--database: use the path of a file. See --help.'],
  [{ user: '' }, {}, '--user: use an id such as owner. See --help.'],
])('todo options %j %j are rejected with the reason', (flags, env, message) => {
  const read = () => readOptions(todoOptions, { flags, env });
  expect(read).toThrow(message);
  expect(read).not.toThrow('secret');
});

test('without a home folder people read what to set', async () => {
  await expect(openTodo({ database: '' }).store()).rejects.toMatchObject({
    reason: expect.stringContaining('TODO_DATABASE_URL'),
  });
});
