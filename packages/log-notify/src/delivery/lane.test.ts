import { expect, test } from 'vitest';
import { manualClock } from '../testing/manual-clock.ts';
import { MemorySink } from '../testing/memory-sink.ts';
import { openPolicy, told } from '../testing/notifications.ts';
import { NotYet, PartlyDelivered, Undeliverable } from '../sinks/sink.ts';
import { Lane } from './lane.ts';
import type { Policy } from './policy.ts';

function laneOn(sink = new MemorySink(), policy: Partial<Policy> = {}) {
  const clock = manualClock();
  const reports: string[] = [];
  const lane = new Lane({
    name: 'memory',
    sink,
    policy: { ...openPolicy, ...policy },
    clock,
    report: (sentence) => reports.push(sentence),
  });
  return { lane, sink, clock, reports };
}

const refuse = async () => {
  throw new Error('no');
};

test('what comes in one turn is delivered at once, in order', async () => {
  const { lane, sink } = laneOn();
  for (const message of ['a', 'b', 'c']) expect(lane.offer(told(message))).toBeUndefined();
  await lane.idle();
  expect(sink.messages).toStrictEqual(['a', 'b', 'c']);
  expect(sink.deliveries).toBe(1);
});

test('a sink that fails is tried again, left alone, and told what was lost when it works again', async () => {
  const { lane, sink, clock, reports } = laneOn();
  sink.failure = refuse;
  expect(lane.offer(told('a'))).toBeUndefined();
  for (const wait of [250, 1000]) {
    await settled();
    expect(lane.offer(told(`at ${wait}`))).toBe('failing');
    clock.advance(wait);
  }
  await lane.idle();
  expect(sink.deliveries).toBe(3);
  expect(lane.failure).toBe('no');
  expect(lane.offer(told('refused'))).toBe('failing');
  expect(lane.offer(told('kept', 'error'))).toBe('failing');
  sink.failure = undefined;
  clock.advance(30_000);
  await lane.idle();
  expect(sink.messages).toStrictEqual([
    '1 notification was lost here (1 info): more came than could be delivered. Latest: refused',
    'a',
    'at 250',
    'at 1000',
    'kept',
  ]);
  expect(lane.offer(told('b'))).toBeUndefined();
  expect(reports).toStrictEqual(['memory fails and is left alone for a while: no', 'memory works again.']);
});

test('a sink that hangs is given up after its time limit, and the lane goes on', async () => {
  const { lane, sink, clock } = laneOn();
  const hung = Promise.withResolvers<void>();
  sink.failure = () => hung.promise;
  lane.offer(told('a'));
  await settled();
  clock.advance(1000);
  await settled();
  expect(lane.failure).toBe('no answer within 1000 ms');
  sink.failure = undefined;
  clock.advance(250);
  await lane.idle();
  expect(sink.messages).toStrictEqual(['a']);
});

test('of a batch that arrived in part, the rest is delivered', async () => {
  const { lane, sink, clock } = laneOn();
  sink.failure = async () => {
    throw new PartlyDelivered(2, { cause: new Error('disk full') });
  };
  for (const message of ['a', 'b', 'c']) lane.offer(told(message));
  await settled();
  expect(lane.failure).toBe('disk full');
  sink.failure = undefined;
  clock.advance(250);
  await lane.idle();
  expect(sink.messages).toStrictEqual(['c']);
});

test('what a sink refuses for good is not tried again, and told', async () => {
  const { lane, sink, clock } = laneOn(new MemorySink(1));
  sink.failure = async () => {
    throw new Undeliverable('410');
  };
  lane.offer(told('a'));
  await lane.idle();
  sink.failure = undefined;
  clock.advance(250);
  lane.offer(told('b'));
  await lane.idle();
  expect(sink.messages[0]).toMatch(/^1 notification was lost here \(1 info\)/);
  expect(sink.messages[1]).toBe('b');
});

test('a sink that asks to wait is left alone that long', async () => {
  const { lane, sink, clock } = laneOn();
  sink.failure = async () => {
    throw new NotYet('429', 20_000);
  };
  lane.offer(told('a'));
  await settled();
  sink.failure = undefined;
  clock.advance(19_999);
  await settled();
  expect(sink.deliveries).toBe(1);
  clock.advance(1);
  await lane.idle();
  expect(sink.messages).toStrictEqual(['a']);
});

test('a flood is bounded: the oldest infos go, errors stay, and the loss is told', async () => {
  const { lane, sink } = laneOn(new MemorySink(), { queue: 100 });
  const reasons = Array.from({ length: 10_000 }, (_, index) =>
    lane.offer(told(`${index}`, index % 200 === 0 ? 'error' : 'info')),
  );
  expect(reasons.every((reason) => reason === undefined)).toBe(true);
  await lane.idle();
  const errors = sink.taken.filter(({ level }) => level === 'error');
  expect(errors).toHaveLength(50);
  expect(sink.messages).toContain('9999');
  expect(sink.messages).not.toContain('1');
  expect(sink.taken).toHaveLength(101);
  expect(sink.messages[0]).toMatch(/^9900 notifications were lost here \(9900 info\)/);
});

test('an info that meets a queue full of errors is refused', async () => {
  const { lane, sink } = laneOn(new MemorySink(), { queue: 2 });
  for (const message of ['a', 'b']) lane.offer(told(message, 'error'));
  expect(lane.offer(told('c'))).toBe('full');
  await lane.idle();
  expect(sink.messages).toStrictEqual([expect.stringMatching(/^1 notification was lost/), 'a', 'b']);
});

test('a flood of long messages is bounded by their length', async () => {
  const { lane, sink } = laneOn();
  for (let index = 0; index < 50; index += 1) lane.offer(told('x'.repeat(1024 * 1024)));
  await lane.idle();
  expect(sink.taken.length).toBeLessThanOrEqual(9);
});

test('closing delivers what is held and what waits, and waits no longer than it may', async () => {
  const { lane, sink } = laneOn(new MemorySink(), { fold: 60_000 });
  for (const message of ['a', 'a']) lane.offer(told(message));
  await lane.close(1000);
  expect(sink.messages).toStrictEqual(['a', expect.stringMatching(/^a \(\+1 similar in /)]);

  const hanging = laneOn();
  hanging.sink.failure = () => new Promise(() => undefined);
  hanging.lane.offer(told('a'));
  const closed = hanging.lane.close(1000);
  await settled();
  hanging.clock.advance(1000);
  await closed;
});

/** Lets everything run that waits for nothing but its turn. */
function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
