import { describe, expect, test } from 'vitest';
import { describeClaims } from './store-claims.ts';
import { describeRecurrence } from './store-recurrence.ts';
import { describeTokens } from './store-tokens.ts';
import { describeKeys, describeRestore, describeSearch } from './store-extensions.ts';
import type { CallerContext, TaskPage, TaskStore } from '../store/task-store.ts';
import { callerContext, type OpenStore } from './store-under-test.ts';

const anna = callerContext('anna');
const ben = callerContext('ben');
const everything = { status: 'all', limit: 9 } as const;
const SECRET = 'zebra';

/** The behavior of every TaskStore, whatever its database. */
export function describeTaskStore(database: string, open: OpenStore): void {
  describe(`task store on ${database}`, () => {
    describeTasks(open);
    describePages(open);
    describeUsers(open);
    describeAudit(open);
    describeSearch(open);
    describeRestore(open);
    describeKeys(open);
    describeClaims(open);
    describeRecurrence(open);
    describeTokens(open);
    describeWatch(open);
  });
}

function describeTasks(open: OpenStore): void {
  test("a new task is pending, has the user's next id from 1, and a date in whole seconds", async () => {
    const { store } = await open();
    const first = await store.add(anna, { title: 'Milk', description: null });
    expect(first).toStrictEqual({
      id: 1,
      title: 'Milk',
      description: null,
      completed: false,
      createdAt: '2025-12-20T10:30:00Z',
      dueDate: null,
      project: null,
      priority: null,
      after: [],
      every: null,
      nextId: null,
    });
    expect(await store.add(anna, { title: 'Bread', description: 'rye' })).toMatchObject({
      id: 2,
      description: 'rye',
    });
    expect(await store.add(ben, { title: 'Eggs', description: null })).toMatchObject({ id: 1 });
  });

  test('an id is never reused, even after the newest or every task was removed', async () => {
    const { store } = await open();
    for (const title of ['a', 'b', 'c']) await store.add(anna, { title, description: null });
    await store.remove(anna, 3);
    expect(await store.add(anna, { title: 'd', description: null })).toMatchObject({ id: 4 });
    for (const id of [1, 2, 4]) await store.remove(anna, id);
    expect(await store.add(anna, { title: 'e', description: null })).toMatchObject({ id: 5 });
  });

  test('parallel add calls get different ids in call order', async () => {
    const { store } = await open();
    const titles = Array.from({ length: 20 }, (_, index) => `task ${index + 1}`);
    const added = await Promise.all(titles.map((title) => store.add(anna, { title, description: null })));
    expect(added.map((task) => `task ${task.id}`)).toStrictEqual(titles);
  });

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

  test('add stores every byte of title and description', async () => {
    const { store } = await open();
    const title = ' \t"quoted\' \\ %_;--\r\n😀 e\u0301 \u202E\u200B\u001B[31m ';
    const added = await store.add(anna, { title, description: title });
    expect(added).toMatchObject({ title, description: title });
    expect((await store.list(anna, { status: 'all', limit: 1 })).tasks).toStrictEqual([added]);
  });

  test('complete returns the task, the second time too', async () => {
    const { store } = await open();
    const added = await store.add(anna, { title: 'Milk', description: 'oat' });
    const completed = { ...added, completed: true };
    expect(await store.complete(anna, 1)).toStrictEqual(completed);
    expect(await store.complete(anna, 1)).toStrictEqual(completed);
  });

  test('remove returns the task before its removal, and undefined the second time', async () => {
    const { store } = await open();
    await store.add(anna, { title: 'Milk', description: 'oat' });
    const completed = await store.complete(anna, 1);
    expect(await store.remove(anna, 1)).toStrictEqual(completed);
    expect(await store.remove(anna, 1)).toBeUndefined();
    expect(await store.list(anna, everything)).toStrictEqual({ tasks: [], remaining: 0 });
  });

  test('update changes the given fields only', async () => {
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
    expect((await store.list(anna, everything)).tasks).toStrictEqual([other, { ...task, ...both }]);
  });

  test.each([0, -1, 2, 1.5, 2 ** 31, 2 ** 53, 1e300])(
    'complete, remove and update find no task with id %d',
    async (id) => {
      const { store } = await open();
      await store.add(anna, { title: 'Milk', description: null });
      expect(await store.complete(anna, id)).toBeUndefined();
      expect(await store.remove(anna, id)).toBeUndefined();
      expect(await store.update(anna, id, { title: 'Cream' })).toBeUndefined();
    },
  );
}

function describePages(open: OpenStore): void {
  test('list returns the newest tasks first, and continues after an id', async () => {
    const { store } = await open();
    await addTasks(store, 5);
    const list = async (limit: number, afterId?: number): Promise<unknown> =>
      idsOf(await store.list(anna, { status: 'all', limit, ...(afterId === undefined ? {} : { afterId }) }));
    expect(await list(2)).toStrictEqual({ ids: [5, 4], remaining: 3 });
    expect(await list(2, 4)).toStrictEqual({ ids: [3, 2], remaining: 1 });
    expect(await list(2, 2)).toStrictEqual({ ids: [1], remaining: 0 });
    expect(await list(2, 1)).toStrictEqual({ ids: [], remaining: 0 });
    expect(await list(4)).toStrictEqual({ ids: [5, 4, 3, 2], remaining: 1 });
    expect(await list(5)).toStrictEqual({ ids: [5, 4, 3, 2, 1], remaining: 0 });
    expect(await list(6)).toStrictEqual({ ids: [5, 4, 3, 2, 1], remaining: 0 });
  });

  test('remaining is the number of matching tasks below the page, also in a list of thousands', async () => {
    const { store } = await open();
    const LAST_ID = 2100;
    await store.addAll(
      anna,
      Array.from({ length: LAST_ID }, (_, index) => ({ title: `${index}`, description: null })),
    );
    const completed = [1, 2, 500, 999, 1000, 1001, 1998, 1999, 2000, 2001];
    for (const id of [3, ...completed]) await store.complete(anna, id);
    for (const id of [3, 1002]) await store.remove(anna, id);
    const ids = Array.from({ length: LAST_ID }, (_, index) => index + 1).filter(
      (id) => id !== 3 && id !== 1002,
    );
    for (const status of ['all', 'pending', 'completed'] as const) {
      const matching = ids.filter(
        (id) => status === 'all' || completed.includes(id) === (status === 'completed'),
      );
      for (const afterId of [LAST_ID + 1, 2002, 2001, 2000, 1999, 1003, 1001, 1000, 999, 4, 2, 1]) {
        const following = matching.filter((id) => id < afterId).toReversed();
        expect(
          idsOf(await store.list(anna, { status, limit: 2, afterId })),
          `${status} ${afterId}`,
        ).toStrictEqual({
          ids: following.slice(0, 2),
          remaining: Math.max(0, following.length - 2),
        });
      }
    }
  });
}

function describeUsers(open: OpenStore): void {
  test("no method finds or changes another user's task", async () => {
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

  test.each(['Anna', 'anna ', 'ann%', "anna' OR '1'='1", ''])(
    'user %j does not see the tasks of anna',
    async (user) => {
      const { store } = await open();
      await store.add(anna, { title: 'Milk', description: null });
      expect(await store.list(callerContext(user), everything)).toStrictEqual({ tasks: [], remaining: 0 });
      expect(await store.remove(callerContext(user), 1)).toBeUndefined();
    },
  );

  test('a user without tasks gets an empty list, and the first task has id 1', async () => {
    const { store } = await open();
    expect(await store.list(ben, everything)).toStrictEqual({ tasks: [], remaining: 0 });
    expect(await store.complete(ben, 1)).toBeUndefined();
    store.recordRejection(ben, 'invalid');
    expect(await store.add(ben, { title: 'Eggs', description: null })).toMatchObject({ id: 1 });
  });
}

function describeAudit(open: OpenStore): void {
  test('the audit has a row per change, with the names of changed fields and without task texts, and counts the rest', async () => {
    const { store, audit } = await open();
    await store.add(backendCall('add_task'), {
      title: `${SECRET} title`,
      description: `${SECRET} description`,
    });
    await store.list(backendCall('list_tasks'), { status: 'all', limit: 1 });
    await store.complete(backendCall('complete_task'), 1);
    await store.update(backendCall('update_task'), 1, { title: `${SECRET} 2`, description: null });
    await store.update(backendCall('update_task'), 1, { description: `${SECRET} 3` });
    await store.update(backendCall('update_task'), 2, { title: `${SECRET} 4` });
    await store.remove(backendCall('delete_task'), 1);
    await store.remove(backendCall('delete_task'), 1);
    await store.complete(backendCall('complete_task'), 1e300);
    store.recordRejection({ actor: 'backend', user: 'ben', tool: 'add_task' }, 'user_not_found');
    const { counts } = await store.readAudit({ ...backendCall('audit'), user: 'backend' }, 9);
    expect(counts.map(({ day, tool, outcome, calls }) => [day, tool, outcome, calls])).toStrictEqual([
      [20_442, 'add_task', 'user_not_found', 1],
      [20_442, 'complete_task', 'task_not_found', 1],
      [20_442, 'delete_task', 'task_not_found', 1],
      [20_442, 'list_tasks', 'ok', 1],
      [20_442, 'update_task', 'task_not_found', 1],
    ]);
    const rows = await audit();
    expect(rows.map(({ tool, outcome, taskId, changed }) => [tool, outcome, taskId, changed])).toStrictEqual([
      ['add_task', 'ok', 1, null],
      ['complete_task', 'ok', 1, null],
      ['update_task', 'ok', 1, 'title,description'],
      ['update_task', 'ok', 1, 'description'],
      ['delete_task', 'ok', 1, null],
    ]);
    expect(new Set(rows.map((row) => `${row.actor} for ${row.user}`))).toStrictEqual(
      new Set(['backend for anna']),
    );
    expect(JSON.stringify(rows)).not.toContain(SECRET);
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

function describeWatch(open: OpenStore): void {
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

function backendCall(tool: string): CallerContext {
  return { actor: 'backend', user: 'anna', tool };
}

async function addTasks(store: TaskStore, count: number): Promise<void> {
  for (let number = 1; number <= count; number += 1) {
    await store.add(anna, { title: `task ${number}`, description: null });
  }
}

function idsOf({ tasks, remaining }: TaskPage): { ids: number[]; remaining: number } {
  return { ids: tasks.map((task) => task.id), remaining };
}
