import { describe, expect, test } from 'vitest';
import type { ClaimHolder, TaskStore } from '../store/task-store.ts';
import { callerContext, type OpenStore } from './store-under-test.ts';

const anna = callerContext('anna');
const ben = callerContext('ben');
const HOUR_MS = 3_600_000;
const one: ClaimHolder = { key: 'one', label: 'Claude Code · desk' };
const other: ClaimHolder = { key: 'other', label: 'Codex · desk' };
const task = (title: string) => ({ title, description: null });

const claim = (store: TaskStore, holder: ClaimHolder, id?: number, leaseMs = HOUR_MS) =>
  store.claim(anna, { id, holder, leaseMs });

/** The id of the task that a claim has given; else why there is none. */
async function next(store: TaskStore, holder: ClaimHolder): Promise<number | string | undefined> {
  const outcome = await claim(store, holder);
  return outcome?.kind === 'done' ? outcome.task.id : outcome?.kind;
}

/** The behavior of every TaskStore beyond the contract: order of work and claims. */
export function describeClaims(open: OpenStore): void {
  describe('claims', () => {
    test('reopening a pending task leaves the claim of its holder', async () => {
      const { store } = await open();
      await store.add(anna, task('Milk'));
      await claim(store, one, 1);
      expect(await store.reopen(anna, 1)).toMatchObject({ completed: false });
      expect(await claim(store, other, 1)).toMatchObject({ kind: 'held' });
    });

    test('a claimed task is given to no other holder, who reads who has it, until it is released', async () => {
      const { store } = await open();
      await store.add(anna, task('Milk'));
      await store.add(ben, task('Eggs'));
      const claimed = await claim(store, one);
      expect(claimed).toMatchObject({
        kind: 'done',
        task: { id: 1, title: 'Milk' },
        until: expect.any(Date),
      });
      const until = claimed?.kind === 'done' ? claimed.until : null;
      const holding = { by: 'Claude Code · desk', until };
      expect((await store.list(anna, { status: 'all', limit: 9 })).tasks).toMatchObject([{ claim: holding }]);
      const held = { kind: 'held', ...holding };
      expect(await claim(store, other, 1)).toStrictEqual(held);
      expect(await store.release(anna, 1, other)).toStrictEqual(held);
      expect(await next(store, other)).toBe('none');
      expect(await next(store, one)).toBe('none');
      expect(await claim(store, one, 1)).toMatchObject({ kind: 'done' });
      expect(await store.release(anna, 1, one)).toMatchObject({ kind: 'done', until: null });
      expect(await store.get(anna, 1)).not.toHaveProperty('claim');
      expect(await store.release(anna, 1, one)).toMatchObject({ kind: 'done' });
      expect(await next(store, other)).toBe(1);
      for (const id of [2, 0, 1.5, 1e300]) {
        expect(await claim(store, one, id)).toBeUndefined();
        expect(await store.release(anna, id, one)).toBeUndefined();
      }
      const { changes, counts } = await store.readAudit(anna, 99);
      // Added, claimed, extended, released twice, and claimed by the other one.
      expect(changes).toHaveLength(6);
      expect(counts).toMatchObject([
        { outcome: 'not_claimed', calls: 4 },
        { outcome: 'ok', calls: 2 },
        { outcome: 'task_not_found', calls: 8 },
      ]);
    });

    test('a claim ends with its time, with completion and with deletion', async () => {
      const { store } = await open();
      for (const title of ['a', 'b', 'c']) await store.add(anna, task(title));
      await claim(store, one, 1, 0);
      expect(await claim(store, other, 1)).toMatchObject({ kind: 'done' });
      await claim(store, one, 2);
      expect(await store.complete(anna, 2)).not.toHaveProperty('claim');
      expect(await claim(store, other, 2)).toStrictEqual({ kind: 'completed' });
      await store.reopen(anna, 2);
      expect(await claim(store, other, 2)).toMatchObject({ kind: 'done' });
      await claim(store, one, 3);
      await store.remove(anna, 3);
      await store.restore(anna, 3);
      expect(await claim(store, other, 3)).toMatchObject({ kind: 'done' });
    });

    test('the next task is the first one by own project, priority, due date and id, and is not waiting', async () => {
      const { store } = await open();
      await store.add(anna, task('some day'));
      await store.add(anna, { ...task('due'), dueDate: '2025-12-24' });
      await store.add(anna, { ...task('due first'), dueDate: '2025-12-23' });
      await store.add(anna, { ...task('low'), priority: 3 });
      await store.add(anna, { ...task('high, after 3 and 4'), priority: 1, after: [3, 4] });
      await store.add(anna, { ...task('of the desk'), project: 'desk' });
      expect(await next(store, { ...one, project: 'desk' })).toBe(6);
      expect(await claim(store, one, 5)).toStrictEqual({ kind: 'waits', ids: [3, 4] });
      expect(await next(store, one)).toBe(4);
      await store.complete(anna, 4);
      expect(await next(store, one)).toBe(3);
      await store.remove(anna, 3);
      expect([await next(store, one), await next(store, other), await next(store, one)]).toStrictEqual([
        5, 2, 1,
      ]);
      expect(await next(store, one)).toBe('none');
    });

    test('a list of what is ready, or of a project, has pages', async () => {
      const { store } = await open();
      for (let number = 1; number <= 6; number += 1) {
        await store.add(anna, {
          ...task(`task ${number}`),
          project: number < 4 ? 'desk' : null,
          after: number === 5 ? [1] : [],
        });
      }
      await claim(store, one, 2);
      await store.complete(anna, 6);
      const list = async (query: object) => {
        const page = await store.list(anna, { status: 'all', limit: 2, ...query });
        return [page.tasks.map(({ id }) => id), page.remaining];
      };
      expect(await list({ ready: true })).toStrictEqual([[4, 3], 1]);
      expect(await list({ ready: true, afterId: 3 })).toStrictEqual([[1], 0]);
      expect(await list({ project: 'desk' })).toStrictEqual([[3, 2], 1]);
      expect(await list({ project: 'desk', ready: true })).toStrictEqual([[3, 1], 0]);
      expect(await list({ ready: true, words: ['task'], limit: 9 })).toStrictEqual([[4, 3, 1], 0]);
      expect(await list({ project: 'other' })).toStrictEqual([[], 0]);
    });

    test('a task can wait only for tasks that exist and do not wait for it', async () => {
      const { store } = await open();
      await store.add(anna, task('1'));
      await store.add(anna, { ...task('2'), after: [1] });
      const order = { after: [2], priority: 2, project: 'desk' };
      const given = { ...task('3'), ...order, description: 'three', dueDate: '2025-12-24', every: 'week' };
      const third = await store.add(anna, given, 'key');
      expect(third).toMatchObject(given);
      expect(await store.add(anna, given, 'key')).toStrictEqual(third);
      await expect(store.add(anna, { ...task('4'), after: [1, 7, 9] })).rejects.toThrow('do not exist: 7, 9');
      await expect(store.update(anna, 1, { after: [3] })).rejects.toThrow('Task 1 would wait for itself');
      await expect(store.update(anna, 1, { after: [1] })).rejects.toThrow('Task 1 would wait for itself');
      expect(await store.update(anna, 2, { after: [], priority: 1 })).toMatchObject({
        after: [],
        priority: 1,
      });
      expect(await store.update(anna, 1, { after: [3], priority: null })).toMatchObject({ after: [3] });
      await store.remove(anna, 3);
      expect(await store.restore(anna, 3)).toStrictEqual(third);
      await store.add(ben, task('of ben'));
      await expect(store.update(ben, 1, { after: [2] })).rejects.toThrow('do not exist: 2');
      expect(await store.add(anna, task('4'))).toMatchObject({ id: 4 });
    });

    test('a deleted task stops no other one, and no task can wait for it', async () => {
      const { store } = await open();
      await store.add(anna, task('first'));
      await store.add(anna, { ...task('second'), after: [1] });
      await store.remove(anna, 1);
      await expect(store.add(anna, { ...task('third'), after: [1] })).rejects.toThrow('do not exist: 1');
      await expect(store.update(anna, 2, { after: [1] })).rejects.toThrow('do not exist: 1');
      expect(await claim(store, one, 1)).toBeUndefined();
      expect(await claim(store, one, 2)).toMatchObject({ kind: 'done' });
    });

    test('a restored task does not close a circle', async () => {
      const { store } = await open();
      await store.add(anna, task('1'));
      await store.add(anna, { ...task('2'), after: [1] });
      await store.add(anna, { ...task('3'), after: [2] });
      await store.remove(anna, 2);
      await store.update(anna, 1, { after: [3] });
      expect(await store.restore(anna, 2)).toMatchObject({ after: [] });
      expect(await next(store, one)).toBe(2);
    });

    test('of many claims at once, of several servers, each gets another task', async () => {
      const { store, another } = await open();
      await store.addAll(
        anna,
        Array.from({ length: 12 }, (_, index) => task(`${index}`)),
      );
      const servers = [store, another(), another()];
      const claims = Array.from({ length: 13 }, (_, index) =>
        next(servers[index % 3] ?? store, { key: `${index}`, label: `${index}` }),
      );
      const ids = await Promise.all(claims);
      expect(ids).toHaveLength(13);
      expect(new Set(ids)).toStrictEqual(new Set([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 'none']));
    });
  });
}
