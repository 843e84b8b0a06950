import { connectInProcess, firstText, LEGS, type Peer } from '@deskside/testkit';
import { describe, expect, onTestFinished, test } from 'vitest';
import { todoServer } from '../server.ts';
import { connectTodo } from '../testing/connect-todo.ts';
import { answersOf, expectedAnswers } from '../testing/contract-answers.ts';
import { openTodo } from '../todo.ts';

const CONTRACT_TOOLS = ['add_task', 'list_tasks', 'complete_task', 'delete_task', 'update_task'];
const me = { user_id: 'me' };

/** The answer of a tool as JSON. */
async function ask(peer: Peer, tool: string, args: Record<string, unknown> = {}): Promise<unknown> {
  return JSON.parse(firstText(await peer.callTool(tool, { ...me, ...args })));
}

describe.each(LEGS)('todo beyond the contract in the $era era over $over', (leg) => {
  test('a completed recurring task adds the next one, and the answer is that of the contract', async () => {
    const peer = await connectTodo(leg);
    await ask(peer, 'add_task', { title: 'Rent', due_date: '2025-12-31', every: 'Month' });
    expect(await ask(peer, 'get_task', { task_id: 1 })).toMatchObject({ every: 'month' });
    for (const says of ['once', 'again']) {
      const text = '{"task_id":1,"status":"completed","title":"Rent"}';
      const row = { says, steps: [{ tool: 'complete_task', args: { ...me, task_id: 1 }, text }] };
      expect(await answersOf(peer, row)).toStrictEqual(expectedAnswers(row));
    }
    const created = { title: 'Rent', description: null, created_at: '2025-12-20T10:30:00Z' };
    expect(await ask(peer, 'list_tasks')).toStrictEqual([
      { id: 2, ...created, completed: false, due_date: '2026-01-31' },
      { id: 1, ...created, completed: true, due_date: '2025-12-31' },
    ]);
    const done = await ask(peer, 'get_task', { task_id: 1 });
    expect(done).toMatchObject({ next_task_id: 2 });
    expect(done).not.toHaveProperty('every');
    expect(await ask(peer, 'reopen_task', { task_id: 1 })).toStrictEqual({
      task_id: 1,
      status: 'reopened',
      title: 'Rent',
      next_task_id: 2,
    });
    expect(await ask(peer, 'list_tasks', { ready: true })).toMatchObject([
      { id: 2, every: 'month' },
      { id: 1 },
    ]);
    await ask(peer, 'update_task', { task_id: 2, every: '' });
    expect(await ask(peer, 'get_task', { task_id: 2 })).not.toHaveProperty('every');
    for (const every of ['fortnight', '2 weekdays', 7, ['week']]) {
      const answer = await ask(peer, 'add_task', { title: 'x', every });
      expect(answer).toMatchObject({
        error:
          'every must be day, weekday, week, month or year, 2 to 99 days, weeks, months or years, or days such as mon and thu',
        code: 'INVALID_ARGUMENT',
        hint: expect.stringContaining('"2 weeks"'),
      });
    }
  });

  test('due dates, search, get, reopen and restore work together', async () => {
    const peer = await connectTodo(leg);
    await ask(peer, 'add_task', { title: 'Buy groceries', description: 'milk', due_date: '2025-12-24' });
    await ask(peer, 'add_task', { title: 'Call mom' });
    const groceries = {
      id: 1,
      title: 'Buy groceries',
      description: 'milk',
      completed: false,
      created_at: '2025-12-20T10:30:00Z',
      due_date: '2025-12-24',
    };
    expect(await ask(peer, 'get_task', { task_id: 1 })).toStrictEqual(groceries);
    expect(await ask(peer, 'list_tasks', { query: 'milk' })).toStrictEqual([groceries]);
    expect(await ask(peer, 'list_tasks', { due_by: '2025-12-24' })).toStrictEqual([groceries]);
    expect(await ask(peer, 'list_tasks', { due_by: '2025-12-23', query: 'milk' })).toStrictEqual([]);
    await ask(peer, 'complete_task', { task_id: 1 });
    expect(await ask(peer, 'reopen_task', { task_id: '1' })).toStrictEqual({
      task_id: 1,
      status: 'reopened',
      title: 'Buy groceries',
    });
    await ask(peer, 'delete_task', { task_id: 1 });
    expect(await ask(peer, 'get_task', { task_id: 1 })).toStrictEqual({
      error: 'Task not found',
      task_id: 1,
    });
    const restored = { task_id: 1, status: 'restored', title: 'Buy groceries' };
    for (const task_id of [1, '1'])
      expect(await ask(peer, 'restore_task', { task_id })).toStrictEqual(restored);
    expect(await ask(peer, 'get_task', { task_id: 1 })).toStrictEqual(groceries);
    await ask(peer, 'update_task', { task_id: 1, due_date: '' });
    const { due_date: _, ...undated } = groceries;
    expect(await ask(peer, 'get_task', { task_id: 1 })).toStrictEqual(undated);
    expect(await ask(peer, 'list_tasks', { query: 'milk' })).toStrictEqual([undated]);
  });

  test('a call has exactly the keys of the contract, and the due date of a task that has one; a repeated key adds nothing', async () => {
    const peer = await connectTodo(leg);
    const key = { idempotency_key: 'k', due_date: '2025-12-24' };
    const milk = { task_id: 1, status: 'created', title: 'Milk' };
    for (const title of ['Milk', ' Milk '])
      expect(await ask(peer, 'add_task', { title, ...key })).toStrictEqual(milk);
    const another = { error: 'This idempotency_key was used for another task', code: 'INVALID_ARGUMENT' };
    expect(await ask(peer, 'add_task', { title: 'Tea', ...key })).toMatchObject(another);
    await ask(peer, 'add_task', { title: 'Bread' });
    const keys = ['id', 'title', 'description', 'completed', 'created_at'];
    for (const args of [{}, { status: 'all' }, { query: null, due_by: '' }, { limit: 2 }]) {
      const tasks = (await ask(peer, 'list_tasks', args)) as readonly object[];
      expect(tasks.map((task) => Object.keys(task))).toStrictEqual([keys, [...keys, 'due_date']]);
      expect(tasks[1]).toMatchObject({ title: 'Milk', due_date: '2025-12-24' });
    }
  });
});

test('agents share a list: they claim what is ready, read who holds a task, and see its order in lists that ask for it', async () => {
  const peer = await connectTodo(LEGS[3]);
  await ask(peer, 'add_task', { title: 'Build', description: 'all', priority: 2 });
  await ask(peer, 'add_task', { title: 'Release', after: ['1'], priority: 1, due_date: '2025-12-24' });
  const build = {
    id: 1,
    title: 'Build',
    description: 'all',
    completed: false,
    created_at: '2025-12-20T10:30:00Z',
  };
  expect(await ask(peer, 'list_tasks', { ready: true })).toStrictEqual([{ ...build, priority: 2 }]);
  expect(await ask(peer, 'claim_task', { lease_minutes: 5 })).toStrictEqual({
    task_id: 1,
    status: 'claimed',
    title: 'Build',
    description: 'all',
    claimed_until: expect.stringMatching(/^\d{4}-.*Z$/),
    priority: 2,
  });
  expect(await ask(peer, 'claim_task')).toMatchObject({
    error: 'No task is ready',
    code: 'NOT_FOUND',
    hint: expect.stringContaining('then claim_task with a task_id: it continues your own claim'),
  });
  expect(await ask(peer, 'claim_task', { task_id: 1 })).toMatchObject({ status: 'claimed' });
  expect(await ask(peer, 'claim_task', { task_id: 2 })).toMatchObject({
    error: 'Task 2 waits for task 1',
    code: 'NOT_READY',
  });
  expect(await ask(peer, 'claim_task', { task_id: 3 })).toStrictEqual({
    error: 'Task not found',
    task_id: 3,
  });
  await ask(peer, 'complete_task', { task_id: 1 });
  expect(await ask(peer, 'claim_task', { task_id: 1 })).toMatchObject({ error: 'Task 1 is completed' });
  expect(await ask(peer, 'claim_task', { task_id: 2 })).toMatchObject({ after: [1], due_date: '2025-12-24' });
  expect(await ask(peer, 'release_task', { task_id: 2 })).toStrictEqual({
    task_id: 2,
    status: 'released',
    title: 'Release',
  });
  expect(await ask(peer, 'get_task', { task_id: 2 })).toMatchObject({ after: [1], priority: 1 });
  await ask(peer, 'update_task', { task_id: 2, after: [], priority: 0 });
  const release = await ask(peer, 'get_task', { task_id: 2 });
  expect(Object.keys(release as object)).toStrictEqual([
    'id',
    'title',
    'description',
    'completed',
    'created_at',
    'due_date',
  ]);
  await ask(peer, 'update_task', { task_id: 2, due_date: null });
  expect(await ask(peer, 'get_task', { task_id: 2 })).not.toHaveProperty('due_date');
  expect(peer.instructions).toContain('claim_task gives you the next ready task');
});

test('a task that another agent holds is not given away', async () => {
  const todo = openTodo({ database: ':memory:' });
  onTestFinished(() => todo[Symbol.asyncDispose]());
  const holder = { key: 'another agent', label: 'Codex · desk' };
  const caller = { actor: 'owner', user: 'owner', tool: 'claim_task' };
  const store = await todo.store();
  await store.add(caller, { title: 'Build', description: null, project: 'desk' });
  await store.claim(caller, { holder, leaseMs: 60_000 });
  const peer = await connectInProcess(todoServer(todo), LEGS[3]);
  onTestFinished(() => peer[Symbol.asyncDispose]());
  for (const tool of ['claim_task', 'release_task']) {
    expect(await ask(peer, tool, { task_id: 1 })).toMatchObject({
      error: expect.stringMatching(/^Task 1 is claimed by Codex · desk until 2\d{3}-/),
      code: 'CLAIMED',
    });
  }
  const { content, _meta: meta } = await peer.callTool('get_task', { user_id: 'me', task_id: 1 });
  expect(meta?.['deskside/claim']).toStrictEqual({
    by: 'Codex · desk',
    until: expect.stringMatching(/^2\d{3}-.*:\d\dZ$/),
  });
  expect(JSON.stringify(content)).not.toContain('Codex');
  expect(await ask(peer, 'list_tasks', { project: 'desk' })).toMatchObject([{ id: 1, project: 'desk' }]);
  expect(await ask(peer, 'list_tasks', { project: 'other' })).toStrictEqual([]);
});

test('the edition core has the tools of the contract only, and ignores other arguments', async () => {
  const peer = await connectTodo(LEGS[3], { tools: 'core' });
  const tools = await peer.listTools();
  expect(tools.map(({ name }) => name)).toStrictEqual(CONTRACT_TOOLS);
  const all = await (await connectTodo(LEGS[3])).listTools();
  expect(all.map(({ name }) => name).slice(0, CONTRACT_TOOLS.length)).toStrictEqual(CONTRACT_TOOLS);
  const own = tools.flatMap(({ inputSchema }) => Object.keys(inputSchema.properties ?? {}));
  expect([...new Set(own)].toSorted()).toStrictEqual([
    'after_id',
    'description',
    'limit',
    'status',
    'task_id',
    'title',
    'user_id',
  ]);
  await expect(peer.callTool('get_task', { ...me, task_id: 1 })).rejects.toThrow('Unknown tool');
  await ask(peer, 'add_task', { title: 'Milk', idempotency_key: 7, due_date: 'never' });
  expect(await ask(peer, 'list_tasks', { query: 7, due_by: 'x' })).toHaveLength(1);
  expect(peer.instructions).not.toContain('restore');
});

const DATE = 'due_date must be a date that exists';
const AFTER = 'after must be a list of up to 20 task ids';
const LEASE = 'lease_minutes must be an integer >= 1';
const KEY = 'idempotency_key must be a text of 1 to 200 characters';
const QUERY = 'query must be a text with 1 to 20 words of letters or digits';
const MANY = 'a b '.repeat(30) + Array.from({ length: 21 }, (_, n) => `w${n}`).join(' ');

test.each([
  ['add_task', { title: 'x', due_date: '2025-02-29' }, DATE],
  ['add_task', { title: 'x', due_date: '0000-01-01' }, DATE],
  ['add_task', { title: 'x', due_date: 20_251_224 }, DATE],
  ['update_task', { task_id: 9, due_date: '2025-12-24T10:00' }, DATE],
  ['add_task', { title: 'x', after: 7 }, AFTER],
  ['add_task', { title: 'x', after: [0] }, AFTER],
  ['add_task', { title: 'x', after: [9] }, 'after names tasks that do not exist: 9'],
  ['add_task', { title: 'x', after: [true] }, AFTER],
  ['claim_task', { lease_minutes: 0 }, LEASE],
  ['claim_task', { lease_minutes: true }, LEASE],
  ['list_tasks', { project: 7 }, 'project must be a text'],
  ['add_task', { title: 'x', idempotency_key: '' }, KEY],
  ['add_task', { title: 'x', idempotency_key: 'a\0' }, KEY],
  ['add_task', { title: 'x', idempotency_key: 7 }, KEY],
  ['add_task', { title: 'x', idempotency_key: 'k'.repeat(201) }, KEY],
  ['list_tasks', { query: '!?' }, QUERY],
  ['list_tasks', { query: 7 }, QUERY],
  ['list_tasks', { query: MANY }, QUERY],
  ['list_tasks', { due_by: '2025-13-01' }, 'due_by must be a date that exists'],
])('%s rejects %j', async (tool, args, error) => {
  expect(await ask(await connectTodo(), tool, args)).toMatchObject({
    error: expect.stringContaining(error),
    code: 'INVALID_ARGUMENT',
    hint: expect.any(String),
  });
});

test('list_tasks returns pages of at most 60 kB, and all tasks once', async () => {
  const peer = await connectTodo();
  const description = '😀'.repeat(1000);
  for (let number = 1; number <= 40; number += 1) {
    await ask(peer, 'add_task', { title: `task ${number}`, description });
  }
  const seen: number[] = [];
  let afterId: unknown;
  for (;;) {
    const page = await peer.callTool('list_tasks', {
      ...me,
      ...(afterId === undefined ? {} : { after_id: afterId }),
    });
    expect(Buffer.byteLength(firstText(page))).toBeLessThanOrEqual(60_000);
    seen.push(...(JSON.parse(firstText(page)) as { id: number }[]).map(({ id }) => id));
    if (page._meta === undefined || !('deskside/after_id' in page._meta)) break;
    expect(page._meta['deskside/remaining']).toBe(40 - seen.length);
    afterId = page._meta['deskside/after_id'];
  }
  expect(seen).toStrictEqual(Array.from({ length: 40 }, (_, index) => 40 - index));
});

test.each([{ status: 'completed' }, { completed: true }, { priority: 'high' }])(
  'update_task with %j says what to do instead',
  async (args) => {
    const peer = await connectTodo();
    await ask(peer, 'add_task', { title: 'Build' });
    const { content } = await peer.callTool('update_task', { ...me, task_id: 1, ...args });
    expect(content).toMatchObject([
      { text: '{"error":"No updates provided"}' },
      { text: expect.stringContaining('complete_task') },
    ]);
  },
);
