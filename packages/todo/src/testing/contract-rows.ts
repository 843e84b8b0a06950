import { escapeInvisible } from '@deskside/core/text';

/** One call and its answer in the contract. */
export interface Step {
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
  /** The first text block, character for character. */
  readonly text: string;
}

/** A conversation with a new server whose clock always returns 2025-12-20T10:30:00.999Z. */
export interface ContractRow {
  /** The behavior as a sentence, for test titles. */
  readonly says: string;
  readonly steps: readonly Step[];
}

const EMOJI = '😀';
const me = { user_id: 'me' };

const add = (args: Record<string, unknown>, text: string): Step => ({
  tool: 'add_task',
  args: { ...me, ...args },
  text,
});
const update = (args: Record<string, unknown>, text: string): Step => ({
  tool: 'update_task',
  args: { ...me, ...args },
  text,
});
const list = (args: Record<string, unknown>, text: string): Step => ({
  tool: 'list_tasks',
  args: { ...me, ...args },
  text,
});
const complete = (task_id: unknown, text: string): Step => ({
  tool: 'complete_task',
  args: { ...me, task_id },
  text,
});
const remove = (task_id: unknown, text: string): Step => ({
  tool: 'delete_task',
  args: { ...me, task_id },
  text,
});

const created = (task_id: number, title: string) => JSON.stringify({ task_id, status: 'created', title });
const updated = (task_id: number, title: string) => JSON.stringify({ task_id, status: 'updated', title });
const notFound = (task_id: unknown) => JSON.stringify({ error: 'Task not found', task_id });
const nested = (levels: number): unknown => JSON.parse('['.repeat(levels) + ']'.repeat(levels));
const listed = (...tasks: readonly (readonly [number, string, string | null, boolean])[]) =>
  JSON.stringify(
    tasks.map(([id, title, description, completed]) => ({
      id,
      title,
      description,
      completed,
      created_at: '2025-12-20T10:30:00Z',
    })),
  );

const milk = add({ title: 'Milk' }, created(1, 'Milk'));

/** Every example, error case and edge case of the contract and of the design. */
export const contractRows: readonly ContractRow[] = [
  {
    says: 'add_task rejects an empty, blank or missing title as empty',
    steps: ['', ' \t\n', undefined].map((title) => add({ title }, '{"error":"Title cannot be empty"}')),
  },
  ...['\u200B', '\u2800', ' \uFEFF\u200E '].map((title) => ({
    says: `add_task rejects the title "${escapeInvisible(title)}" as empty: it shows nothing`,
    steps: [
      add({ title }, '{"error":"Title cannot be empty"}'),
      update({ task_id: 1, title }, '{"error":"Title cannot be empty"}'),
    ],
  })),
  {
    says: 'add_task stores half of a surrogate pair as U+FFFD, and an invisible description as null',
    steps: [
      add({ title: 'a\uD83Db', description: '\u200B' }, created(1, 'a\uFFFDb')),
      list({}, listed([1, 'a\uFFFDb', null, false])),
    ],
  },
  {
    says: 'add_task and update_task reject a title of 201 characters',
    steps: [
      add({ title: 'x'.repeat(201) }, '{"error":"Title exceeds 200 characters"}'),
      milk,
      update({ task_id: 1, title: 'x'.repeat(201) }, '{"error":"Title exceeds 200 characters"}'),
    ],
  },
  {
    says: 'add_task accepts a title of 200 emoji and rejects 201: lengths are code points',
    steps: [
      add({ title: EMOJI.repeat(200) }, created(1, EMOJI.repeat(200))),
      add({ title: EMOJI.repeat(201) }, '{"error":"Title exceeds 200 characters"}'),
    ],
  },
  {
    says: 'add_task trims a title before it checks the length',
    steps: [add({ title: ` ${'x'.repeat(200)} ` }, created(1, 'x'.repeat(200)))],
  },
  ...[42, true, null, ['Milk'], { text: 'Milk' }].map((title) => ({
    says: `add_task rejects the title ${JSON.stringify(title)}: it is not a string`,
    steps: [add({ title }, '{"error":"Title must be a string"}')],
  })),
  {
    says: 'add_task accepts a description of 1000 code points; add_task and update_task reject 1001',
    steps: [
      add({ title: 'a', description: EMOJI.repeat(1000) }, created(1, 'a')),
      add({ title: 'a', description: 'x'.repeat(1001) }, '{"error":"Description exceeds 1000 characters"}'),
      update(
        { task_id: 1, description: 'x'.repeat(1001) },
        '{"error":"Description exceeds 1000 characters"}',
      ),
    ],
  },
  {
    says: 'add_task rejects a description that is not a string',
    steps: [add({ title: 'a', description: 7 }, '{"error":"Description must be a string"}')],
  },
  {
    says: 'add_task rejects U+0000 in title and description',
    steps: [
      add({ title: 'a\0b' }, '{"error":"Title cannot contain the character U+0000"}'),
      add({ title: 'a', description: 'a\0b' }, '{"error":"Description cannot contain the character U+0000"}'),
    ],
  },
  {
    says: 'add_task trims texts, and stores a blank or null description as null',
    steps: [
      add({ title: '  Milk ', description: '  ' }, created(1, 'Milk')),
      add({ title: 'Eggs', description: null }, created(2, 'Eggs')),
      list({}, listed([2, 'Eggs', null, false], [1, 'Milk', null, false])),
    ],
  },
  {
    says: 'add_task and list_tasks return every other character of a title unchanged',
    steps: [
      add({ title: '<b>&"\'\u202E\u200D% \u001B[31m' }, created(1, '<b>&"\'\u202E\u200D% \u001B[31m')),
      list({}, listed([1, '<b>&"\'\u202E\u200D% \u001B[31m', null, false])),
    ],
  },
  ...['user123', 'Owner', 'me ', '', 'owner\0'].map((user_id) => ({
    says: `every tool answers "User not found" for user_id ${JSON.stringify(user_id)} before it checks other arguments`,
    steps: [
      add({ user_id, title: '' }, '{"error":"User not found"}'),
      list({ user_id, limit: 0 }, '{"error":"User not found"}'),
      { tool: 'complete_task', args: { user_id, task_id: 1 }, text: '{"error":"User not found"}' },
      { tool: 'delete_task', args: { user_id, task_id: 1 }, text: '{"error":"User not found"}' },
      update({ user_id, task_id: 1 }, '{"error":"User not found"}'),
    ],
  })),
  ...[undefined, null, 7, ['me']].map((user_id) => ({
    says: `add_task answers "User not found" for user_id ${JSON.stringify(user_id)}`,
    steps: [add({ user_id, title: 'Milk' }, '{"error":"User not found"}')],
  })),
  {
    says: 'user_id "me" and the own id mean the same user',
    steps: [milk, list({ user_id: 'owner' }, listed([1, 'Milk', null, false]))],
  },
  { says: 'list_tasks returns an empty array if the user has no tasks', steps: [list({}, '[]')] },
  {
    says: 'list_tasks returns the newest tasks first, and filters by status',
    steps: [
      milk,
      add({ title: 'Call mom', description: 'Sunday' }, created(2, 'Call mom')),
      complete(1, '{"task_id":1,"status":"completed","title":"Milk"}'),
      list({ status: 'all' }, listed([2, 'Call mom', 'Sunday', false], [1, 'Milk', null, true])),
      list({ status: 'pending' }, listed([2, 'Call mom', 'Sunday', false])),
      list({ status: 'completed' }, listed([1, 'Milk', null, true])),
    ],
  },
  {
    says: 'list_tasks treats an invalid status as all',
    steps: [
      milk,
      ...['done', '', 'ALL', 7, null].map((status) => list({ status }, listed([1, 'Milk', null, false]))),
    ],
  },
  {
    says: 'list_tasks returns page after page with limit and after_id',
    steps: [
      milk,
      add({ title: 'Eggs' }, created(2, 'Eggs')),
      add({ title: 'Ham' }, created(3, 'Ham')),
      list({ limit: 2 }, listed([3, 'Ham', null, false], [2, 'Eggs', null, false])),
      list({ limit: 2, after_id: 2 }, listed([1, 'Milk', null, false])),
      list({ limit: 3 }, listed([3, 'Ham', null, false], [2, 'Eggs', null, false], [1, 'Milk', null, false])),
      list({ limit: 1e9, after_id: 1 }, '[]'),
      list({ limit: '1', after_id: '3' }, listed([2, 'Eggs', null, false])),
      list({ limit: '99999999999999999999', after_id: '2' }, listed([1, 'Milk', null, false])),
      list(
        { limit: null, after_id: null },
        listed([3, 'Ham', null, false], [2, 'Eggs', null, false], [1, 'Milk', null, false]),
      ),
    ],
  },
  ...[0, -1, 1.5, '0', '1.5', '02', ' 2', '1e2', '', 'x', true, [2]].map((limit) => ({
    says: `list_tasks rejects limit ${JSON.stringify(limit)}`,
    steps: [
      list(
        { limit },
        '{"error":"limit must be an integer >= 1","code":"INVALID_ARGUMENT","hint":"Pass a limit from 1 to 500, or omit it for 500."}',
      ),
    ],
  })),
  ...['x', '', '01', '1.0', 1.5, 1e300, true, [1]].map((after_id) => ({
    says: `list_tasks rejects after_id ${JSON.stringify(after_id)}`,
    steps: [
      list(
        { after_id },
        '{"error":"after_id must be a task id","code":"INVALID_ARGUMENT","hint":"Pass the last id of the previous page as a number."}',
      ),
    ],
  })),
  {
    says: 'complete_task succeeds for a completed task',
    steps: [
      milk,
      complete(1, '{"task_id":1,"status":"completed","title":"Milk"}'),
      complete(1, '{"task_id":1,"status":"completed","title":"Milk"}'),
    ],
  },
  {
    says: 'delete_task returns the title and removes the task, whose id is never reused',
    steps: [
      milk,
      remove(1, '{"task_id":1,"status":"deleted","title":"Milk"}'),
      remove(1, notFound(1)),
      list({}, '[]'),
      add({ title: 'Eggs' }, created(2, 'Eggs')),
    ],
  },
  {
    says: 'complete_task accepts a task_id as a decimal string, or as a float without fraction',
    steps: [
      milk,
      complete('1', '{"task_id":1,"status":"completed","title":"Milk"}'),
      complete(1.0, '{"task_id":1,"status":"completed","title":"Milk"}'),
    ],
  },
  ...[3, 0, -1, 3e9, '3', ' 1', '01', '1.0', '1e0', 1.5, 1e300, 'abc', '', true, ['1'], { id: 1 }, null].map(
    (task_id) => ({
      says: `complete_task, delete_task and update_task find no task with task_id ${JSON.stringify(task_id)}`,
      steps: [
        milk,
        complete(task_id, notFound(task_id === '3' ? 3 : task_id)),
        remove(task_id, notFound(task_id === '3' ? 3 : task_id)),
        update({ task_id, title: 'x' }, notFound(task_id === '3' ? 3 : task_id)),
      ],
    }),
  ),
  {
    says: 'a task_id nested more than 100 levels deep is answered as null',
    steps: [
      complete(nested(101), notFound(null)),
      complete(nested(100), notFound(nested(100))),
      remove(nested(101), notFound(null)),
      update({ task_id: { id: nested(100) }, title: 'x' }, notFound(null)),
    ],
  },
  {
    says: 'a task_id of more than 200 characters or values is answered as null',
    steps: [
      complete('x'.repeat(200), notFound('x'.repeat(200))),
      complete('x'.repeat(201), notFound(null)),
      remove({ ['x'.repeat(201)]: 1 }, notFound(null)),
      remove(['x'.repeat(100), 'x'.repeat(101)], notFound(null)),
      update({ task_id: Array.from({ length: 201 }, () => 1), title: 'x' }, notFound(null)),
    ],
  },
  {
    says: 'a missing task_id is answered as null',
    steps: [
      { tool: 'complete_task', args: me, text: notFound(null) },
      { tool: 'delete_task', args: me, text: notFound(null) },
      update({ title: 'x' }, notFound(null)),
    ],
  },
  {
    says: 'update_task changes the given fields: title, description or both',
    steps: [
      add({ title: 'Milk', description: 'oat' }, created(1, 'Milk')),
      add({ title: 'Eggs', description: 'six' }, created(2, 'Eggs')),
      complete(1, '{"task_id":1,"status":"completed","title":"Milk"}'),
      update({ task_id: 1, title: 'Buy groceries and fruits' }, updated(1, 'Buy groceries and fruits')),
      list({}, listed([2, 'Eggs', 'six', false], [1, 'Buy groceries and fruits', 'oat', true])),
      update({ task_id: 1, description: 'Prepare agenda items' }, updated(1, 'Buy groceries and fruits')),
      list({ status: 'completed' }, listed([1, 'Buy groceries and fruits', 'Prepare agenda items', true])),
      update(
        { task_id: 1, title: 'Shopping', description: 'Get items from the store' },
        updated(1, 'Shopping'),
      ),
      list({}, listed([2, 'Eggs', 'six', false], [1, 'Shopping', 'Get items from the store', true])),
    ],
  },
  ...['', null, '  '].map((description) => ({
    says: `update_task clears the description for ${JSON.stringify(description)}`,
    steps: [
      add({ title: 'Milk', description: 'oat' }, created(1, 'Milk')),
      update({ task_id: 1, description }, updated(1, 'Milk')),
      list({}, listed([1, 'Milk', null, false])),
    ],
  })),
  {
    says: 'update_task checks in this order: shape and lengths, updates given, task exists',
    steps: [
      update({ task_id: 9, title: '' }, '{"error":"Title cannot be empty"}'),
      update({ task_id: 9, title: 7 }, '{"error":"Title must be a string"}'),
      update({ task_id: 9 }, '{"error":"No updates provided"}'),
      update({ task_id: 9, title: null }, '{"error":"No updates provided"}'),
      update({ task_id: 9, title: 'x' }, notFound(9)),
    ],
  },
  ...[undefined, null, 'abc', 1.5, 0].map((task_id) => ({
    says: `update_task checks in the same order for task_id ${JSON.stringify(task_id)}`,
    steps: [
      update({ user_id: 'user123', task_id, title: '' }, '{"error":"User not found"}'),
      update({ task_id, title: '' }, '{"error":"Title cannot be empty"}'),
      update({ task_id, title: 7 }, '{"error":"Title must be a string"}'),
      update({ task_id, title: 'x'.repeat(201) }, '{"error":"Title exceeds 200 characters"}'),
      update({ task_id, description: 7 }, '{"error":"Description must be a string"}'),
      update({ task_id, description: 'x'.repeat(1001) }, '{"error":"Description exceeds 1000 characters"}'),
      update({ task_id }, '{"error":"No updates provided"}'),
      update({ task_id, description: null }, notFound(task_id ?? null)),
    ],
  })),
  {
    says: 'add_task and update_task report a wrong title before a wrong description',
    steps: [
      update({ task_id: 9, title: '', description: 7 }, '{"error":"Title cannot be empty"}'),
      add({ title: 7, description: 7 }, '{"error":"Title must be a string"}'),
      update({ task_id: 9, title: null, description: 7 }, '{"error":"Description must be a string"}'),
    ],
  },
  {
    says: 'add_task and list_tasks ignore unknown arguments',
    steps: [
      add({ title: 'Milk', priority: 'high', nested: { a: 1 } }, created(1, 'Milk')),
      list({ sort: 'asc' }, listed([1, 'Milk', null, false])),
    ],
  },
];
