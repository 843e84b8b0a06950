import { expect, test } from 'vitest';
import { callOf, type OpenStore } from './store-under-test.ts';

const anna = callOf('anna');
const ben = callOf('ben');

export function testTasks(open: OpenStore): void {
  test('a new task is pending, numbered from 1 for each user, and dated in whole seconds', async () => {
    const { store } = await open();
    const first = await store.add(anna, { title: 'Milk', description: null });
    expect(first).toStrictEqual({
      id: 1,
      title: 'Milk',
      description: null,
      completed: false,
      createdAt: '2025-12-20T10:30:00Z',
    });
    expect(await store.add(anna, { title: 'Bread', description: 'rye' })).toMatchObject({
      id: 2,
      description: 'rye',
    });
    expect(await store.add(ben, { title: 'Eggs', description: null })).toMatchObject({ id: 1 });
  });

  test('a number is never used twice, even if the newest or every task was removed', async () => {
    const { store } = await open();
    for (const title of ['a', 'b', 'c']) await store.add(anna, { title, description: null });
    await store.remove(anna, 3);
    expect(await store.add(anna, { title: 'd', description: null })).toMatchObject({ id: 4 });
    for (const id of [1, 2, 4]) await store.remove(anna, id);
    expect(await store.add(anna, { title: 'e', description: null })).toMatchObject({ id: 5 });
  });

  test('calls that are made at once get different numbers, in their order', async () => {
    const { store } = await open();
    const titles = Array.from({ length: 20 }, (_, index) => `task ${index + 1}`);
    const added = await Promise.all(titles.map((title) => store.add(anna, { title, description: null })));
    expect(added.map((task) => `task ${task.id}`)).toStrictEqual(titles);
  });

  test('texts keep every byte', async () => {
    const { store } = await open();
    const title = ' \t"quoted\' \\ %_;--\r\n😀 e\u0301 \u202E\u200B\u001B[31m ';
    const added = await store.add(anna, { title, description: title });
    expect(added).toMatchObject({ title, description: title });
    expect((await store.list(anna, { status: 'all', limit: 1 })).tasks).toStrictEqual([added]);
  });

  test('completing answers the task, twice as well as once', async () => {
    const { store } = await open();
    const added = await store.add(anna, { title: 'Milk', description: 'oat' });
    const completed = { ...added, completed: true };
    expect(await store.complete(anna, 1)).toStrictEqual(completed);
    expect(await store.complete(anna, 1)).toStrictEqual(completed);
  });

  test('removing answers the task as it was, and once', async () => {
    const { store } = await open();
    await store.add(anna, { title: 'Milk', description: 'oat' });
    const completed = await store.complete(anna, 1);
    expect(await store.remove(anna, 1)).toStrictEqual(completed);
    expect(await store.remove(anna, 1)).toBeUndefined();
    expect(await store.list(anna, { status: 'all', limit: 9 })).toStrictEqual({ tasks: [], remaining: 0 });
  });

  test('an update changes the given fields and no others', async () => {
    const { store } = await open();
    await store.add(anna, { title: 'Milk', description: 'oat' });
    const other = await store.add(anna, { title: 'Bread', description: 'rye' });
    const task = await store.complete(anna, 1);
    expect(await store.update(anna, 1, { title: 'Cream' })).toStrictEqual({ ...task, title: 'Cream' });
    const described = { ...task, title: 'Cream', description: 'soy' };
    expect(await store.update(anna, 1, { description: 'soy' })).toStrictEqual(described);
    expect(await store.update(anna, 1, { description: null })).toStrictEqual({
      ...described,
      description: null,
    });
    const both = { title: 'Tea', description: 'green' };
    expect(await store.update(anna, 1, both)).toStrictEqual({ ...task, ...both });
    expect(await store.update(anna, 1, {})).toStrictEqual({ ...task, ...both });
    expect((await store.list(anna, { status: 'all', limit: 9 })).tasks).toStrictEqual([
      other,
      { ...task, ...both },
    ]);
  });

  test.each([0, -1, 2, 1.5, 2 ** 31, 2 ** 53, 1e300])('%d is no task', async (id) => {
    const { store } = await open();
    await store.add(anna, { title: 'Milk', description: null });
    expect(await store.complete(anna, id)).toBeUndefined();
    expect(await store.remove(anna, id)).toBeUndefined();
    expect(await store.update(anna, id, { title: 'Cream' })).toBeUndefined();
  });
}
