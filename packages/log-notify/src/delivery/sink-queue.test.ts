import { setImmediate as nextTurn } from 'node:timers/promises';
import { fixedClock } from '@deskside/testkit';
import { expect, test } from 'vitest';
import type { Policy } from '../sinks/define-sink.ts';
import type { Level } from '../notification/notification.ts';
import {
  MemorySink,
  memoryRecords,
  sampleNotification as sampleAt,
  unlimitedPolicy,
} from '../testing/delivery.ts';
import { Misconfigured, RetryLater, PartlyDelivered, Undeliverable } from '../sinks/sink.ts';
import { SinkQueue } from './sink-queue.ts';

const START = '2026-11-21T12:00:00Z';

function sampleNotification(message: string, level: Level = 'info') {
  return sampleAt(message, level, 'llm', Date.parse(START));
}

function queueOn(sink = new MemorySink(), policy: Partial<Policy> = {}, maxItems?: number) {
  const clock = fixedClock(START);
  const reports: string[] = [];
  const queue = new SinkQueue({
    name: 'memory',
    records: memoryRecords(clock, maxItems),
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

test('a failing sink is retried, then paused, and gets everything when it works again', async () => {
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
  expect(queue.offer(sampleNotification('in the pause'))).toBe('failing');
  sink.failure = undefined;
  clock.advance(30_000);
  await queue.idle();
  expect(sink.messages).toStrictEqual(['a', 'at 250', 'at 1000', 'in the pause']);
  expect(queue.offer(sampleNotification('b'))).toBeUndefined();
  expect(reports).toStrictEqual(['memory failed repeatedly and is paused: no', 'memory works again.']);
});

test('a paused sink with a rate limit gets one summary of what came in the pause, and each error', async () => {
  const { queue, sink, clock } = queueOn(new MemorySink(), { rate: { burst: 50, perMinute: 50 } });
  sink.failure = refuse;
  queue.offer(sampleNotification('a', 'error'));
  for (const wait of [250, 1000]) {
    await nextTurn();
    clock.advance(wait);
  }
  await queue.idle();
  for (const message of ['b', 'c']) {
    expect(queue.offer({ ...sampleNotification(message), time: clock.now().getTime() })).toBe('failing');
  }
  expect(queue.offer(sampleNotification('d', 'error'))).toBe('failing');
  sink.failure = undefined;
  clock.advance(30_000);
  await queue.idle();
  expect(sink.messages).toStrictEqual([
    'a',
    'd',
    expect.stringMatching(/^2 notifications were held back in 30 s \(2 info\):\n- b\n- c$/),
  ]);
});

test('when quiet hours begin, errors that wait for a failing sink are delivered, and the rest comes at their end', async () => {
  const quietHours = { from: 22 * 60, to: 7 * 60 };
  const { queue, sink, clock } = queueOn(new MemorySink(), { quietHours });
  clock.advance(new Date(2026, 10, 22, 21, 59, 59, 900).getTime() - clock.now().getTime());
  sink.failure = refuse;
  queue.offer(sampleNotification('info'));
  queue.offer(sampleNotification('error', 'error'));
  await nextTurn();
  expect(sink.messages).toStrictEqual([]);
  sink.failure = undefined;
  clock.advance(250);
  await nextTurn();
  await nextTurn();
  expect(sink.messages).toStrictEqual(['error']);
  clock.advance(9 * 3_600_000);
  await queue.idle();
  expect(sink.messages).toStrictEqual(['error', 'info']);
});

test('a setback of the time of day does not prolong a pause', async () => {
  const { queue, sink, clock } = queueOn();
  sink.failure = refuse;
  queue.offer(sampleNotification('a'));
  for (const wait of [250, 1000]) {
    await nextTurn();
    clock.advance(wait);
  }
  await queue.idle();
  clock.jump(-24 * 3_600_000);
  sink.failure = undefined;
  clock.advance(30_000);
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

test('a refused notification is not retried, is reported at once, and is counted in a notice that comes by itself', async () => {
  const { queue, sink, clock, reports } = queueOn(new MemorySink(1));
  sink.failure = async () => {
    throw new Undeliverable('example.org responded with 410');
  };
  queue.offer(sampleNotification('a'));
  await queue.idle();
  expect(reports).toStrictEqual(['memory refused a notification: example.org responded with 410']);
  sink.failure = undefined;
  clock.advance(30_000);
  await nextTurn();
  await nextTurn();
  expect(sink.messages).toStrictEqual([
    '1 notification was lost because example.org responded with 410: 1 info.\n- a',
  ]);
  // Who sees the notice has seen no notification.
  expect(sink.delivered[0]?.summarizes).toStrictEqual([]);
});

test('a notice that cannot be delivered counts nothing and pauses nothing else', async () => {
  const { queue, sink, clock, reports } = queueOn(new MemorySink(1));
  sink.failure = async () => {
    throw new Undeliverable('410');
  };
  queue.offer(sampleNotification('a', 'error'));
  await queue.idle();
  for (let attempts = 0; attempts < 5; attempts += 1) {
    clock.advance(300_000);
    await nextTurn();
    await nextTurn();
  }
  expect(sink.attempts).toBeGreaterThan(4);
  expect(reports).toStrictEqual(['memory refused a notification: 410']);
  sink.failure = undefined;
  expect(queue.offer(sampleNotification('b'))).toBe('failing');
  await queue.idle();
  await nextTurn();
  expect(sink.messages).toStrictEqual(['b', '1 notification was lost because 410: 1 error.']);
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
  const { queue, sink } = queueOn(new MemorySink(), {}, 100);
  const reasons = Array.from({ length: 1000 }, (_, index) =>
    queue.offer(sampleNotification(`${index}`, index % 20 === 0 ? 'error' : 'info')),
  );
  expect(reasons.every((reason) => reason === undefined)).toBe(true);
  await queue.idle();
  const errors = sink.delivered.filter(({ level }) => level === 'error');
  expect(errors).toHaveLength(50);
  expect(sink.messages).toContain('999');
  expect(sink.messages).not.toContain('1');
  expect(sink.delivered).toHaveLength(101);
  expect(sink.messages[0]).toMatch(
    /^900 notifications were lost because the queue was full: 900 info\.\n- 927\n[\s\S]*- 947\nand 880 more$/,
  );
});

test('a queue full of errors rejects an info', async () => {
  const { queue, sink } = queueOn(new MemorySink(), {}, 2);
  for (const message of ['a', 'b']) queue.offer(sampleNotification(message, 'error'));
  expect(queue.offer(sampleNotification('c'))).toBe('full');
  await queue.idle();
  expect(sink.messages).toStrictEqual([expect.stringMatching(/^1 notification was lost/), 'a', 'b']);
});

test('the total length of queued messages is limited', async () => {
  const { queue, sink } = queueOn();
  for (let index = 0; index < 50; index += 1) queue.offer(sampleNotification('x'.repeat(1024 * 1024)));
  await queue.idle();
  // Eight megabytes, and the notice of the loss.
  expect(sink.delivered.length).toBeLessThanOrEqual(9);
  expect(sink.delivered.length).toBeGreaterThan(7);
  expect(sink.messages[0]).toMatch(/^4\d notifications were lost because the queue was full/);
});

test('close delivers summaries and the queue, and stops waiting after its timeout', async () => {
  const { queue, sink } = queueOn(new MemorySink(), { foldMs: 60_000 });
  for (const message of ['a', 'a']) queue.offer(sampleNotification(message));
  await queue.close(1000);
  expect(sink.messages).toStrictEqual([
    'a',
    expect.stringMatching(/^1 notification was held back in 1 s \(1 info\):\n- a$/),
  ]);

  let isClosed = false;
  const hanging = queueOn(Object.assign(new MemorySink(), { close: async () => void (isClosed = true) }));
  hanging.sink.failure = () => new Promise(() => undefined);
  hanging.queue.offer(sampleNotification('a'));
  // Before the sink's own limit, which would end the delivery too.
  const closed = hanging.queue.close(500);
  await nextTurn();
  hanging.clock.advance(500);
  await closed;
  expect(isClosed).toBe(true);
});

test('a corrected target gets at once what waited for the pause of the old one to end', async () => {
  const { queue, sink, clock } = queueOn();
  sink.failure = refuse;
  queue.offer(sampleNotification('a'));
  for (const wait of [250, 1000]) {
    await nextTurn();
    clock.advance(wait);
  }
  await queue.idle();
  const corrected = new MemorySink();
  queue.update({ name: 'memory', origin: null, policy: unlimitedPolicy, sink: corrected });
  await queue.idle();
  expect(corrected.messages).toStrictEqual(['a']);
});

/** A sink that takes one notification at a time, and works except for one message. */
function queueWithPoison(fail: () => Promise<void>) {
  const sink = new MemorySink(1);
  const tested = queueOn(sink);
  sink.failure = async () => (sink.next?.message === 'poison' ? fail() : undefined);
  return tested;
}

test('a message on which the receiver hangs lets the others through after one timeout', async () => {
  const { queue, sink, clock } = queueWithPoison(() => new Promise(() => undefined));
  queue.offer(sampleNotification('poison', 'error'));
  queue.offer(sampleNotification('PRODUCTION DOWN', 'error'));
  await nextTurn();
  clock.advance(1000);
  await nextTurn();
  clock.advance(250);
  await nextTurn();
  await nextTurn();
  expect(sink.messages).toStrictEqual(['PRODUCTION DOWN']);
});

test('an error that failed once overtakes infos again as soon as the receiver works', async () => {
  const { queue, sink, clock } = queueOn(new MemorySink(1));
  sink.failure = refuse;
  queue.offer(sampleNotification('PRODUCTION DOWN', 'error'));
  await nextTurn();
  sink.failure = undefined;
  for (const message of ['a', 'b']) queue.offer(sampleNotification(message));
  clock.advance(250);
  await queue.idle();
  expect(sink.messages).toStrictEqual(['a', 'PRODUCTION DOWN', 'b']);
});

test('what fails 20 times while others are delivered is reported as lost', async () => {
  const { queue, sink, clock } = queueWithPoison(refuse);
  queue.offer(sampleNotification('poison', 'error'));
  for (let round = 0; round < 30; round += 1) {
    queue.offer(sampleNotification(`${round}`, 'error'));
    await nextTurn();
    clock.advance(15 * 60_000);
    await nextTurn();
    await nextTurn();
  }
  await queue.idle();
  expect(sink.messages).toContain(
    '1 notification was lost because 20 attempts failed: no: 1 error.\n- poison',
  );
  expect(sink.messages).toContain('29');
});

test('an outage counts against no message, and after a week one is reported as lost', async () => {
  const { queue, sink, clock } = queueOn(new MemorySink(1));
  sink.failure = refuse;
  for (const message of ['a', 'b']) queue.offer(sampleNotification(message, 'error'));
  for (let round = 0; round < 60; round += 1) {
    clock.advance(300_000);
    await nextTurn();
    await nextTurn();
  }
  expect(sink.attempts).toBeGreaterThan(50);
  sink.failure = undefined;
  clock.advance(300_000);
  await queue.idle();
  expect(sink.messages.toSorted()).toStrictEqual(['a', 'b']);

  sink.failure = refuse;
  queue.offer(sampleNotification('old', 'error'));
  for (let hour = 0; hour < 7 * 24 + 1; hour += 1) {
    clock.advance(3_600_000);
    await nextTurn();
    await nextTurn();
  }
  sink.failure = undefined;
  clock.advance(3_600_000);
  await nextTurn();
  await nextTurn();
  expect(sink.messages.at(-1)).toMatch(
    /^1 notification was lost because it waited for 7 days: no: 1 error\.\n- old$/,
  );
});

test('a receiver that needs a correction is tried again every 15 minutes, and what waits is not lost', async () => {
  const { queue, sink, clock } = queueOn(new MemorySink(1));
  sink.failure = async () => {
    throw new Misconfigured('401');
  };
  queue.offer(sampleNotification('a', 'error'));
  for (const wait of [250, 1000]) {
    await nextTurn();
    clock.advance(wait);
  }
  await queue.idle();
  sink.failure = undefined;
  clock.advance(15 * 60_000 - 1);
  await nextTurn();
  expect(sink.attempts).toBe(3);
  clock.advance(1);
  await queue.idle();
  expect(sink.messages).toStrictEqual(['a']);
});
