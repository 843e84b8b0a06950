import { expect, test } from 'vitest';
import { IdempotencyConflict, type TaskPage, type TaskQuery } from '../store/task-store.ts';
import { wordsOf } from '../store/words.ts';
import type { OpenStore } from './store-under-test.ts';

const anna = { actor: 'anna', user: 'anna', tool: 'some_tool' };
const ben = { actor: 'ben', user: 'ben', tool: 'some_tool' };
const DAY_MS = 86_400_000;
const all = { status: 'all', limit: 9 } as const;

const search = (query: string, rest: Partial<TaskQuery> = {}) => ({ ...all, words: wordsOf(query), ...rest });
const task = (title: string, description: string | null = null) => ({ title, description });
const titles = ({ tasks }: TaskPage) => tasks.map(({ title }) => title);

/** The behavior of every TaskStore beyond the contract: search. */
export function describeSearch(open: OpenStore): void {
  test('a search finds tasks whose title or description has a word that starts with each word', async () => {
    const { store } = await open();
    for (const each of [
      task('Buy groceries', 'milk, EGGS and bread'),
      task('Call mom about the milkman'),
      task('Café Zürich: table for two'),
      task('दूध खरीदें'),
      task('e-mail a.b@example.com, "quoted" AND OR NOT near*'),
    ]) {
      await store.add(anna, each);
    }
    const found = async (query: string) => titles(await store.list(anna, search(query)));
    expect(await found('milk')).toStrictEqual(['Call mom about the milkman', 'Buy groceries']);
    expect(await found('MILK egg')).toStrictEqual(['Buy groceries']);
    expect(await found('groc bread')).toStrictEqual(['Buy groceries']);
    expect(await found('ilk')).toStrictEqual([]);
    expect(await found('cafe zurich')).toStrictEqual(['Café Zürich: table for two']);
    expect(await found('CAFE\u0301')).toStrictEqual(['Café Zürich: table for two']);
    expect(await found('दूध')).toStrictEqual(['दूध खरीदें']);
    expect(await found('not "near example')).toHaveLength(1);
    expect(await found("a' | b:* ) title")).toStrictEqual([]);
  });

  test.each([
    ['list', {}],
    ['search', { words: wordsOf('milk') }],
  ])(
    'a %s is filtered by status and returned in pages, newest first, also after a task was restored',
    async (_, query) => {
      const { store } = await open();
      for (const user of [ben, anna, anna, ben, anna, anna, anna]) await store.add(user, task('Milk'));
      await store.complete(anna, 2);
      await store.remove(anna, 1);
      await store.restore(anna, 1);
      const page = async (rest: Partial<TaskQuery>) => {
        const { tasks, remaining } = await store.list(anna, { ...all, ...query, ...rest });
        return [tasks.map(({ id }) => id), remaining];
      };
      expect(await page({})).toStrictEqual([[5, 4, 3, 2, 1], 0]);
      expect(await page({ limit: 2 })).toStrictEqual([[5, 4], 3]);
      expect(await page({ limit: 2, afterId: 4 })).toStrictEqual([[3, 2], 1]);
      expect(await page({ limit: 2, afterId: 2 })).toStrictEqual([[1], 0]);
      expect(await page({ limit: 1, afterId: 99 })).toStrictEqual([[5], 4]);
      expect(await page({ status: 'pending', limit: 3 })).toStrictEqual([[5, 4, 3], 1]);
      expect(await page({ status: 'completed' })).toStrictEqual([[2], 0]);
    },
  );

  test('a search reads all tasks of the user, and counts what it does not return', async () => {
    const { store } = await open();
    const tasks = Array.from({ length: 4001 }, (_, index) =>
      task(index < 1500 ? `old many ${index % 7}` : 'many'),
    );
    await store.addAll(anna, tasks);
    await store.add(ben, task('many old'));
    const page = async (query: string, rest: Partial<TaskQuery> = {}) => {
      const found = await store.list(anna, search(query, { limit: 1, ...rest }));
      return [...found.tasks.map(({ id }) => id), found.remaining];
    };
    expect(await page('many')).toStrictEqual([4001, 4000]);
    expect(await page('old many')).toStrictEqual([1500, 1499]);
    expect(await page('old many', { afterId: 900 })).toStrictEqual([899, 898]);
    expect(await page('old 6', { afterId: 2001 })).toStrictEqual([1498, 213]);
  });
}

/** The behavior of every TaskStore beyond the contract: what undoes a change. */
export function describeRestore(open: OpenStore): void {
  test('a removed task can be restored for 30 days', async () => {
    const { store, pass } = await open();
    await store.add(anna, task('first'));
    await store.add(anna, task('second'));
    await store.remove(anna, 1);
    pass(DAY_MS);
    await store.remove(anna, 2);
    pass(29 * DAY_MS);
    expect(await store.restore(anna, 1)).toBeUndefined();
    expect(await store.restore(anna, 2)).toMatchObject({ title: 'second' });
    await store.remove(anna, 2);
    pass(30 * DAY_MS - 1);
    expect(await store.restore(anna, 2)).toMatchObject({ title: 'second' });
  });
}

/** The behavior of every TaskStore beyond the contract: adding once, and adding many. */
export function describeKeys(open: OpenStore): void {
  test('a repeated key with the same task adds nothing and returns the same task for 24 hours', async () => {
    const { store, pass } = await open();
    const milk = { ...task('Milk', 'oat'), dueDate: '2025-12-24' };
    const added = await store.add(anna, milk, 'key');
    expect(added).toMatchObject({ id: 1 });
    await store.update(anna, 1, { title: 'Cream' });
    await store.remove(anna, 1);
    pass(DAY_MS - 1);
    expect(await store.add(anna, milk, 'key')).toStrictEqual(added);
    expect(await store.list(anna, all)).toMatchObject({ tasks: [] });
    expect(await store.add(anna, milk, 'other key')).toMatchObject({ id: 2 });
    expect(await store.add(ben, milk, 'key')).toMatchObject({ id: 1 });
    pass(1);
    expect(await store.add(anna, milk, 'key')).toMatchObject({ id: 3 });
  });

  test('a key that was used for another task is refused and changes nothing', async () => {
    const { store } = await open();
    await store.add(anna, task('Milk'), 'key');
    const dated = { ...task('Milk'), dueDate: '2025-12-24' };
    const recurring = { ...task('Milk'), every: 'week' };
    for (const other of [task('Bread'), task('Milk', 'oat'), dated, recurring]) {
      await expect(store.add(anna, other, 'key')).rejects.toThrow(IdempotencyConflict);
    }
    expect(await store.add(anna, task('Eggs'))).toMatchObject({ id: 2 });
    const { changes, counts } = await store.readAudit(anna, 9);
    expect(changes.map(({ taskId }) => taskId)).toStrictEqual([2, 1]);
    expect(counts).toMatchObject([{ actor: 'anna', outcome: 'invalid', calls: 4 }]);
  });

  test('parallel calls with one key add one task', async () => {
    const { store } = await open();
    const calls = Array.from({ length: 8 }, () => store.add(anna, task('Milk'), 'key'));
    expect((await Promise.all(calls)).map(({ id }) => id)).toStrictEqual([1, 1, 1, 1, 1, 1, 1, 1]);
    expect(await store.list(anna, all)).toMatchObject({ tasks: [{ title: 'Milk' }] });
  });

  test('an addition that the database refuses fails alone, also among others that wait with it', async () => {
    const { store } = await open();
    await store.add(anna, task('first'));
    const refused = { ...task('refused'), priority: 9 };
    const calls = [task('a'), task('b'), refused, task('c')].map((each) => store.add(anna, each));
    const settled = await Promise.allSettled(calls);
    expect(settled.map(({ status }) => status)).toStrictEqual([
      'fulfilled',
      'fulfilled',
      'rejected',
      'fulfilled',
    ]);
    expect(titles(await store.list(anna, all))).toStrictEqual(['c', 'b', 'a', 'first']);
    expect(await store.add(anna, task('next'))).toMatchObject({ id: 5 });
  });

  test('addAll adds tasks that existed elsewhere, all of them or none', async () => {
    const { store } = await open();
    const createdAt = new Date('2024-02-29T08:00:00.700Z');
    const added = await store.addAll(anna, [
      { ...task('old', 'text'), completed: true, createdAt, dueDate: '2024-03-01' },
      task('new'),
    ]);
    expect(added).toMatchObject([
      { id: 1, completed: true, createdAt: '2024-02-29T08:00:00Z', dueDate: '2024-03-01' },
      { id: 2, completed: false, createdAt: '2025-12-20T10:30:00Z', dueDate: null },
    ]);
    const broken = [task('third'), { ...task('fourth'), createdAt: new Date(Number.NaN) }];
    await expect(store.addAll(anna, broken)).rejects.toThrow(/./);
    expect((await store.list(anna, all)).tasks).toStrictEqual(added.toReversed());
  });
}
