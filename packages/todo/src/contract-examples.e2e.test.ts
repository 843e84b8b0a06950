// The calls that the specification prints, with its answers, against the built program: `deskside-todo --user user123`.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '@deskside/core/testing';
import { cleanEnvironment, connectStdio, firstText, type Peer, startProgram } from '@deskside/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';

const CLI = join(import.meta.dirname, '../dist/bin/cli.js');
const ERAS = ['legacy', 'modern'] as const;
const user_id = 'user123';
const GROCERIES = { title: 'Buy groceries', description: 'Milk, eggs, bread' };

const program = (home: string, args: readonly string[]) => ({
  command: process.execPath,
  args: [CLI, ...args],
  env: cleanEnvironment(home),
});

/** The answer as the specification prints it, with the blanks that JSON.stringify does not write. */
const printed = (text: string): string => JSON.stringify(JSON.parse(text));

interface Example {
  readonly says: string;
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
  /** As the specification prints it. */
  readonly answer: string;
}

/** The first task of the person has the id 1. */
const TITLES_BEFORE_ADD = ['a', 'b', 'c', 'd'];
const TITLES_BEFORE_CHANGE = ['Buy groceries', 'Old task', 'Call mom', 'd', 'Team meeting'];

/** An error as the specification prints it. */
const error = (text: string) => `{"error": "${text}"}`;
const CREATED = '{"task_id": 5, "status": "created", "title": "Buy groceries"}';

const EXAMPLES = (
  [
    ['the example of add_task', 'add_task', GROCERIES, CREATED],
    ['add_task: empty title', 'add_task', { title: '' }, error('Title cannot be empty')],
    [
      'add_task: title too long',
      'add_task',
      { title: 'x'.repeat(201) },
      error('Title exceeds 200 characters'),
    ],
    ['add_task: invalid user_id', 'add_task', { ...GROCERIES, user_id: 'user124' }, error('User not found')],
    [
      'the example of complete_task',
      'complete_task',
      { task_id: 3 },
      '{"task_id": 3, "status": "completed", "title": "Call mom"}',
    ],
    [
      'the example of delete_task',
      'delete_task',
      { task_id: 2 },
      '{"task_id": 2, "status": "deleted", "title": "Old task"}',
    ],
    [
      'the first example of update_task',
      'update_task',
      { task_id: 1, title: 'Buy groceries and fruits' },
      '{"task_id": 1, "status": "updated", "title": "Buy groceries and fruits"}',
    ],
    [
      'the second example of update_task',
      'update_task',
      { task_id: 5, description: 'Prepare agenda items' },
      '{"task_id": 5, "status": "updated", "title": "Team meeting"}',
    ],
    [
      'the third example of update_task',
      'update_task',
      { task_id: 1, title: 'Shopping', description: 'Get items from the store' },
      '{"task_id": 1, "status": "updated", "title": "Shopping"}',
    ],
    ['update_task: no fields', 'update_task', { task_id: 1 }, error('No updates provided')],
    ['update_task: empty title', 'update_task', { task_id: 1, title: '' }, error('Title cannot be empty')],
  ] as const
).map(([says, tool, args, answer]): Example => ({ says, tool, args: { user_id, ...args }, answer }));

/** A program per era, on a database in which a user has these tasks. An import keeps the times of creation. */
function usePeers(tasks: readonly object[], user = user_id): readonly Peer[] {
  const peers: Peer[] = [];
  const homes = ERAS.map(() => temporaryFolder());
  beforeAll(async () => {
    const starting = ERAS.map(async (era, index) => {
      const home = homes[index]?.path ?? '';
      const file = join(home, 'tasks.json');
      writeFileSync(file, JSON.stringify(tasks));
      await using imported = startProgram(program(home, ['import', file, '--user', user]));
      expect(await imported.exited).toBe(0);
      return await connectStdio(program(home, ['--user', user_id]), { era });
    });
    peers.push(...(await Promise.all(starting)));
  });
  afterAll(async () => {
    await Promise.all(peers.map((peer) => peer[Symbol.asyncDispose]()));
    for (const home of homes) home[Symbol.dispose]();
  });
  return peers;
}

const toTask = (title: string) => ({ title });
const adding = usePeers(TITLES_BEFORE_ADD.map(toTask));
const changing = usePeers(TITLES_BEFORE_CHANGE.map(toTask));

test.each(EXAMPLES)('with --user user123, $says has its printed answer', async ({ tool, args, answer }) => {
  for (const peer of tool === 'add_task' ? adding : changing) {
    const answered = await peer.callTool(tool, args);
    expect(firstText(answered)).toBe(printed(answer));
    expect(answered.isError ?? false).toBe('error' in JSON.parse(answer));
  }
});

const LIST = [
  {
    id: 1,
    title: 'Buy groceries',
    description: 'Milk, eggs, bread',
    completed: false,
    created_at: '2025-12-20T10:30:00Z',
  },
  { id: 2, title: 'Call mom', description: null, completed: true, created_at: '2025-12-20T09:15:00Z' },
];
const listing = usePeers(LIST);

test('with --user user123, list_tasks has the tasks of the example, the newest id first', async () => {
  const [groceries, mom] = LIST;
  for (const peer of listing)
    for (const [status, tasks] of [
      ['all', [mom, groceries]],
      ['pending', [groceries]],
      ['completed', [mom]],
      ['finished', [mom, groceries]],
    ] as const) {
      const answer = await peer.callTool('list_tasks', { user_id, status });
      expect(answer.content).toStrictEqual([{ type: 'text', text: JSON.stringify(tasks) }]);
    }
});

const foreign = usePeers(TITLES_BEFORE_ADD.map(toTask), 'other');

test.each([
  ['complete_task', {}, '{"error": "Task not found", "task_id": 3}'],
  ['delete_task', {}, '{"error": "Task not found", "task_id": 2}'],
  ['update_task', { title: 'x' }, '{"error": "Task not found", "task_id": 1}'],
])(
  'with --user user123, %s answers the same for a missing task and for that of another user',
  async (tool, args, answer) => {
    const { task_id } = JSON.parse(answer) as { readonly task_id: number };
    for (const peer of foreign) {
      const ofOther = await peer.callTool(tool, { user_id, task_id, ...args });
      expect(firstText(ofOther)).toBe(printed(answer));
      const missing = await peer.callTool(tool, { user_id, task_id: 9, ...args });
      expect(JSON.stringify(missing).replace('9', String(task_id))).toBe(JSON.stringify(ofOther));
    }
  },
);
