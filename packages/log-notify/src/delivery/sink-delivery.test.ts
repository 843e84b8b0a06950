import { setImmediate as nextTurn } from 'node:timers/promises';
import { silentLog } from '@deskside/core';
import { DeskDatabase } from '@deskside/desktop';
import { fixedClock } from '@deskside/testkit';
import { expect, test } from 'vitest';
import { jsonLine } from '../notification/json-line.ts';
import { createNotification, type Level, type NotificationInput } from '../notification/notification.ts';
import type { Policy } from '../sinks/define-sink.ts';
import { PartlyDelivered, RetryLater, type Sink, Undeliverable } from '../sinks/sink.ts';
import { MemorySink, unlimitedPolicy } from '../testing/delivery.ts';
import { Deliveries } from './deliveries.ts';
import { SinkDelivery } from './sink-delivery.ts';

const NOON = '2026-11-21T12:00:00Z';
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** A sink whose deliveries are in memory. */
function deliveryTo(
  sink: MemorySink & Pick<Sink, 'quietMs'> = new MemorySink(),
  policy: Partial<Policy> = {},
  start = NOON,
) {
  const clock = fixedClock(start);
  const reports: string[] = [];
  const database = new DeskDatabase({ places: { state: undefined, runtime: [] }, log: silentLog, clock });
  const delivery = new SinkDelivery({
    plan: { name: 'memory', key: 'memory', isLog: false, policy: { ...unlimitedPolicy, ...policy } },
    origin: null,
    sink,
    deliveries: new Deliveries(database, clock, { id: '1', hasEnded: () => false }),
    clock,
    report: (sentence) => void reports.push(sentence),
  });
  const offer = (message: string, level: Level = 'info', input: Partial<NotificationInput> = {}) =>
    delivery.offer(createNotification({ context: 'llm', ...input, message, level }, clock.now().getTime()));
  /** Lets time pass, minute by minute, and waits for what is due then. */
  const pass = async (ms: number) => {
    for (let left = ms; left >= 0; left -= MINUTE_MS) {
      clock.advance(Math.min(left, MINUTE_MS));
      await nextTurn();
      await delivery.idle();
      if (left === 0) break;
    }
  };
  return { clock, delivery, offer, pass, reports, sink };
}

/** At this local time on a day without a change of the clocks. */
function at(hours: number, minutes = 0): string {
  return new Date(2026, 10, 18, hours, minutes).toISOString();
}

const failing =
  (error = new Error('no')) =>
  async () => {
    throw error;
  };
const rate = { burst: 3, perMinute: 12 };
const quietHours = { from: 22 * 60, to: 7 * 60 };

test('a failing sink is retried, then paused, and gets everything when it works again', async () => {
  const { clock, delivery, offer, pass, reports, sink } = deliveryTo();
  sink.failure = failing();
  expect([offer('a'), offer('b')]).toStrictEqual([undefined, undefined]);
  for (const wait of [0, 250, 1000]) {
    await pass(wait);
    expect(offer(`after ${wait}`)).toBe('failing');
  }
  // A setback of the time of day does not prolong the pause.
  clock.jump(-24 * HOUR_MS);
  await pass(29_999);
  expect([sink.attempts, delivery.failure]).toStrictEqual([3, 'no']);
  sink.failure = undefined;
  await pass(1);
  expect(sink.messages).toStrictEqual(['a', 'b', 'after 0', 'after 250', 'after 1000']);
  expect(offer('c')).toBeUndefined();
  expect(reports).toStrictEqual(['memory failed repeatedly and is paused: no', 'memory works again.']);
});

test('a paused sink with a rate limit gets one summary of what came in the pause, and each error', async () => {
  const { offer, pass, sink } = deliveryTo(new MemorySink(), { rate: { burst: 50, perMinute: 50 } });
  sink.failure = failing();
  for (const message of ['a', 'b']) offer(message, 'error');
  for (const wait of [0, 250, 1000]) await pass(wait);
  expect([offer('c'), offer('d'), offer('e', 'error')]).toStrictEqual(['failing', 'failing', 'failing']);
  sink.failure = undefined;
  await pass(30_000);
  expect(sink.messages).toStrictEqual([
    'a',
    'b',
    'e',
    '2 notifications were held back in 30 s (2 info):\n- c\n- d',
  ]);
});

test('after a partial delivery, only the rest of the batch is delivered again', async () => {
  const { delivery, offer, pass, sink } = deliveryTo();
  sink.failure = failing(new PartlyDelivered(2, { cause: new Error('disk full') }));
  for (const message of ['a', 'b', 'c']) offer(message);
  await pass(0);
  expect(delivery.failure).toBe('disk full');
  sink.failure = undefined;
  await pass(250);
  expect(sink.messages).toStrictEqual(['c']);
});

test('a refused notification is lost alone, and a notice says it as soon as the sink takes one', async () => {
  const { offer, pass, reports, sink } = deliveryTo(new MemorySink(1));
  sink.failure = failing(new Undeliverable('example.org responded with 410'));
  offer('a', 'error');
  await pass(0);
  sink.failure = undefined;
  await pass(250);
  expect(sink.messages).toStrictEqual([
    '1 notification was lost because example.org responded with 410: 1 error.\n- a',
  ]);
  // Who sees the notice has seen no notification.
  expect(sink.delivered[0]?.summarizes).toStrictEqual([]);
  expect(reports).toStrictEqual([
    'memory refused a notification: example.org responded with 410',
    'memory works again.',
  ]);
});

test('a notice that the receiver refuses comes later without the texts, and lets new notifications through', async () => {
  const { offer, pass, sink } = deliveryTo(new MemorySink(1));
  sink.failure = async () => {
    if (sink.next?.message.includes('poison') === true) throw new Undeliverable('410');
  };
  for (const message of ['poison 1', 'poison 2']) offer(message, 'error');
  offer('b');
  for (let minute = 0; minute < 10; minute += 1) await pass(MINUTE_MS);
  expect(sink.messages).toStrictEqual(['b', '2 notifications were lost because 410: 2 error.']);
});

test('the next attempt waits as long as the receiver asks, also for a new notification', async () => {
  const { offer, pass, sink } = deliveryTo(new MemorySink(1));
  sink.failure = failing(new RetryLater('429', 20_000));
  offer('a');
  await pass(0);
  sink.failure = undefined;
  offer('b');
  await pass(19_999);
  expect(sink.messages).toStrictEqual([]);
  await pass(1);
  expect(sink.messages).toStrictEqual(['b', 'a']);
});

test('too much text loses the oldest infos, keeps errors, and reports the loss', async () => {
  const { offer, pass, sink } = deliveryTo();
  const text = 'x'.repeat(64 * 1024);
  for (let index = 0; index < 200; index += 1)
    offer(`${index}\n${text}`, index % 20 === 0 ? 'error' : 'info');
  await pass(0);
  expect(sink.delivered.filter(({ level }) => level === 'error')).toHaveLength(10);
  const [oldest, newest] = ['1', '199'].map((name) =>
    sink.messages.some((each) => each.startsWith(`${name}\n`)),
  );
  expect([oldest, newest]).toStrictEqual([false, true]);
  const notice = sink.messages.find((message) => message.includes('lost')) ?? '';
  expect(notice).toMatch(/^(\d\d) notifications were lost because the queue was full: \1 info\.\n- \d+\n/);
  expect(notice).toMatch(/\nand \d\d more$/);
});

test('at its end a sink that hangs is left after the timeout', async () => {
  const hanging = deliveryTo();
  hanging.sink.failure = () => new Promise(() => undefined);
  hanging.offer('a');
  // Before the sink's own limit, which would end the delivery too.
  const finished = hanging.delivery.finish(500);
  await nextTurn();
  hanging.clock.advance(500);
  await finished;
  expect(hanging.delivery.isDone).toBe(false);
  expect(hanging.delivery.failure).toBe('no answer before the server ended');
});

test.each<[string, Partial<Policy>, string[]]>([
  ['the throttle', {}, ['a', '2 notifications were held back in 1 s (2 warn):\n- b\n- c']],
  ['quiet hours', { quietHours }, []],
  ['a digest', { digestMs: MINUTE_MS }, []],
])('at the end of a server, of what %s holds comes: %j', async (_, policy, messages) => {
  const limits = { ...policy, rate: { burst: 1, perMinute: 1 } };
  const { delivery, offer, sink } = deliveryTo(new MemorySink(), limits, at(23));
  for (const message of ['a', 'b', 'c']) offer(message, 'warn');
  await delivery.finish(1000);
  expect(sink.messages).toStrictEqual(messages);
});

test('a message on which the receiver hangs lets the others through after one timeout', async () => {
  const { clock, offer, sink } = deliveryTo(new MemorySink(1));
  sink.failure = async () => (sink.next?.message === 'poison' ? new Promise(() => undefined) : undefined);
  for (const message of ['poison', 'PRODUCTION DOWN']) offer(message, 'error');
  for (const wait of [0, 1000, 250]) {
    clock.advance(wait);
    for (let turn = 0; turn < 2; turn += 1) await nextTurn();
  }
  expect(sink.messages).toStrictEqual(['PRODUCTION DOWN']);
});

test('after an outage, a message that still fails lets those through that failed only because of it', async () => {
  const { offer, pass, sink } = deliveryTo(new MemorySink(1));
  sink.failure = failing();
  for (const message of ['poison', 'a', 'b']) offer(message, 'error');
  for (const wait of [0, 250, 1000]) await pass(wait);
  sink.failure = async () => {
    if (sink.next?.message === 'poison') throw new Error('no');
  };
  await pass(5 * MINUTE_MS);
  expect(sink.messages.toSorted()).toStrictEqual(['a', 'b']);
});

test('an error overtakes the infos that wait, also after it failed once', async () => {
  const { offer, pass, sink } = deliveryTo(new MemorySink(1));
  for (const message of ['first', 'second']) offer(message);
  offer('error', 'error');
  await pass(0);
  expect(sink.messages.splice(0)).toStrictEqual(['error', 'first', 'second']);
  sink.delivered.length = 0;
  sink.failure = failing();
  offer('PRODUCTION DOWN', 'error');
  await pass(0);
  sink.failure = undefined;
  for (const message of ['a', 'b']) offer(message);
  await pass(2000);
  expect(sink.messages).toStrictEqual(['a', 'PRODUCTION DOWN', 'b']);
});

test('what fails 20 times while others are delivered is reported as lost', async () => {
  const { offer, pass, sink } = deliveryTo(new MemorySink(1));
  sink.failure = async () => (sink.next?.message === 'poison' ? failing()() : undefined);
  offer('poison', 'error');
  for (let round = 0; round < 30; round += 1) {
    offer(`${round}`, 'error');
    await pass(15 * MINUTE_MS);
  }
  const lost = '1 notification was lost because 20 attempts failed: no: 1 error.\n- poison';
  expect(sink.messages).toStrictEqual(expect.arrayContaining([lost, '29']));
});

test('an outage counts against no message, and after a week one is reported as lost', async () => {
  const { clock, delivery, offer, pass, sink } = deliveryTo(new MemorySink(1));
  sink.failure = failing();
  for (const message of ['a', 'b']) offer(message, 'error');
  await pass(5 * HOUR_MS);
  expect(sink.attempts).toBeGreaterThan(50);
  sink.failure = undefined;
  // As soon as the network is another one.
  delivery.look(true);
  await pass(0);
  expect(sink.messages.toSorted()).toStrictEqual(['a', 'b']);

  sink.failure = failing();
  offer('old', 'error');
  await pass(0);
  clock.jump(7 * 24 * HOUR_MS + 1);
  delivery.look(false);
  sink.failure = undefined;
  await pass(5 * MINUTE_MS);
  expect(sink.messages.at(-1)).toBe('1 notification was lost because it waited for 7 days: 1 error.\n- old');
});

test('a flood of repeated warnings releases one summary per minute, not one per message', async () => {
  const { offer, pass, sink } = deliveryTo(new MemorySink(), { rate, foldMs: MINUTE_MS });
  const passed = Array.from({ length: 100 }, (_, index) => offer(`warning ${index % 15}`, 'warn'));
  expect(passed.filter((reason) => reason === undefined)).toHaveLength(3);
  await pass(MINUTE_MS - 1);
  expect(sink.messages).toHaveLength(3);
  await pass(1);
  expect(sink.messages.slice(3)).toStrictEqual([
    expect.stringMatching(/^97 notifications were held back in 60 s \(97 warn\):\n- warning 3 \(7 times\)\n/),
  ]);
});

test('messages that differ in a path or a number only are never merged', () => {
  const { offer } = deliveryTo(new MemorySink(), { foldMs: MINUTE_MS });
  const places = ['src/auth/login.ts line 145', 'src/db/sql.ts line 77', 'src/db/sql.ts line 9'];
  for (const place of places) expect(offer(`Vulnerability in ${place}`)).toBeUndefined();
  expect(offer('Vulnerability in src/db/sql.ts line 77')).toBe('duplicate');
  expect(offer('Vulnerability in src/db/sql.ts line 77', 'error')).toBeUndefined();
});

test('a summary names the notifications that it stands for, and its line in the file does not', async () => {
  const { offer, pass, sink } = deliveryTo(new MemorySink(), { digestMs: MINUTE_MS });
  for (const id of ['first', 'second']) offer(id, 'info', { id, caller: `${id} of Codex` });
  await pass(MINUTE_MS);
  const [summary] = sink.delivered;
  expect(summary?.summarizes).toStrictEqual([
    { id: 'first', caller: 'first of Codex' },
    { id: 'second', caller: 'second of Codex' },
  ]);
  if (summary !== undefined) expect(jsonLine(summary)).not.toContain('"second"');
});

test('a summary lists the first line of the newest twenty infos, and counts the others', async () => {
  const { offer, pass, sink } = deliveryTo(new MemorySink(), { rate });
  for (let index = 0; index < 33; index += 1) offer(`message ${index}\nsecond line`, 'info');
  await pass(MINUTE_MS);
  const lines = sink.messages.at(-1)?.split('\n') ?? [];
  expect([lines.length, lines[1], lines[20], lines[21]]).toStrictEqual([
    22,
    '- message 13',
    '- message 32',
    'and 10 more',
  ]);
});

test('every caller has a bucket, and errors have their own', () => {
  const { offer } = deliveryTo(new MemorySink(), { rate: { burst: 1, perMinute: 1 } });
  const [one, two] = [{ limitKey: 'one' }, { limitKey: 'two' }];
  expect([offer('a', 'warn', one), offer('b', 'warn', one), offer('b', 'warn', two)]).toStrictEqual([
    undefined,
    'rate',
    undefined,
  ]);
  expect([offer('c', 'error', one), offer('d', 'error', one)]).toStrictEqual([undefined, 'rate']);
});

test('quiet hours hold everything except errors, also those that the throttle held back, for one summary', async () => {
  const { offer, pass, sink } = deliveryTo(
    new MemorySink(),
    { quietHours, rate: { burst: 2, perMinute: 1 } },
    at(23),
  );
  expect([offer('a', 'warn'), offer('b', 'info')]).toStrictEqual(['quiet hours', 'quiet hours']);
  expect([offer('c', 'error'), offer('d', 'error'), offer('e', 'error')]).toStrictEqual([
    undefined,
    undefined,
    'rate',
  ]);
  await pass(0);
  await pass(8 * HOUR_MS - 1);
  expect(sink.messages).toStrictEqual(['c', 'd', 'e']);
  await pass(1);
  expect(sink.messages.slice(3)).toStrictEqual([
    '2 notifications were held back in 8 h (1 warn, 1 info):\n- a\n- b',
  ]);
});

test.each<[string, Partial<Policy>]>([
  ['the rate limit', { rate }],
  ['repeats', { foldMs: 2 * MINUTE_MS }],
  ['a digest', { digestMs: 15 * MINUTE_MS }],
  ['a pause of the sink', {}],
])('what %s held back before quiet hours waits for their end, and an error does not', async (_, policy) => {
  const { offer, pass, sink } = deliveryTo(new MemorySink(), { ...policy, quietHours }, at(21, 59));
  sink.failure = failing();
  for (let index = 0; index < 10; index += 1) offer('same', 'warn');
  offer('error', 'error');
  await pass(MINUTE_MS);
  sink.failure = undefined;
  await pass(9 * HOUR_MS - 1);
  expect(sink.messages).toStrictEqual(['error']);
  await pass(1);
  expect(sink.messages.length).toBeGreaterThan(1);
});

test('while the person wants quiet from an agent, its notifications wait for one summary, and errors do not', async () => {
  let quietMs = 15 * MINUTE_MS;
  const quiet = (caller?: string) => (caller === undefined || caller === 'Codex' ? quietMs : 0);
  const { offer, pass, sink } = deliveryTo(Object.assign(new MemorySink(), { quietMs: quiet }));
  expect(offer('a', 'warn', { caller: 'Codex' })).toBe('quiet hours');
  expect(offer('b', 'error', { caller: 'Codex' })).toBeUndefined();
  expect(offer('c', 'warn', { caller: 'Cursor' })).toBeUndefined();
  await pass(MINUTE_MS);
  expect(sink.messages).toStrictEqual(['b', 'c']);
  quietMs = 0;
  await pass(MINUTE_MS);
  expect(sink.messages).toStrictEqual(['b', 'c', 'a']);
});

test.each<[string, Partial<Policy>, Level | undefined]>([
  ['a digest', { digestMs: HOUR_MS }, undefined],
  ['what repeats', { foldMs: HOUR_MS }, undefined],
])('the time that the machine sleeps counts for %s', async (_, policy) => {
  const { clock, offer, pass, sink } = deliveryTo(new MemorySink(), policy);
  for (let count = 0; count < 3; count += 1) offer('a');
  await pass(MINUTE_MS);
  clock.jump(HOUR_MS);
  await pass(MINUTE_MS);
  expect(sink.messages.at(-1)).toMatch(/held back in 62 min/);
  // A repeat after that is new.
  if (policy.foldMs !== undefined) expect(offer('a')).toBeUndefined();
});

test('a digest comes after its period, although the time of day was set back by a day', async () => {
  const { clock, offer, pass, sink } = deliveryTo(new MemorySink(), { digestMs: 15 * MINUTE_MS });
  expect([offer('a'), offer('b')]).toStrictEqual(['digest', 'digest']);
  await pass(0);
  clock.jump(-24 * HOUR_MS);
  await pass(15 * MINUTE_MS);
  expect(sink.messages).toHaveLength(1);
});
