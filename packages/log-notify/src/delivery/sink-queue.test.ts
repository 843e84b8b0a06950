import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { Policy } from '../config/plan.ts';
import { MemorySink, manualClock, sampleNotification, unlimitedPolicy } from '../testing/delivery.ts';
import { RetryLater, PartlyDelivered, Undeliverable } from '../sinks/sink.ts';
import { SinkQueue } from './sink-queue.ts';

function queueOn(sink = new MemorySink(), policy: Partial<Policy> = {}) {
  const clock = manualClock();
  const reports: string[] = [];
  const queue = new SinkQueue({
    name: 'memory',
    sink,
    policy: { ...unlimitedPolicy, ...policy },
    clock,
    report: (sentence) => reports.push(sentence),
  });
  return { queue, sink, clock, reports };
}

const refuse = async () => {
  throw new Error('no');
};

test('notifications of one turn are delivered together and in order', async () => {
  const { queue, sink } = queueOn();
  for (const message of ['a', 'b', 'c']) expect(queue.offer(sampleNotification(message))).toBeUndefined();
  await queue.idle();
  expect(sink.messages).toStrictEqual(['a', 'b', 'c']);
  expect(sink.attempts).toBe(1);
});

test('a failing sink is retried, then paused, and gets a report of lost notifications when it works again', async () => {
  const { queue, sink, clock, reports } = queueOn();
  sink.failure = refuse;
  expect(queue.offer(sampleNotification('a'))).toBeUndefined();
  for (const wait of [250, 1000]) {
    await nextTurn();
    expect(queue.offer(sampleNotification(`at ${wait}`))).toBe('failing');
    clock.advance(wait);
  }
  await queue.idle();
  expect(sink.attempts).toBe(3);
  expect(queue.failure).toBe('no');
  expect(queue.offer(sampleNotification('refused'))).toBe('failing');
  expect(queue.offer(sampleNotification('kept', 'error'))).toBe('failing');
  sink.failure = undefined;
  clock.advance(30_000);
  await queue.idle();
  expect(sink.messages).toStrictEqual([
    '1 notification was lost (1 info). Latest: refused',
    'a',
    'at 250',
    'at 1000',
    'kept',
  ]);
  expect(queue.offer(sampleNotification('b'))).toBeUndefined();
  expect(reports).toStrictEqual(['memory failed repeatedly and is paused: no', 'memory works again.']);
});

test('a delivery that hangs fails after its timeout, and the queue continues', async () => {
  const { queue, sink, clock } = queueOn();
  const hung = Promise.withResolvers<void>();
  sink.failure = () => hung.promise;
  queue.offer(sampleNotification('a'));
  await nextTurn();
  clock.advance(1000);
  await nextTurn();
  expect(queue.failure).toBe('no response within 1000 ms');
  sink.failure = undefined;
  clock.advance(250);
  await queue.idle();
  expect(sink.messages).toStrictEqual(['a']);
});

test('after a partial delivery, only the rest of the batch is delivered again', async () => {
  const { queue, sink, clock } = queueOn();
  sink.failure = async () => {
    throw new PartlyDelivered(2, { cause: new Error('disk full') });
  };
  for (const message of ['a', 'b', 'c']) queue.offer(sampleNotification(message));
  await nextTurn();
  expect(queue.failure).toBe('disk full');
  sink.failure = undefined;
  clock.advance(250);
  await queue.idle();
  expect(sink.messages).toStrictEqual(['c']);
});

test('a notification that the sink rejects permanently is not retried, and is reported as lost', async () => {
  const { queue, sink, clock } = queueOn(new MemorySink(1));
  sink.failure = async () => {
    throw new Undeliverable('410');
  };
  queue.offer(sampleNotification('a'));
  await queue.idle();
  sink.failure = undefined;
  clock.advance(250);
  queue.offer(sampleNotification('b'));
  await queue.idle();
  expect(sink.messages[0]).toMatch(/^1 notification was lost \(1 info\)/);
  expect(sink.messages[1]).toBe('b');
});

test('the next attempt waits as long as the sink asks', async () => {
  const { queue, sink, clock } = queueOn();
  sink.failure = async () => {
    throw new RetryLater('429', 20_000);
  };
  queue.offer(sampleNotification('a'));
  await nextTurn();
  sink.failure = undefined;
  clock.advance(19_999);
  await nextTurn();
  expect(sink.attempts).toBe(1);
  clock.advance(1);
  await queue.idle();
  expect(sink.messages).toStrictEqual(['a']);
});

test('a full queue drops the oldest infos, keeps errors and reports the loss', async () => {
  const { queue, sink } = queueOn(new MemorySink(), { queueLength: 100 });
  const reasons = Array.from({ length: 10_000 }, (_, index) =>
    queue.offer(sampleNotification(`${index}`, index % 200 === 0 ? 'error' : 'info')),
  );
  expect(reasons.every((reason) => reason === undefined)).toBe(true);
  await queue.idle();
  const errors = sink.delivered.filter(({ level }) => level === 'error');
  expect(errors).toHaveLength(50);
  expect(sink.messages).toContain('9999');
  expect(sink.messages).not.toContain('1');
  expect(sink.delivered).toHaveLength(101);
  expect(sink.messages[0]).toMatch(/^9900 notifications were lost \(9900 info\)/);
});

test('a queue full of errors rejects an info', async () => {
  const { queue, sink } = queueOn(new MemorySink(), { queueLength: 2 });
  for (const message of ['a', 'b']) queue.offer(sampleNotification(message, 'error'));
  expect(queue.offer(sampleNotification('c'))).toBe('full');
  await queue.idle();
  expect(sink.messages).toStrictEqual([expect.stringMatching(/^1 notification was lost/), 'a', 'b']);
});

test('the total length of queued messages is limited', async () => {
  const { queue, sink } = queueOn();
  for (let index = 0; index < 50; index += 1) queue.offer(sampleNotification('x'.repeat(1024 * 1024)));
  await queue.idle();
  expect(sink.delivered.length).toBeLessThanOrEqual(9);
});

test('close delivers summaries and the queue, and stops waiting after its timeout', async () => {
  const { queue, sink } = queueOn(new MemorySink(), { foldMs: 60_000 });
  for (const message of ['a', 'a']) queue.offer(sampleNotification(message));
  await queue.close(1000);
  expect(sink.messages).toStrictEqual(['a', expect.stringMatching(/^a \(\+1 similar in /)]);

  const hanging = queueOn();
  hanging.sink.failure = () => new Promise(() => undefined);
  hanging.queue.offer(sampleNotification('a'));
  const closed = hanging.queue.close(1000);
  await nextTurn();
  hanging.clock.advance(1000);
  await closed;
});
