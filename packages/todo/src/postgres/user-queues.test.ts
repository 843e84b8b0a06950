import { setImmediate as nextTurn } from 'node:timers/promises';
import { UserError } from '@deskside/core/errors';
import { expect, test } from 'vitest';
import { StoreBusy } from '../store/task-store.ts';
import { type ChangeCall, isAddition } from '../store/waiting-calls.ts';
import { UserQueues } from './user-queues.ts';

function* work() {
  yield* [];
}

/** An addition, or another change. */
function callOf(user: string, title: string): ChangeCall {
  const caller = { user, actor: user, tool: 'test' };
  const isAlone = title.startsWith('alone');
  return isAlone
    ? { caller: { ...caller, actor: title }, work }
    : { caller, now: new Date(0), tasks: [{ title, description: null }] };
}

function titleOf(call: ChangeCall): string {
  return isAddition(call) ? (call.tasks[0]?.title ?? '') : call.caller.actor;
}

/** Queues whose groups are answered when the test says so, and what was sent. */
function controlledQueues() {
  const sent: string[] = [];
  const answering = new Map<string, PromiseWithResolvers<void>>();
  const queues = new UserQueues(async (calls) => {
    const titles = calls.map(titleOf);
    const group = `${calls[0]?.caller.user}: ${titles.join(' ')}`;
    sent.push(group);
    const waiting = Promise.withResolvers<void>();
    answering.set(group, waiting);
    await waiting.promise;
    return titles.map((title) => `answer to ${title}`);
  });
  const run = (user: string, title: string) => queues.run(callOf(user, title), performance.now() + 5000);
  return { sent, run, answer: (group: string) => answering.get(group) };
}

test('calls of one user that wait are sent together, in their order, and those of another user at the same time', async () => {
  const { sent, run, answer } = controlledQueues();
  const calls = [run('anna', 'a1'), run('anna', 'a2'), run('ben', 'b1'), run('anna', 'a3')];
  await nextTurn();
  expect(sent).toStrictEqual(['anna: a1', 'ben: b1']);
  answer('anna: a1')?.resolve();
  await nextTurn();
  expect(sent).toStrictEqual(['anna: a1', 'ben: b1', 'anna: a2 a3']);
  answer('anna: a2 a3')?.resolve();
  answer('ben: b1')?.resolve();
  expect(await Promise.all(calls)).toStrictEqual([
    'answer to a1',
    'answer to a2',
    'answer to b1',
    'answer to a3',
  ]);
});

test('a call that cannot be sent with others is sent alone, in its turn', async () => {
  const { sent, run, answer } = controlledQueues();
  const groups = ['a1', 'a2 a3', 'alone', 'a4'];
  const calls = groups.flatMap((group) => group.split(' ')).map((call) => run('anna', call));
  for (const group of groups) {
    answer(`anna: ${group}`)?.resolve();
    await nextTurn();
  }
  await Promise.all(calls);
  expect(sent).toStrictEqual(groups.map((group) => `anna: ${group}`));
});

test('a call that the database rejects as a defect fails alone; a failure of the database fails the group', async () => {
  const { sent, run, answer } = controlledQueues();
  const calls = Promise.allSettled([run('anna', 'a1'), run('anna', 'a2'), run('anna', 'a3')]);
  answer('anna: a1')?.resolve();
  await nextTurn();
  answer('anna: a2 a3')?.reject(new Error('defect'));
  await nextTurn();
  answer('anna: a2')?.reject(new Error('defect'));
  await nextTurn();
  const later = Promise.allSettled([run('anna', 'a4'), run('anna', 'a5')]);
  answer('anna: a3')?.resolve();
  await nextTurn();
  const busy = new StoreBusy();
  expect(UserError.is(busy)).toBe(true);
  answer('anna: a4 a5')?.reject(busy);
  const settled = [...(await calls), ...(await later)];
  expect(settled.map(({ status }) => status)).toStrictEqual([
    'fulfilled',
    'rejected',
    'fulfilled',
    'rejected',
    'rejected',
  ]);
  expect(sent).toHaveLength(5);
});

test('a call whose time is nearly over does not shorten that of a later one', async () => {
  const sent: (readonly [string, number])[] = [];
  const first = Promise.withResolvers<void>();
  const queues = new UserQueues(async (calls, deadlineMs) => {
    const titles = calls.map(titleOf);
    sent.push([titles.join(' '), deadlineMs]);
    if (titles.includes('first')) await first.promise;
    return titles;
  });
  const now = performance.now();
  const times = [
    ['first', 5000],
    ['old', 1000],
    ['new', 5000],
  ] as const;
  const calls = times.map(([call, ms]) => queues.run(callOf('anna', call), now + ms));
  first.resolve();
  await Promise.all(calls);
  expect(sent).toStrictEqual(times.map(([call, ms]) => [call, now + ms]));
});
