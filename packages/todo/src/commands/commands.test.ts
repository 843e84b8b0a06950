import { readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '@deskside/testkit';
import { expect, onTestFinished, test, vi } from 'vitest';
import { sqliteTaskStore } from '../sqlite/sqlite-task-store.ts';
import { runCommand } from '../testing/run-command.ts';
import { callerContext, NOW } from '../testing/store-under-test.ts';
import { audit } from './audit.ts';
import { backup } from './database.ts';
import { add, done, edit, forget, remove, reopen, restore, show } from './change.ts';
import { list, search, today } from './list.ts';
import { exportTasks, importTasks } from './transfer.ts';

type Command = Parameters<typeof runCommand>[0];
type Given = Parameters<typeof runCommand>[1];

/** Runs commands of one person on a new database. */
function desk() {
  const folder = temporaryFolder();
  const file = join(folder, 'todo.sqlite');
  const env = { TODO_DATABASE_URL: file };
  const run = (command: Command, given: Given = {}) =>
    runCommand(command, { ...given, env: { ...env, ...given.env } });
  const json = async (command: Command, given: Given = {}): Promise<unknown> =>
    JSON.parse((await run(command, { ...given, flags: { json: true, ...given.flags } })).stdout);
  return { folder, file, run, json };
}

function deskAt(now: Date) {
  vi.useFakeTimers({ now, toFake: ['Date'] });
  onTestFinished(() => void vi.useRealTimers());
  return desk();
}

test('add, done, reopen, delete and restore print what they changed', async () => {
  const { run, json } = desk();
  const bought = await run(add, {
    operands: ['Buy', 'groceries'],
    flags: { due: '2026-11-30', description: 'milk' },
  });
  expect(bought.stdout).toBe('Added task 1: Buy groceries\n');
  await run(add, { operands: ['Call mom'] });
  expect((await run(done, { operands: ['1', '2'] })).stdout).toBe(
    'Completed task 1: Buy groceries\nCompleted task 2: Call mom\n',
  );
  expect((await run(reopen, { operands: ['1'] })).stdout).toBe('Reopened task 1: Buy groceries\n');
  expect((await run(remove, { operands: ['2'] })).stdout).toBe('Deleted task 2: Call mom\n');
  expect(await json(list, { flags: { status: 'all' } })).toMatchObject([{ id: 1 }]);
  expect(await json(restore, { operands: ['2'] })).toMatchObject([{ id: 2, completed: true }]);
  expect(await json(list)).toStrictEqual([
    {
      id: 1,
      title: 'Buy groceries',
      description: 'milk',
      completed: false,
      created_at: expect.stringMatching(/Z$/),
      due_date: '2026-11-30',
    },
  ]);
});

test('edit changes what is named, show prints all of a task, and today what is due, in order', async () => {
  const { run, json } = deskAt(new Date(2026, 10, 30, 12));
  await run(add, { operands: ['Call mom'], flags: { due: 'today', priority: '2' } });
  await run(add, { operands: ['Water'], flags: { due: 'today', priority: '1' } });
  await run(add, { operands: ['Taxes'], flags: { due: '2026-11-01' } });
  await run(add, { operands: ['Later'], flags: { due: 'tomorrow' } });
  expect((await run(today)).stdout.match(/Taxes|Water|Call mom|Later/g)).toStrictEqual([
    'Taxes',
    'Water',
    'Call mom',
  ]);
  const flags = { title: 'Call Ada', due: '', description: 'one two three\nfour' };
  expect((await run(edit, { operands: ['1'], flags })).stdout).toBe('Changed task 1: Call Ada\n');
  expect((await run(show, { operands: ['1'] })).stdout).toMatch(
    /^1 {2}Call Ada\nStatus {4}pending\nPriority {2}2\nAdded {5}2026-11-30 [\d:]+\n\none two three\nfour\n$/,
  );
  expect((await run(show, { operands: ['1'], terminal: 8 })).stdout).toContain('\n\none two\nthree\nfour\n');
  expect(await json(show, { operands: ['1'] })).toMatchObject({ id: 1, title: 'Call Ada', priority: 2 });
  await expect(run(edit, { operands: ['1'] })).rejects.toThrow('Nothing to change.');
  await expect(run(edit, { operands: ['1'], flags: { priority: '7' } })).rejects.toThrow('--priority');
  await expect(run(show, { operands: ['9'] })).rejects.toThrow('Task not found');
});

test('a recurring task is added, shown and edited, and done and reopen name the next one', async () => {
  const { run, json } = deskAt(new Date(2026, 10, 30, 12));
  await run(add, { operands: ['Water', 'plants'], flags: { due: 'today', every: 'Every 2 weeks' } });
  expect((await run(show, { operands: ['1'] })).stdout).toContain('\nRepeats   every 2 weeks\n');
  const next = 'The next one is open: task 2, Water plants, due 2026-12-14\n';
  const completed = { stdout: 'Completed task 1: Water plants\n', stderr: next };
  expect(await run(done, { operands: ['1'] })).toMatchObject(completed);
  expect(await run(done, { operands: ['1'] })).toMatchObject(completed);
  expect(await json(list)).toMatchObject([{ id: 2, due_date: '2026-12-14' }]);
  expect((await run(show, { operands: ['1'] })).stdout).toContain('\nNext      task 2\n');
  expect(await json(show, { operands: ['1'] })).toMatchObject({ next_task_id: 2 });
  expect(await run(reopen, { operands: ['1'] })).toMatchObject({
    stdout: 'Reopened task 1: Water plants\n',
    stderr: next,
  });
  await run(edit, { operands: ['2'], flags: { due: '' } });
  expect((await run(reopen, { operands: ['1'] })).stderr).toBe(
    'The next one is open: task 2, Water plants\n',
  );
  await run(edit, { operands: ['2'], flags: { every: '' } });
  expect(await json(show, { operands: ['2'] })).not.toHaveProperty('every');
  expect((await run(done, { operands: ['2', '1'] })).stderr).toBe('');
  const wrong = run(edit, { operands: ['2'], flags: { every: 'fortnight' } });
  await expect(wrong).rejects.toThrow('--every must be day, weekday, week, month or year');
});

test('forget deletes for good, also what was deleted', async () => {
  const { run } = desk();
  for (const title of ['Milk', 'Bread']) await run(add, { operands: [title] });
  await run(remove, { operands: ['2'] });
  expect((await run(forget, { operands: ['1', '2'] })).stdout).toBe(
    'Deleted for good task 1: Milk\nDeleted for good task 2: Bread\n',
  );
  for (const id of ['1', '2'])
    await expect(run(restore, { operands: [id] })).rejects.toThrow('Task not found');
  await expect(run(forget, { operands: ['2'] })).rejects.toThrow('Task not found');
  expect((await run(add, { operands: ['Eggs'] })).stdout).toBe('Added task 3: Eggs\n');
});

test.each([
  [add, { operands: [] }, 'Title cannot be empty.'],
  [add, { operands: ['x'], flags: { due: '2026-02-30' } }, '--due must be a date that exists. Pass --due as'],
  [done, { operands: [] }, 'Missing id. Usage: done ID...'],
  [done, { operands: ['7'] }, 'Task not found (7). Call the command "list" to see valid ids.'],
  [remove, { operands: ['seven'] }, 'Task not found (seven).'],
  [search, { operands: [] }, 'Missing words. Usage: search WORDS...'],
  [search, { operands: ['!?'] }, 'words of letters or digits. Pass the first letters'],
  [list, { flags: { limit: '0' } }, '--limit: use an integer from 1 to 500'],
  [list, { flags: { 'due-by': 'soon' } }, '--due-by must be a date such as 2026-11-30, today, tomorrow'],
  [list, { env: { TODO_DATABASE_URL: '/proc/nowhere/deep/todo.sqlite' } }, "Can't open the task database"],
  [importTasks, { operands: [] }, 'Pass one FILE. See --help.'],
  [
    importTasks,
    { operands: ['/missing.json'] },
    '/missing.json cannot be read (ENOENT). Pass the path of a file, or - for standard input.',
  ],
  [
    importTasks,
    { operands: ['-'], flags: { format: 'markdown' }, input: '# List\n\n- [ ] a\n  more\n- [ ] \u200b' },
    'Task 2 in -, line 5: Title cannot be empty.',
  ],
  [
    backup,
    { operands: ['/x'], env: { TODO_DATABASE_URL: 'postgres://db/todo' } },
    'Use pg_dump for PostgreSQL.',
  ],
])('a command with %#: %j ends with one sentence', async (command, given, sentence) => {
  const { run, json } = desk();
  await expect(run(command, given)).rejects.toThrow(sentence);
  expect(await json(list, { flags: { status: 'all' } })).toStrictEqual([]);
});

const NO_TIME = 'Task 1 in -, line 1: created_at must be a time such as 2026-11-30T10:30:00Z.';

test.each([
  ['a\nb', /^- is not a json file with tasks: .*"a b" is not valid JSON\.$/],
  ['[1]', 'it must be an array of objects with a title'],
  ['[{"title":"a","created_at":"5"}]', NO_TIME],
  ['[{"title":"a","created_at":"+275760-09-13T00:00:00Z"}]', NO_TIME],
  ['[{"title":"a","created_at":"2026-02-30T10:00:00Z"}]', NO_TIME],
  ['[{"title":"a","priority":"high"}]', 'priority must be 1, 2 or 3.'],
  ['[{"title":"a","completed":"yes"}]', 'completed must be true or false.'],
  ['[{"title":"a","id":1},{"title":"b","id":1},{"title":"c","after":[1]}]', 'each of one task in this file.'],
  ['[{"id":1,"title":"a","after":[3]}]', 'Task 1 in -, line 1: after must be'],
  ['[{"id":1,"title":"a","after":[2]},{"id":2,"title":"b","after":[1]}]', 'wait for each other'],
  ['{"tasks":[\n{"title":"a [{"},\n\n{"title":""}]}', 'Task 2 in -, line 4: Title cannot be empty.'],
  [Buffer.from('[{"title":"Prüfen"}]', 'latin1'), 'is neither UTF-8 nor UTF-16. Save it as UTF-8'],
])('an import of %j is refused as a whole, with one sentence', async (input, sentence) => {
  const { run, json } = desk();
  await expect(run(importTasks, { operands: ['-'], input })).rejects.toThrow(sentence);
  expect(await json(list, { flags: { status: 'all' } })).toStrictEqual([]);
});

test('an id that does not exist does not hide what was changed before it', async () => {
  const { run, json } = desk();
  await run(add, { operands: ['Milk'] });
  await expect(run(done, { operands: ['1', '9'] })).rejects.toThrow('Task not found (9).');
  expect(await json(list, { flags: { status: 'completed' } })).toHaveLength(1);
});

test('list prints aligned rows without colors into a pipe, and says how to continue', async () => {
  const { run } = desk();
  const descriptions = [
    ['First', 'with a description'],
    ['Second', ''],
    ['Third\u202E', 'line 1\nline 2'],
  ];
  for (const [title = '', description = ''] of descriptions) {
    await run(add, { operands: [title], flags: { description } });
  }
  await run(add, { operands: ['Fourth'], flags: { due: '2020-01-02' } });
  await run(done, { operands: ['2'] });
  const all = await run(list, { flags: { status: 'all' } });
  expect(all.stdout.split('\n')).toStrictEqual([
    '4  [ ]  2020-01-02  Fourth',
    '3  [ ]              Third\\u{202e}  line 1 line 2',
    '2  [x]              Second',
    '1  [ ]              First  with a description',
    '',
  ]);
  expect(all.stderr).toBe('');
  const first = await run(list, { flags: { limit: '1' } });
  expect(first).toStrictEqual({
    code: 0,
    stdout: '4  [ ]  2020-01-02  Fourth\n',
    stderr: '2 more. Continue with --after 4.\n',
  });
  const next = await run(list, { flags: { limit: '2', after: '4' } });
  expect(next.stdout).toBe('3  [ ]  Third\\u{202e}  line 1 line 2\n1  [ ]  First  with a description\n');
  expect((await run(search, { operands: ['desc'] })).stdout).toBe('1  [ ]  First  with a description\n');
  const none = { code: 0, stdout: '', stderr: 'No task has these words. Try their first letters.\n' };
  expect(await run(search, { operands: ['missing'] })).toStrictEqual(none);
});

test('list shows what is overdue, due today, due later and without a date, by date and priority, page by page', async () => {
  const { run, json } = deskAt(new Date(2026, 10, 30, 12));
  for (const [title, due, priority] of [
    ['Some day', '', 'none'],
    ['Today, later', 'today', 'none'],
    ['Next year', '2027-01-01', '1'],
    ['Today, first', 'today', '1'],
    ['Tomorrow', 'tomorrow', '3'],
    ['Overdue', '2026-11-29', '3'],
    ['Long overdue', '2026-01-01', 'none'],
    ['Any day, first', '', '2'],
    ['Some day, newer', '', 'none'],
    ['Done', 'today', '1'],
  ] as const) {
    await run(add, { operands: [title], flags: { due, priority } });
  }
  await run(done, { operands: ['10'] });
  const shown = await run(list, { terminal: 80, env: { NO_COLOR: '1' } });
  expect(shown.stdout.split('\n')).toStrictEqual([
    'Overdue',
    '7  [ ]  2026-01-01  Long overdue',
    '6  [ ]  2026-11-29  Overdue',
    '',
    'Today',
    '4  [ ]  2026-11-30  Today, first',
    '2  [ ]  2026-11-30  Today, later',
    '',
    'Later',
    '5  [ ]  2026-12-01  Tomorrow',
    '3  [ ]  2027-01-01  Next year',
    '',
    'Without a date',
    '8  [ ]              Any day, first',
    '9  [ ]              Some day, newer',
    '1  [ ]              Some day',
    '',
  ]);
  expect((await run(list)).stdout).toBe(shown.stdout.match(/^\d.*\n/gm)?.join(''));
  const pages = [await run(list, { flags: { limit: '4' } })];
  for (const after of ['2', '9']) pages.push(await run(list, { flags: { limit: '4', after } }));
  expect(pages.map(({ stdout }) => stdout.match(/^\d/gm)?.join(''))).toStrictEqual(['7642', '5389', '1']);
  expect(pages.map(({ stderr }) => stderr)).toStrictEqual([
    '5 more. Continue with --after 2.\n',
    '1 more. Continue with --after 9.\n',
    '',
  ]);
  // A task that was completed since the page before still says where it was.
  await run(done, { operands: ['4'] });
  expect(await json(list, { flags: { limit: '1', after: '4' } })).toMatchObject([{ id: 2 }]);
  await expect(run(list, { flags: { after: '99' } })).rejects.toThrow('Task not found');
  expect(await json(list, { flags: { 'due-by': 'today' } })).toMatchObject([{ id: 7 }, { id: 6 }, { id: 2 }]);
  const rest = await run(list, { flags: { 'due-by': 'today', limit: '1' } });
  expect(rest.stderr).toBe('2 more. Continue with --after 7.\n');
});

test('list fits a terminal, with colors unless NO_COLOR is set', async () => {
  const { run } = desk();
  await run(add, {
    operands: ['A task with a long title'],
    flags: { due: '2020-01-02', description: 'and more' },
  });
  await run(add, { operands: ['done'] });
  await run(done, { operands: ['2'] });
  const flags = { status: 'all' };
  const colored = await run(list, { flags, terminal: 40 });
  expect(colored.stdout).toBe(
    '2  [x]  \u001B[2m            done\u001B[22m\n1  [ ]  \u001B[31m2020-01-02  \u001B[39mA task with a long …\n',
  );
  const plain = await run(list, { flags, terminal: 40, env: { NO_COLOR: '1' } });
  expect(plain.stdout).toBe('2  [x]              done\n1  [ ]  2020-01-02  A task with a long …\n');
  // This one does not know its size.
  const whole = await run(list, { flags, terminal: 0, env: { NO_COLOR: '1' } });
  expect(whole.stdout).toContain('A task with a long title  and more\n');
});

test('list cuts wide characters and other letters at the edge of a terminal', async () => {
  const { run } = desk();
  await run(add, { operands: ['買い物リストを書く'], flags: { description: '牛乳と卵' } });
  await run(add, { operands: ['👩‍🚀🇯🇵👍🏽'], flags: { description: 'café' } });
  await run(add, { operands: ['e\u0301'.repeat(20)] });
  await run(add, { operands: ['Купить молоко и хлеб'] });
  const { stdout } = await run(list, { terminal: 24, env: { NO_COLOR: '1' } });
  // Wide characters and emoji have two columns, combining marks none.
  expect(stdout.split('\n')).toStrictEqual([
    '4  [ ]  Купить молоко и…',
    `3  [ ]  ${'e\u0301'.repeat(15)}…`,
    '2  [ ]  👩‍🚀🇯🇵👍🏽  café',
    '1  [ ]  買い物リストを…',
    '',
  ]);
});

test('an export as Markdown is a checklist, which an import reads', async () => {
  const { folder, run, json } = desk();
  await run(add, {
    operands: ['Buy\n\ngroceries'],
    flags: { due: '2026-11-30', description: 'milk\n\neggs' },
  });
  await run(add, { operands: ['Call mom'] });
  await run(done, { operands: ['2'] });
  const exported = await run(exportTasks, { flags: { format: 'markdown' } });
  expect(exported.stdout).toBe(
    '- [ ] Buy&#10;&#10;groceries (due 2026-11-30)\n  milk\n  \n  eggs\n- [x] Call mom\n',
  );
  const file = join(folder, 'tasks.MD');
  writeFileSync(
    file,
    `# Tasks\r\n\r\nnot a task\r\n* [X] From a list\n\n${exported.stdout}end\n  not a description\n`,
  );
  const imported = await run(importTasks, { operands: [file], env: { TODO_USER_ID: 'anna' } });
  expect(imported.stderr).toBe('Left out 4 lines without a task: 1, 3, 11, 12\n');
  const tasks = await json(list, { flags: { status: 'all' }, env: { TODO_USER_ID: 'anna' } });
  expect(tasks).toMatchObject([
    { title: 'Call mom', completed: true, description: null },
    { title: 'Buy\n\ngroceries', completed: false, description: 'milk\n\neggs', due_date: '2026-11-30' },
    { title: 'From a list', completed: true, description: null },
  ]);
});

const renumbered = (text: string) =>
  JSON.stringify(JSON.parse(text)).replaceAll(/"id":\d+,|"after":\[[\d,]*\]/g, '');

test('an export as JSON and an import keep everything but the ids, and the order of work', async () => {
  const { folder, file, run, json } = desk();
  {
    await using store = sqliteTaskStore({ file, now: () => NOW });
    const anna = callerContext('anna');
    const titles = ['gone', 'Buy\ngroceries 😀', 'b', 'c'];
    for (const title of titles) await store.add(anna, { title, description: null });
    await store.update(anna, 2, { after: [4], description: 'a\n  b', priority: 1 });
    await store.update(anna, 4, { after: [1, 3], every: 'mon and thu', dueDate: '2026-11-30' });
    await store.complete(anna, 3);
    await store.remove(anna, 1);
  }
  const exported = await run(exportTasks, { env: { TODO_USER_ID: 'anna' } });
  expect(exported.stderr).toBe('Exported 3 tasks.\n');
  writeFileSync(join(folder, 'tasks.json'), exported.stdout);
  const imported = await run(importTasks, { operands: [join(folder, 'tasks.json')] });
  expect(imported.stdout).toBe('Imported 3 tasks.\n');
  const again = await run(exportTasks);
  expect(renumbered(again.stdout)).toBe(renumbered(exported.stdout));
  expect(await json(show, { operands: ['1'] })).toMatchObject({ description: 'a\n  b', after: [3] });
  expect(await json(show, { operands: ['2'] })).toMatchObject({ title: 'b', completed: true });
  expect(await json(show, { operands: ['3'] })).toMatchObject({ after: [2], every: 'mon and thu' });
});

test('an import says which parts of a JSON file tasks do not have', async () => {
  const { run } = desk();
  const input = '[{"title":"a","due":"2026-01-01","\\u001b[2J":1,"next_task_id":3},{"title":"b","due":"x"}]';
  expect(await run(importTasks, { operands: ['-'], input })).toMatchObject({
    stdout: 'Imported 2 tasks.\n',
    stderr: 'Left out what tasks do not have: due, \\u{1b}[2J, next_task_id\n',
  });
});

test.each(['utf-16le', 'utf-16be', 'utf-8', 'utf-8 with a mark'])(
  'a file in %s is imported',
  async (encoding) => {
    const { folder, run, json } = desk();
    const content = '- [ ] Prüfen 😀\n';
    const marked = Buffer.from(`\uFEFF${content}`, encoding.startsWith('utf-16') ? 'utf16le' : 'utf8');
    const bytes =
      encoding === 'utf-16be' ? marked.swap16() : encoding === 'utf-8' ? Buffer.from(content) : marked;
    writeFileSync(join(folder, 'tasks.md'), bytes);
    await run(importTasks, { operands: [join(folder, 'tasks.md')] });
    expect(await json(list)).toMatchObject([{ title: 'Prüfen 😀' }]);
  },
);

test('backup copies a database that a server uses into a new private file', async () => {
  const { folder, file, run, json } = desk();
  await using store = sqliteTaskStore({ file });
  await store.add(callerContext('owner'), { title: 'in the write-ahead log', description: null });
  const copy = join(folder, 'copy.sqlite');
  expect((await run(backup, { operands: [copy] })).stdout).toBe(`Saved ${file} to ${copy}.\n`);
  expect(statSync(copy).mode & 0o777).toBe(0o600);
  expect(readdirSync(folder)).not.toContain('copy.sqlite.partial');
  await expect(run(backup, { operands: [copy] })).rejects.toThrow(`${copy} exists. Choose a new file.`);
  expect(await json(list, { env: { TODO_DATABASE_URL: copy } })).toMatchObject([
    { title: 'in the write-ahead log' },
  ]);
  const other = { TODO_DATABASE_URL: join(folder, 'missing.sqlite') };
  await expect(run(backup, { operands: [join(folder, 'x')], env: other })).rejects.toThrow('does not exist');
});

test('audit shows the newest changes without titles, and counts the other calls', async () => {
  const { run, json } = desk();
  await run(add, { operands: ['zebra'] });
  await expect(run(done, { operands: ['9'] })).rejects.toThrow('Task not found');
  const shown = await run(audit);
  expect(shown.stdout.replaceAll(/^\S+ \S+/gm, 'TIME')).toBe('TIME  owner  command add  1  ok\n');
  expect(await json(audit)).toMatchObject([
    { actor: 'owner', tool: 'command add', outcome: 'ok', task_id: 1 },
  ]);
  const counted = await run(audit, { flags: { counts: true } });
  expect(counted.stdout.replaceAll(/^\S+/gm, 'DAY')).toBe('DAY  command done  1  task_not_found\n');
  expect(await json(audit, { flags: { counts: true } })).toMatchObject([
    { actor: 'owner', tool: 'command done', outcome: 'task_not_found', calls: 1 },
  ]);
});

test('a backup that fails leaves no file', async () => {
  const { folder, file, run } = desk();
  writeFileSync(file, 'Dear diary, '.repeat(1000));
  await expect(run(backup, { operands: [join(folder, 'copy.sqlite')] })).rejects.toThrow('The backup failed');
  expect(readdirSync(folder)).toStrictEqual(['todo.sqlite']);
});
