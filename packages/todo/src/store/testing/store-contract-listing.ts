import { expect, test } from 'vitest';
import type { TaskPage, TaskStore } from '../task-store.ts';
import { callOf, type OpenStore } from './store-under-test.ts';

const anna = callOf('anna');

export function testListing(open: OpenStore): void {
  test('newest first, and the pages go on below an id', async () => {
    const { store } = await open();
    await addTasks(store, 5);
    const list = async (limit: number, afterId?: number): Promise<unknown> =>
      numbers(
        await store.list(anna, { status: 'all', limit, ...(afterId === undefined ? {} : { afterId }) }),
      );
    expect(await list(2)).toStrictEqual({ ids: [5, 4], remaining: 3 });
    expect(await list(2, 4)).toStrictEqual({ ids: [3, 2], remaining: 1 });
    expect(await list(2, 2)).toStrictEqual({ ids: [1], remaining: 0 });
    expect(await list(2, 1)).toStrictEqual({ ids: [], remaining: 0 });
    expect(await list(4)).toStrictEqual({ ids: [5, 4, 3, 2], remaining: 1 });
    expect(await list(5)).toStrictEqual({ ids: [5, 4, 3, 2, 1], remaining: 0 });
    expect(await list(6)).toStrictEqual({ ids: [5, 4, 3, 2, 1], remaining: 0 });
  });

  test('a page goes on below an id that was removed meanwhile', async () => {
    const { store } = await open();
    await addTasks(store, 4);
    await store.remove(anna, 3);
    expect(numbers(await store.list(anna, { status: 'all', limit: 1, afterId: 3 }))).toStrictEqual({
      ids: [2],
      remaining: 1,
    });
  });

  test('the status filters the tasks and what remains', async () => {
    const { store } = await open();
    await addTasks(store, 6);
    for (const id of [2, 4, 6]) await store.complete(anna, id);
    const list = async (
      status: 'all' | 'pending' | 'completed',
      limit: number,
      afterId = 99,
    ): Promise<unknown> => numbers(await store.list(anna, { status, limit, afterId }));
    expect(await list('pending', 9)).toStrictEqual({ ids: [5, 3, 1], remaining: 0 });
    expect(await list('completed', 9)).toStrictEqual({ ids: [6, 4, 2], remaining: 0 });
    expect(await list('all', 9)).toStrictEqual({ ids: [6, 5, 4, 3, 2, 1], remaining: 0 });
    expect(await list('pending', 1)).toStrictEqual({ ids: [5], remaining: 2 });
    expect(await list('pending', 2, 5)).toStrictEqual({ ids: [3, 1], remaining: 0 });
    expect(await list('completed', 1, 6)).toStrictEqual({ ids: [4], remaining: 1 });
  });
}

async function addTasks(store: TaskStore, count: number): Promise<void> {
  for (let number = 1; number <= count; number += 1) {
    await store.add(anna, { title: `task ${number}`, description: null });
  }
}

function numbers({ tasks, remaining }: TaskPage): { ids: number[]; remaining: number } {
  return { ids: tasks.map((task) => task.id), remaining };
}
