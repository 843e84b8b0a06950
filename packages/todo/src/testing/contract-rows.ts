/** One call and what the contract says of its answer. */
export interface Step {
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
  /** The first text block, string for string. */
  readonly text: string;
}

/** A conversation with a fresh server whose clock stands at 2025-12-20T10:30:00Z. */
export interface ContractRow {
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

/** Every example, error case and edge case of the contract, and of what the design adds to it. */
export const contractRows: readonly ContractRow[] = [
  {
    says: 'add_task answers id, status and title',
    steps: [
      add(
        { title: 'Buy groceries', description: 'Milk, eggs, bread' },
        '{"task_id":1,"status":"created","title":"Buy groceries"}',
      ),
    ],
  },
  { says: 'an empty title is refused', steps: [add({ title: '' }, '{"error":"Title cannot be empty"}')] },
  {
    says: 'a blank title is an empty one',
    steps: [add({ title: ' \t\n' }, '{"error":"Title cannot be empty"}')],
  },
  { says: 'a missing title is an empty one', steps: [add({}, '{"error":"Title cannot be empty"}')] },
  {
    says: 'a title of 201 characters is refused, on adding and on updating',
    steps: [
      add({ title: 'x'.repeat(201) }, '{"error":"Title exceeds 200 characters"}'),
      milk,
      update({ task_id: 1, title: 'x'.repeat(201) }, '{"error":"Title exceeds 200 characters"}'),
    ],
  },
  {
    says: 'a title has up to 200 code points: emoji are one each',
    steps: [
      add({ title: EMOJI.repeat(200) }, created(1, EMOJI.repeat(200))),
      add({ title: EMOJI.repeat(201) }, '{"error":"Title exceeds 200 characters"}'),
    ],
  },
  {
    says: 'what is trimmed off does not count',
    steps: [add({ title: ` ${'x'.repeat(200)} ` }, created(1, 'x'.repeat(200)))],
  },
  ...[42, true, null, ['Milk'], { text: 'Milk' }].map((title) => ({
    says: `the title ${JSON.stringify(title)} is no string`,
    steps: [add({ title }, '{"error":"Title must be a string"}')],
  })),
  {
    says: 'a description has up to 1000 code points',
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
    says: 'a description is a string',
    steps: [add({ title: 'a', description: 7 }, '{"error":"Description must be a string"}')],
  },
  {
    says: 'U+0000 is refused in either text',
    steps: [
      add({ title: 'a\0b' }, '{"error":"Title cannot contain the character U+0000"}'),
      add({ title: 'a', description: 'a\0b' }, '{"error":"Description cannot contain the character U+0000"}'),
    ],
  },
  {
    says: 'texts are trimmed, and a blank or null description is none',
    steps: [
      add({ title: '  Milk ', description: '  ' }, created(1, 'Milk')),
      add({ title: 'Eggs', description: null }, created(2, 'Eggs')),
      list({}, listed([2, 'Eggs', null, false], [1, 'Milk', null, false])),
    ],
  },
  {
    says: 'every other byte of a text is kept',
    steps: [
      add({ title: '<b>&"\'\u202E\u200D% \u001B[31m' }, created(1, '<b>&"\'\u202E\u200D% \u001B[31m')),
      list({}, listed([1, '<b>&"\'\u202E\u200D% \u001B[31m', null, false])),
    ],
  },
  ...['user123', 'Owner', 'me ', '', 'owner\0'].map((user_id) => ({
    says: `user ${JSON.stringify(user_id)} is not found, before anything else is looked at`,
    steps: [
      add({ user_id, title: '' }, '{"error":"User not found"}'),
      list({ user_id, limit: 0 }, '{"error":"User not found"}'),
      { tool: 'complete_task', args: { user_id, task_id: 1 }, text: '{"error":"User not found"}' },
      { tool: 'delete_task', args: { user_id, task_id: 1 }, text: '{"error":"User not found"}' },
      update({ user_id, task_id: 1 }, '{"error":"User not found"}'),
    ],
  })),
  ...[undefined, null, 7, ['me']].map((user_id) => ({
    says: `user_id ${JSON.stringify(user_id)} is nobody`,
    steps: [add({ user_id, title: 'Milk' }, '{"error":"User not found"}')],
  })),
  {
    says: '"me" and the own id are the same person',
    steps: [milk, list({ user_id: 'owner' }, listed([1, 'Milk', null, false]))],
  },
  { says: 'no tasks are an empty array', steps: [list({}, '[]')] },
  {
    says: 'tasks come newest first, and by status',
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
    says: 'an invalid status means all',
    steps: [
      milk,
      ...['done', '', 'ALL', 7, null].map((status) => list({ status }, listed([1, 'Milk', null, false]))),
    ],
  },
  {
    says: 'limit and after_id go through the list page by page',
    steps: [
      milk,
      add({ title: 'Eggs' }, created(2, 'Eggs')),
      add({ title: 'Ham' }, created(3, 'Ham')),
      list({ limit: 2 }, listed([3, 'Ham', null, false], [2, 'Eggs', null, false])),
      list({ limit: 2, after_id: 2 }, listed([1, 'Milk', null, false])),
      list({ limit: 3 }, listed([3, 'Ham', null, false], [2, 'Eggs', null, false], [1, 'Milk', null, false])),
      list({ limit: 1e9, after_id: 1 }, '[]'),
    ],
  },
  ...[0, -1, 1.5, '2', null].map((limit) => ({
    says: `limit ${JSON.stringify(limit)} is refused`,
    steps: [
      list(
        { limit },
        '{"error":"limit must be a whole number from 1","code":"INVALID_ARGUMENT","hint":"Pass a limit from 1 to 500, or none for 500."}',
      ),
    ],
  })),
  {
    says: 'after_id is a number',
    steps: [
      list(
        { after_id: 'x' },
        '{"error":"after_id must be the id of a task","code":"INVALID_ARGUMENT","hint":"Pass the id of the last task of the page before, as a number."}',
      ),
    ],
  },
  {
    says: 'completing twice is a success',
    steps: [
      milk,
      complete(1, '{"task_id":1,"status":"completed","title":"Milk"}'),
      complete(1, '{"task_id":1,"status":"completed","title":"Milk"}'),
    ],
  },
  {
    says: 'deleting answers the title, and then the task is gone; its id is never used again',
    steps: [
      milk,
      remove(1, '{"task_id":1,"status":"deleted","title":"Milk"}'),
      remove(1, notFound(1)),
      list({}, '[]'),
      add({ title: 'Eggs' }, created(2, 'Eggs')),
    ],
  },
  {
    says: 'a task id may be its decimal string, or a float without fraction',
    steps: [
      milk,
      complete('1', '{"task_id":1,"status":"completed","title":"Milk"}'),
      complete(1.0, '{"task_id":1,"status":"completed","title":"Milk"}'),
    ],
  },
  ...[3, 0, -1, '3', ' 1', '01', '1.0', '1e0', 1.5, 1e300, 'abc', '', true, ['1'], { id: 1 }, null].map(
    (task_id) => ({
      says: `${JSON.stringify(task_id)} names no task`,
      steps: [
        milk,
        complete(task_id, notFound(task_id === '3' ? 3 : task_id)),
        remove(task_id, notFound(task_id === '3' ? 3 : task_id)),
        update({ task_id, title: 'x' }, notFound(task_id === '3' ? 3 : task_id)),
      ],
    }),
  ),
  {
    says: 'a task id nested too deep to be repeated is null',
    steps: [
      complete(nested(101), notFound(null)),
      complete(nested(100), notFound(nested(100))),
      remove(nested(101), notFound(null)),
      update({ task_id: { id: nested(100) }, title: 'x' }, notFound(null)),
    ],
  },
  {
    says: 'a missing task id is null',
    steps: [
      { tool: 'complete_task', args: me, text: notFound(null) },
      { tool: 'delete_task', args: me, text: notFound(null) },
      update({ title: 'x' }, notFound(null)),
    ],
  },
  {
    says: 'update_task changes what is given: title, description or both',
    steps: [
      add({ title: 'Milk', description: 'oat' }, created(1, 'Milk')),
      update({ task_id: 1, title: 'Buy groceries and fruits' }, updated(1, 'Buy groceries and fruits')),
      list({}, listed([1, 'Buy groceries and fruits', 'oat', false])),
      update({ task_id: 1, description: 'Prepare agenda items' }, updated(1, 'Buy groceries and fruits')),
      list({}, listed([1, 'Buy groceries and fruits', 'Prepare agenda items', false])),
      update(
        { task_id: 1, title: 'Shopping', description: 'Get items from the store' },
        updated(1, 'Shopping'),
      ),
      list({}, listed([1, 'Shopping', 'Get items from the store', false])),
    ],
  },
  ...['', null, '  '].map((description) => ({
    says: `${JSON.stringify(description)} clears a description`,
    steps: [
      add({ title: 'Milk', description: 'oat' }, created(1, 'Milk')),
      update({ task_id: 1, description }, updated(1, 'Milk')),
      list({}, listed([1, 'Milk', null, false])),
    ],
  })),
  {
    says: 'an update is refused in order: shape and lengths, nothing to update, no such task',
    steps: [
      update({ task_id: 9, title: '' }, '{"error":"Title cannot be empty"}'),
      update({ task_id: 9, title: 7 }, '{"error":"Title must be a string"}'),
      update({ task_id: 9 }, '{"error":"No updates provided"}'),
      update({ task_id: 9, title: null }, '{"error":"No updates provided"}'),
      update({ task_id: 9, title: 'x' }, notFound(9)),
    ],
  },
  ...[undefined, null, 'abc', 1.5, 0].map((task_id) => ({
    says: `an update of ${JSON.stringify(task_id)} is refused in the same order`,
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
    says: 'of two wrong texts the title is told, and a wrong text before that there is nothing else',
    steps: [
      update({ task_id: 9, title: '', description: 7 }, '{"error":"Title cannot be empty"}'),
      add({ title: 7, description: 7 }, '{"error":"Title must be a string"}'),
      update({ task_id: 9, title: null, description: 7 }, '{"error":"Description must be a string"}'),
    ],
  },
  {
    says: 'unknown arguments are ignored',
    steps: [
      add({ title: 'Milk', priority: 'high', nested: { a: 1 } }, created(1, 'Milk')),
      list({ sort: 'asc' }, listed([1, 'Milk', null, false])),
    ],
  },
];
