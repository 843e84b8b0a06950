import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import { StoreBusy } from '../store/task-store.ts';
import { UserQueues } from './user-queues.ts';

/** Work that ends when the test says so, and the order in which work started. */
function controlledWork() {
  const started: string[] = [];
  const ending = new Map<string, () => void>();
  const work = (name: string) => async () => {
    started.push(name);
    const { promise, resolve } = Promise.withResolvers<void>();
    ending.set(name, resolve);
    await promise;
    return name;
  };
  return { started, work, end: (name: string) => ending.get(name)?.() };
}

test('work of one user runs in call order, and work of another user at the same time', async () => {
  const queues = new UserQueues(5000);
  const { started, work, end } = controlledWork();
  const calls = [
    queues.run('anna', work('a1')),
    queues.run('anna', work('a2')),
    queues.run('ben', work('b1')),
  ];
  await nextTurn();
  expect(started).toStrictEqual(['a1', 'b1']);
  end('a1');
  await nextTurn();
  expect(started).toStrictEqual(['a1', 'b1', 'a2']);
  end('a2');
  end('b1');
  expect(await Promise.all(calls)).toStrictEqual(['a1', 'a2', 'b1']);
});

test('the next work runs after failed work', async () => {
  const queues = new UserQueues(5000);
  const failing = queues.run('anna', async () => {
    throw new Error('failed');
  });
  const next = queues.run('anna', async () => 'next');
  await expect(failing).rejects.toThrow('failed');
  expect(await next).toBe('next');
});

test('a cancelled call leaves the queue at once, and the calls behind it keep their turn', async () => {
  const queues = new UserQueues(5000);
  const { started, work, end } = controlledWork();
  const cancelling = new AbortController();
  const first = queues.run('anna', work('first'));
  const cancelled = queues.run('anna', work('cancelled'), cancelling.signal);
  const last = queues.run('anna', work('last'));
  await nextTurn();
  cancelling.abort(new Error('no longer needed'));
  await expect(cancelled).rejects.toThrow('no longer needed');
  await nextTurn();
  expect(started).toStrictEqual(['first']);
  end('first');
  await first;
  await nextTurn();
  expect(started).toStrictEqual(['first', 'last']);
  end('last');
  expect(await last).toBe('last');
});

test('a call that waits for too long answers StoreBusy', async () => {
  vi.useFakeTimers();
  try {
    const queues = new UserQueues(5000);
    const { started, work, end } = controlledWork();
    const first = queues.run('anna', work('first'));
    const waiting = queues.run('anna', work('waiting')).catch((error: unknown) => error);
    await vi.advanceTimersByTimeAsync(5000);
    expect(await waiting).toBeInstanceOf(StoreBusy);
    end('first');
    expect(await first).toBe('first');
    expect(started).toStrictEqual(['first']);
  } finally {
    vi.useRealTimers();
  }
});
