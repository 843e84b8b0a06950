import { describe, expect, test } from 'vitest';
import { describeClaims } from './store-claims.ts';
import { describeRecurrence } from './store-recurrence.ts';
import { describeTokens } from './store-tokens.ts';
import { describeKeys, describeRestore, describeSearch } from './store-extensions.ts';
import type { CallerContext, TaskStore } from '../store/task-store.ts';
import { callerContext, type OpenStore } from './store-under-test.ts';

const anna = callerContext('anna');
const ben = callerContext('ben');
const everything = { status: 'all', limit: 9 } as const;

/** The behavior of every TaskStore, whatever its database. */
export function describeTaskStore(database: string, open: OpenStore): void {
  describe(`task store on ${database}`, () => {
    describeTasks(open);
    describeAudit(open);
    describeSearch(open);
    describeRestore(open);
    describeKeys(open);
    describeClaims(open);
    describeRecurrence(open);
    describeTokens(open);
  });
}

function describeTasks(open: OpenStore): void {
  test('additions at once are those of their users, in call order, with an audit row each', async () => {
    const { store } = await open();
    const milk = { title: 'Milk', description: null };
    const calls = [anna, anna, ben, anna].map((user, index) =>
      store.addAll(
        user,
        Array.from({ length: index + 1 }, () => milk),
      ),
    );
    const ids = (await Promise.all(calls)).map((tasks) => tasks.map(({ id }) => id));
    expect(ids).toStrictEqual([[1], [2, 3], [1, 2, 3], [4, 5, 6, 7]]);
    expect((await store.readAudit(anna, 9)).changes).toHaveLength(3);
  });

  test("no method finds a task that does not exist, or is another user's", async () => {
    const { store } = await open();
    const milk = await store.add(anna, { title: 'Milk', description: 'oat' });
    const bread = await store.add(anna, { title: 'Bread', description: null });
    const tea = await store.add(anna, { title: 'Tea', description: null });
    await store.remove(anna, 3);
    const eggs = await store.add(ben, { title: 'Eggs', description: null });
    const nothing = Array.from({ length: 9 }, () => undefined);
    for (const id of [2, 3, 4, 0, -1, 1.5, 2 ** 31, 2 ** 53, 1e300])
      expect(await everyMethod(store, ben, id), `${id}`).toStrictEqual(nothing);
    for (const user of ['Anna', 'anna ', "anna' OR '1'='1", ''].map((name) => callerContext(name))) {
      expect(await everyMethod(store, user, 1), user.user).toStrictEqual(nothing);
      expect(await store.list(user, everything)).toStrictEqual({ tasks: [], remaining: 0 });
    }
    expect(await store.list(ben, everything)).toStrictEqual({ tasks: [eggs], remaining: 0 });
    expect(await store.list(anna, everything)).toStrictEqual({ tasks: [bread, milk], remaining: 0 });
    expect(await store.restore(anna, 3)).toStrictEqual(tea);
  });

  test('a subscriber learns which tasks of a user were changed, also by other servers, and of no other user', async () => {
    const { store, another } = await open();
    const other = another();
    const four = ['Milk', 'Bread', 'Eggs', 'Tea'].map((title) => ({ title, description: null }));
    for (const user of [anna, ben]) await store.addAll(user, four);
    const heard: (number | undefined)[] = [];
    const end = store.watch('anna', (id) => void heard.push(id));
    // The first look tells nothing.
    const change = async () => {
      await store.update(anna, 1, {});
      return heard.length;
    };
    await expect.poll(change).toBeGreaterThan(0);
    await other.complete(ben, 4);
    await other.complete(anna, 2);
    await store.update(anna, 3, {});
    await expect.poll(() => heard.filter((id) => id !== 1)).toStrictEqual([2, 3]);
    end();
    await store.update(anna, 3, {});
    await store.list(anna, everything);
    expect(heard.filter((id) => id === 3)).toHaveLength(1);
  });
}

function describeAudit(open: OpenStore): void {
  test('the audit has a row per change, with the names of changed fields and without task texts, and counts the rest', async () => {
    const { store } = await open();
    await store.add(backendCall('add_task'), { title: 'Milk', description: 'oat' });
    await store.list(backendCall('list_tasks'), { status: 'all', limit: 1 });
    await store.complete(backendCall('complete_task'), 1);
    await store.update(backendCall('update_task'), 1, { title: 'Cream', description: null });
    await store.update(backendCall('update_task'), 1, { description: 'sour' });
    await store.update(backendCall('update_task'), 2, { title: 'Eggs' });
    await store.remove(backendCall('delete_task'), 1);
    await store.remove(backendCall('delete_task'), 1);
    await store.complete(backendCall('complete_task'), 1e300);
    store.recordRejection({ actor: 'backend', user: 'ben', tool: 'add_task' }, 'user_not_found');
    const { changes, counts } = await store.readAudit({ ...backendCall('audit'), user: 'backend' }, 9);
    expect(counts.map(({ day, tool, outcome, calls }) => [day, tool, outcome, calls])).toStrictEqual([
      [20_442, 'add_task', 'user_not_found', 1],
      [20_442, 'complete_task', 'task_not_found', 1],
      [20_442, 'delete_task', 'task_not_found', 1],
      [20_442, 'list_tasks', 'ok', 1],
      [20_442, 'update_task', 'task_not_found', 1],
    ]);
    expect(changes).toStrictEqual([
      changedBy('delete_task'),
      changedBy('update_task', 'description'),
      changedBy('update_task', 'title,description'),
      changedBy('complete_task'),
      changedBy('add_task'),
    ]);
    // What is about a user, newest first.
    expect(await store.readAudit(anna, 1)).toStrictEqual({ changes: changes.slice(0, 1), counts: [] });
    expect(await store.readAudit(ben, 9)).toStrictEqual({ changes: [], counts: [] });
  });

  test('counts of a caller are not shown to others, and add up', async () => {
    const { store, pass } = await open();
    for (const caller of [anna, ben, anna]) {
      store.recordRejection(caller, 'invalid');
      await store.readAudit(anna, 9);
    }
    pass(86_400_000);
    store.recordRejection(anna, 'invalid');
    expect((await store.readAudit(anna, 9)).counts).toMatchObject([
      { actor: 'anna', day: 20_443, calls: 1 },
      { actor: 'anna', day: 20_442, calls: 2 },
    ]);
  });
}

/** What each method answers that is about one task. */
function everyMethod(store: TaskStore, caller: CallerContext, id: number): Promise<readonly unknown[]> {
  const holder = { key: 'thief', label: 'thief' };
  return Promise.all([
    store.get(caller, id),
    store.complete(caller, id),
    store.reopen(caller, id),
    store.restore(caller, id),
    store.update(caller, id, { title: 'Stolen', description: null }),
    store.claim(caller, { id, holder, leaseMs: 60_000 }),
    store.release(caller, id, holder),
    store.remove(caller, id),
    store.removeForGood(caller, id),
  ]);
}

function backendCall(tool: string): CallerContext {
  return { actor: 'backend', user: 'anna', tool };
}

/** A row of the audit of `backendCall`. */
function changedBy(tool: string, changed: string | null = null) {
  const row = { at: '2025-12-20T10:30:00Z', actor: 'backend', user: 'anna', outcome: 'ok', taskId: 1 };
  return { ...row, tool, changed };
}
