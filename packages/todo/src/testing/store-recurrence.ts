import { describe, expect, test } from 'vitest';
import { callerContext, type OpenStore } from './store-under-test.ts';

const DAY_MS = 86_400_000;
const anna = callerContext('anna');
const ben = callerContext('ben');
const all = { status: 'all', limit: 9 } as const;
const plants = { title: 'Water the plants', description: 'all', dueDate: '2025-12-22', every: '2 weeks' };

/** Recurring tasks of every TaskStore. The clock says 2025-12-20. */
export function describeRecurrence(open: OpenStore): void {
  describe('recurring tasks', () => {
    test('completing a task adds the next one, which takes the series over; a second completion adds nothing', async () => {
      const { store, pass } = await open();
      const added = await store.add(anna, { ...plants, project: 'home', priority: 1 });
      expect(added).toMatchObject({ id: 1, every: '2 weeks', nextId: null });
      const holder = { key: 'one', label: 'one' };
      await store.claim(anna, { id: 1, holder, leaseMs: DAY_MS });
      pass(5 * DAY_MS);
      const done = { ...added, completed: true, every: null, nextId: 2 };
      expect(await store.complete(anna, 1)).toStrictEqual(done);
      expect(await store.complete(anna, 1)).toStrictEqual(done);
      const next = { ...added, id: 2, createdAt: '2025-12-25T10:30:00Z', dueDate: '2026-01-05' };
      expect((await store.list(anna, all)).tasks).toStrictEqual([next, done]);
      const search = await store.list(anna, { ...all, status: 'pending', words: ['plan', 'wat'] });
      expect(search.tasks).toStrictEqual([next]);
      expect(await store.claim(anna, { holder, leaseMs: DAY_MS })).toMatchObject({ task: { id: 2 } });
      expect(await store.complete(ben, 2)).toBeUndefined();
      expect(await store.complete(anna, 2)).toMatchObject({ every: null, nextId: 3 });
      expect(await store.get(anna, 3)).toMatchObject({ dueDate: '2026-01-19', every: '2 weeks' });
      expect(await store.add(anna, { title: 'Milk', description: null })).toMatchObject({ id: 4 });
    });

    test('eight completions at once, on several servers, add one task', async () => {
      const { store, another } = await open();
      const servers = [store, another(), another(), another()];
      await store.add(anna, plants);
      for (const server of servers) await server.get(anna, 1);
      const calls = [...servers, ...servers].map((server) => server.complete(anna, 1));
      const done = await Promise.all(calls);
      expect(done.map((task) => task?.nextId)).toStrictEqual([2, 2, 2, 2, 2, 2, 2, 2]);
      expect((await store.list(anna, all)).tasks.map(({ id }) => id)).toStrictEqual([2, 1]);
    });

    test('an update begins, changes and ends a series, and a month comes back to its day', async () => {
      const { store } = await open();
      await store.add(anna, { title: 'Pay rent', description: null, after: [] });
      expect(await store.update(anna, 1, { every: 'month', dueDate: '2026-01-31' })).toMatchObject({
        every: 'month',
      });
      await store.complete(anna, 1);
      expect(await store.get(anna, 2)).toMatchObject({ dueDate: '2026-02-28', every: 'month on 31' });
      await store.complete(anna, 2);
      expect(await store.get(anna, 3)).toMatchObject({ dueDate: '2026-03-31', every: 'month' });
      await store.update(anna, 3, { title: 'Rent', every: 'week' });
      await store.complete(anna, 3);
      expect(await store.get(anna, 4)).toMatchObject({
        title: 'Rent',
        dueDate: '2026-04-07',
        every: 'week',
      });
      await store.update(anna, 4, { every: null });
      expect(await store.complete(anna, 4)).toMatchObject({ every: null, nextId: null });
      expect((await store.readAudit(anna, 2)).changes[1]).toMatchObject({ taskId: 4, changed: 'every' });
    });

    test('a new date begins a new series, and a day that the person has chosen stays', async () => {
      const { store } = await open();
      for (const every of ['month', 'month on 31']) {
        await store.add(anna, { title: every, description: null, dueDate: '2026-01-31', every });
      }
      await store.complete(anna, 1);
      await store.complete(anna, 2);
      for (const id of [3, 4]) {
        expect(await store.get(anna, id)).toMatchObject({ dueDate: '2026-02-28', every: 'month on 31' });
        await store.update(anna, id, { dueDate: '2026-03-01' });
      }
      expect(await store.complete(anna, 3)).toMatchObject({ nextId: 5 });
      expect(await store.get(anna, 5)).toMatchObject({ dueDate: '2026-04-01', every: 'month' });
      expect(await store.complete(anna, 4)).toMatchObject({ nextId: 6 });
      expect(await store.get(anna, 6)).toMatchObject({ dueDate: '2026-03-31', every: 'month on 31' });
    });

    test('a task that waited for others is followed by one that waits for none, without a due date from today on', async () => {
      const { store } = await open();
      await store.add(anna, { title: 'Dig', description: null });
      await store.add(anna, { title: 'Plant', description: null, every: 'day', after: [1] });
      await store.complete(anna, 2);
      expect(await store.get(anna, 3)).toMatchObject({ dueDate: '2025-12-21', after: [] });
    });
  });
}
