import { expect, test } from 'vitest';
import { callOf, type OpenStore } from './store-under-test.ts';

const anna = callOf('anna');
const ben = callOf('ben');
const everything = { status: 'all', limit: 9 } as const;

export function testIsolation(open: OpenStore): void {
  test("another user's task does not exist, for any method, and stays as it was", async () => {
    const { store } = await open();
    await store.add(anna, { title: 'Milk', description: 'oat' });
    const second = await store.add(anna, { title: 'Bread', description: null });
    const first = await store.complete(anna, 1);
    await store.add(ben, { title: 'Eggs', description: null });
    expect(await store.complete(ben, 2)).toBeUndefined();
    expect(await store.update(ben, 2, { title: 'Stolen', description: null })).toBeUndefined();
    expect(await store.remove(ben, 2)).toBeUndefined();
    const page = await store.list(ben, everything);
    expect(page).toMatchObject({ tasks: [{ id: 1, title: 'Eggs' }], remaining: 0 });
    expect(await store.list(anna, everything)).toStrictEqual({ tasks: [second, first], remaining: 0 });
  });

  test('the same number means to each user the own task', async () => {
    const { store } = await open();
    const milk = await store.add(anna, { title: 'Milk', description: null });
    await store.add(ben, { title: 'Eggs', description: null });
    await store.complete(ben, 1);
    await store.update(ben, 1, { title: 'Ham' });
    await store.remove(ben, 1);
    expect((await store.list(anna, everything)).tasks).toStrictEqual([milk]);
  });

  test('what remains counts only the own tasks', async () => {
    const { store } = await open();
    for (const call of [anna, ben, ben, ben, anna]) await store.add(call, { title: 'x', description: null });
    expect(await store.list(anna, { status: 'all', limit: 1 })).toMatchObject({ remaining: 1 });
    expect(await store.list(anna, { status: 'pending', limit: 1 })).toMatchObject({ remaining: 1 });
  });

  test.each(['Anna', 'anna ', 'ann%', "anna' OR '1'='1", ''])('%j is not anna', async (user) => {
    const { store } = await open();
    await store.add(anna, { title: 'Milk', description: null });
    expect(await store.list(callOf(user), everything)).toStrictEqual({ tasks: [], remaining: 0 });
    expect(await store.remove(callOf(user), 1)).toBeUndefined();
  });

  test('a user without tasks is answered like any other, and the first task is number 1', async () => {
    const { store } = await open();
    expect(await store.list(ben, everything)).toStrictEqual({ tasks: [], remaining: 0 });
    expect(await store.complete(ben, 1)).toBeUndefined();
    await store.refuse(ben, 'invalid');
    expect(await store.add(ben, { title: 'Eggs', description: null })).toMatchObject({ id: 1 });
  });
}
