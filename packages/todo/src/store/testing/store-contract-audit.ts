import { expect, test } from 'vitest';
import type { Call } from '../task-store.ts';
import { callOf, type OpenStore } from './store-under-test.ts';

const secret = 'zebra';

export function testAudit(open: OpenStore): void {
  test('one row a call, with the names of changed fields and no text of a task', async () => {
    const { store, audit } = await open();
    await store.add(by('add_task'), { title: `${secret} title`, description: `${secret} description` });
    await store.list(by('list_tasks'), { status: 'all', limit: 1 });
    await store.complete(by('complete_task'), 1);
    await store.update(by('update_task'), 1, { title: `${secret} 2`, description: null });
    await store.update(by('update_task'), 1, { description: `${secret} 3` });
    await store.update(by('update_task'), 2, { title: `${secret} 4` });
    await store.remove(by('delete_task'), 1);
    await store.remove(by('delete_task'), 1);
    await store.complete(by('complete_task'), 1e300);
    const rows = await audit();
    expect(rows.map(({ tool, outcome, taskId, changed }) => [tool, outcome, taskId, changed])).toStrictEqual([
      ['add_task', 'ok', 1, null],
      ['list_tasks', 'ok', null, null],
      ['complete_task', 'ok', 1, null],
      ['update_task', 'ok', 1, 'title,description'],
      ['update_task', 'ok', 1, 'description'],
      ['update_task', 'task_not_found', 2, null],
      ['delete_task', 'ok', 1, null],
      ['delete_task', 'task_not_found', 1, null],
      ['complete_task', 'task_not_found', null, null],
    ]);
    expect(new Set(rows.map((row) => `${row.actor} for ${row.user}`))).toStrictEqual(
      new Set(['backend for anna']),
    );
    expect(JSON.stringify(rows)).not.toContain(secret);
  });

  test('refused calls are recorded as well', async () => {
    const { store, audit } = await open();
    await store.refuse({ actor: 'anna', user: 'ben', tool: 'add_task' }, 'user_not_found');
    await store.refuse(callOf('anna', 'update_task'), 'no_updates', 7);
    await store.refuse(callOf('anna', 'complete_task'), 'task_not_found', 1.5);
    expect(await audit()).toMatchObject([
      {
        actor: 'anna',
        user: 'ben',
        tool: 'add_task',
        outcome: 'user_not_found',
        taskId: null,
        changed: null,
      },
      { actor: 'anna', user: 'anna', tool: 'update_task', outcome: 'no_updates', taskId: 7 },
      { actor: 'anna', user: 'anna', tool: 'complete_task', outcome: 'task_not_found', taskId: null },
    ]);
  });

  test.each([
    ['x'.repeat(5000), 'x'.repeat(100)],
    [`x${'😀'.repeat(200)}`, `x${'😀'.repeat(99)}`],
    ['😀'.repeat(100), '😀'.repeat(100)],
  ])('at most 100 code points of a claimed user are kept', async (claimed, kept) => {
    const { store, audit } = await open();
    await store.refuse({ actor: 'anna', user: claimed, tool: 'add_task' }, 'user_not_found');
    expect(await audit()).toMatchObject([{ user: kept }]);
  });
}

function by(tool: string): Call {
  return { actor: 'backend', user: 'anna', tool };
}
