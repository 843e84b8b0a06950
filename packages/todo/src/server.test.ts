import { connectInProcess, describeServer, firstText, fixedClock, LEGS, type Peer } from '@deskside/testkit';
import { afterEach, describe, expect, test } from 'vitest';
import type { TodoOptions } from './options.ts';
import { todoServer } from './server.ts';
import { contractRows } from './testing/contract-rows.ts';
import { openTodo } from './todo.ts';

const opened: AsyncDisposable[] = [];
afterEach(async () => {
  for (const each of opened.splice(0).toReversed()) await each[Symbol.asyncDispose]();
});

async function freshPeer(
  leg: Pick<Parameters<typeof connectInProcess>[1], 'era' | 'over'>,
  options: Partial<TodoOptions> = {},
): Promise<Peer> {
  const { now } = fixedClock('2025-12-20T10:30:00Z');
  const todo = openTodo({ database: ':memory:', now, ...options });
  const peer = await connectInProcess(todoServer(todo), leg);
  opened.push(todo, peer);
  return peer;
}

describeServer({
  name: 'todo',
  open: async () => {
    const todo = openTodo({ database: ':memory:' });
    return { definition: todoServer(todo), [Symbol.asyncDispose]: () => todo[Symbol.asyncDispose]() };
  },
  toolsJson: '../tools.json',
  tokenBudget: 1180,
  samples: [
    {
      tool: 'add_task',
      args: { user_id: 'me', title: 'Milk' },
      survives: ['"task_id"', '"created"', 'Milk'],
    },
    {
      tool: 'list_tasks',
      args: { user_id: 'me', limit: 1 },
      before: ['Eggs', 'Ham'].map((title) => ({ tool: 'add_task', args: { user_id: 'me', title } })),
      // A full page ends with the id that goes on, which is all a host needs that shows nothing else.
      survives: ['"title":"Ham"', '"id":'],
    },
  ],
});

describe.each(LEGS)('the contract in the $era era over $over', (leg) => {
  test.each(contractRows)('$says', async ({ steps }) => {
    const peer = await freshPeer(leg);
    for (const { tool, args, text } of steps) {
      const answer = await peer.callTool(tool, args);
      expect(firstText(answer)).toBe(text);
      expect(answer.isError ?? false).toBe(text.startsWith('{"error"'));
      if (answer.isError) expect(answer).not.toHaveProperty('structuredContent');
    }
  });

  test('a page that leaves tasks out says how many, and how to go on', async () => {
    const peer = await freshPeer(leg);
    for (const title of ['a', 'b', 'c']) await peer.callTool('add_task', { user_id: 'me', title });
    const page = await peer.callTool('list_tasks', { user_id: 'me', limit: 1 });
    expect(page._meta).toMatchObject({ 'deskside/remaining': 2, 'deskside/after_id': 3 });
    expect(page.content[1]).toStrictEqual({
      type: 'text',
      text: '2 more tasks follow. Call list_tasks again with after_id 3 to go on.',
    });
    const whole = await peer.callTool('list_tasks', { user_id: 'me', limit: 3 });
    expect(whole.content).toHaveLength(1);
  });

  test('a wrong user is told what to pass', async () => {
    const peer = await freshPeer(leg);
    const { content } = await peer.callTool('list_tasks', { user_id: 'somebody' });
    expect(content[1]).toMatchObject({ text: expect.stringContaining('user_id "me"') });
  });
});

test('a bare array is structured content in the modern era only', async () => {
  const legacy = await freshPeer({ era: 'legacy', over: 'stdio' });
  const modern = await freshPeer({ era: 'modern', over: 'stdio' });
  expect(await legacy.callTool('list_tasks', { user_id: 'me' })).not.toHaveProperty('structuredContent');
  expect((await modern.callTool('list_tasks', { user_id: 'me' })).structuredContent).toStrictEqual([]);
  expect(await listTasksListing(legacy)).not.toHaveProperty('outputSchema');
  expect(await listTasksListing(modern)).toHaveProperty('outputSchema.type', 'array');
});

async function listTasksListing(peer: Peer) {
  return (await peer.listTools()).find(({ name }) => name === 'list_tasks');
}

test('a delegated user is acted for by the configured user, and by nobody else', async () => {
  const leg = { era: 'modern', over: 'stdio' } as const;
  const backend = await freshPeer(leg, { delegatedUsers: ['user123'] });
  const answer = await backend.callTool('add_task', { user_id: 'user123', title: 'Milk' });
  expect(firstText(answer)).toBe('{"task_id":1,"status":"created","title":"Milk"}');
  expect(firstText(await backend.callTool('list_tasks', { user_id: 'me' }))).toBe('[]');
  expect(firstText(await backend.callTool('list_tasks', { user_id: 'user124' }))).toBe(
    '{"error":"User not found"}',
  );
  const other = await freshPeer(leg, { user: 'somebody else', delegatedUsers: ['user123'] });
  expect(firstText(await other.callTool('list_tasks', { user_id: 'user123' }))).toBe(
    '{"error":"User not found"}',
  );
});

test('the advertised schemas are the contract’s own', async () => {
  const peer = await freshPeer({ era: 'modern', over: 'http' });
  const [addTask] = await peer.listTools();
  expect(addTask).toMatchObject({
    name: 'add_task',
    description: "Create a new task for the user's todo list",
  });
  expect(addTask?.inputSchema).toStrictEqual({
    type: 'object',
    properties: {
      user_id: { type: 'string', description: "The user's unique identifier" },
      title: {
        type: 'string',
        description: 'The task title (1-200 characters)',
        minLength: 1,
        maxLength: 200,
      },
      description: { type: 'string', description: 'Optional task description', maxLength: 1000 },
    },
    required: ['user_id', 'title'],
  });
});
