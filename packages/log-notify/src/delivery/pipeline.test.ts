import type { Scheduler } from '@deskside/core/base';
import { fixedClock } from '@deskside/testkit';
import { expect, onTestFinished, test } from 'vitest';
import type { Policy } from '../sinks/define-sink.ts';
import { jsonLine } from '../notification/json-line.ts';
import { createNotification, type Level, type Notification } from '../notification/notification.ts';
import { memoryRecords, sampleNotification, unlimitedPolicy } from '../testing/delivery.ts';
import { Pipeline } from './pipeline.ts';
import type { SinkRecords, Waiting } from './sink-records.ts';
import { summarized } from './summary.ts';

const MINUTE_MS = 60_000;

function pipelineWith(policy: Partial<Policy>, start = '2026-11-21T12:00:00Z') {
  const clock = fixedClock(start);
  const records = memoryRecords(clock);
  const pipeline = new Pipeline({ ...unlimitedPolicy, ...policy }, records, clock);
  const offer = (message: string, level: Level = 'warn', limitKey = '') =>
    offerTo(pipeline, records, {
      ...sampleNotification(message, level, 'llm', clock.now().getTime()),
      limitKey,
    });
  const waitMs = () => pipeline.waitMs(waitingIn(records));
  const released = (maxCodePoints = 10_000) =>
    releasedBy(pipeline, records, clock, maxCodePoints).map(({ message }) => message);
  return { clock, pipeline, records, offer, released, waitMs };
}

function waitingIn(records: SinkRecords): Waiting {
  const waiting = records.waiting();
  if (waiting === undefined) throw new Error('the database is busy');
  return waiting;
}

/** What passes is delivered. @returns why it is held */
function offerTo(pipeline: Pipeline, records: SinkRecords, notification: Notification) {
  const hold = pipeline.offer(notification, false);
  if (hold !== undefined) records.add(notification, 'held', hold);
  return hold?.reason;
}

/** The summaries that are due, which are then delivered. */
function releasedBy(pipeline: Pipeline, records: SinkRecords, clock: Scheduler, maxCodePoints = 10_000) {
  pipeline.release(waitingIn(records));
  return summaries(records, clock, maxCodePoints);
}

function summaries(records: SinkRecords, clock: Scheduler, maxCodePoints: number): Notification[] {
  const found: Notification[] = [];
  for (let rows = records.nextSummary(); rows.length > 0; rows = records.nextSummary()) {
    found.push(...summarized(rows, maxCodePoints, clock).map(({ notification }) => notification));
    records.done(rows);
  }
  return found;
}

/** At this local time on a day without a change of the clocks. */
function at(hours: number, minutes = 0): string {
  return new Date(2026, 10, 18, hours, minutes).toISOString();
}

const rate = { burst: 3, perMinute: 12 };
const quietHours = { from: 22 * 60, to: 7 * 60 };

test('a flood of repeated warnings releases one summary per minute, not one per message', () => {
  const { clock, offer, released } = pipelineWith({ rate, foldMs: MINUTE_MS });
  const passed = Array.from({ length: 100 }, (_, index) => offer(`warning ${index % 15}`));
  expect(passed.filter((reason) => reason === undefined)).toHaveLength(3);
  clock.advance(MINUTE_MS - 1);
  expect(released()).toStrictEqual([]);
  clock.advance(1);
  const [summary, ...others] = released();
  expect(others).toStrictEqual([]);
  expect(summary).toMatch(/^97 notifications were held back in 60 s \(97 warn\):\n- warning 3 \(7 times\)\n/);
});

test('messages that differ in a path or a number only are never merged', () => {
  const { offer } = pipelineWith({ foldMs: MINUTE_MS });
  for (const place of ['src/auth/login.ts line 145', 'src/pay/card.ts line 9', 'src/db/sql.ts line 77']) {
    expect(offer(`Vulnerability in ${place}`)).toBeUndefined();
  }
  expect(offer('Vulnerability in src/db/sql.ts line 77')).toBe('duplicate');
  expect(offer('Vulnerability in src/db/sql.ts line 77', 'error')).toBeUndefined();
});

test('a summary names the notifications that it stands for, and its line in the file does not', () => {
  const clock = fixedClock('2026-11-21T12:00:00Z');
  const records = memoryRecords(clock);
  const pipeline = new Pipeline({ ...unlimitedPolicy, digestMs: MINUTE_MS }, records, clock);
  const held = ['a', 'b'].map((message) =>
    createNotification({ level: 'info', context: 'llm', message, caller: `${message} of Codex` }, 0),
  );
  for (const each of held) offerTo(pipeline, records, each);
  clock.advance(MINUTE_MS);
  const [summary] = releasedBy(pipeline, records, clock);
  const summarizes = held.map(({ id, caller }) => ({ id, caller }));
  expect(summary?.summarizes).toStrictEqual(summarizes);
  if (summary !== undefined) expect(jsonLine(summary)).not.toContain(held[0]?.id);
});

test('a summary that is longer than a message of the sink comes in several', () => {
  const { clock, offer, released } = pipelineWith({ rate });
  const texts = Array.from({ length: 30 }, (_, index) => `host ${index} is down\n${'x'.repeat(90)}.`);
  for (const each of texts) offer(each, 'error');
  clock.advance(MINUTE_MS);
  const messages = released(500);
  expect(messages.length).toBeGreaterThan(5);
  for (const message of messages) expect(message.length).toBeLessThanOrEqual(500);
  const all = messages.join('\n').replaceAll('\n  ', '\n');
  expect(texts.slice(3).filter((each) => !all.includes(each))).toStrictEqual([]);
});

test('a summary lists the first line of the newest twenty infos, and counts the others', () => {
  const { clock, offer, released } = pipelineWith({ rate });
  for (let index = 0; index < 33; index += 1) offer(`message ${index}\nsecond line`, 'info');
  clock.advance(MINUTE_MS);
  const lines = released()[0]?.split('\n') ?? [];
  expect(lines).toHaveLength(22);
  expect(lines[1]).toBe('- message 13');
  expect(lines[20]).toBe('- message 32');
  expect(lines[21]).toBe('and 10 more');
});

test('a single notification that the throttle held back comes later unchanged', () => {
  const { clock, offer, released, waitMs } = pipelineWith({ rate: { burst: 1, perMinute: 1 } });
  offer('first');
  expect(waitMs()).toBe(Infinity);
  expect(offer('second\nwith two lines')).toBe('rate');
  expect(waitMs()).toBe(MINUTE_MS);
  clock.advance(MINUTE_MS);
  expect(released()).toStrictEqual(['second\nwith two lines']);
});

test('every caller has a bucket, and errors have their own', () => {
  const { offer } = pipelineWith({ rate: { burst: 1, perMinute: 1 } });
  expect(offer('a', 'warn', 'one')).toBeUndefined();
  expect(offer('b', 'warn', 'one')).toBe('rate');
  expect(offer('b', 'warn', 'two')).toBeUndefined();
  expect(offer('c', 'error', 'one')).toBeUndefined();
  expect(offer('d', 'error', 'one')).toBe('rate');
});

test('a summary needs a separate token', () => {
  const { clock, offer, released, waitMs } = pipelineWith({ rate: { burst: 1, perMinute: 0.25 } });
  offer('a');
  offer('b');
  offer('c');
  clock.advance(MINUTE_MS);
  expect(released()).toHaveLength(1);
  offer('d');
  offer('e');
  clock.advance(MINUTE_MS);
  expect(released()).toStrictEqual([]);
  expect(waitMs()).toBe(3 * MINUTE_MS);
  clock.advance(3 * MINUTE_MS);
  expect(released()).toHaveLength(1);
});

test('quiet hours hold everything except errors, and a summary comes at their end', () => {
  const { clock, offer, released } = pipelineWith({ quietHours }, at(23));
  expect(offer('a')).toBe('quiet hours');
  expect(offer('b', 'info')).toBe('quiet hours');
  expect(offer('c', 'error')).toBeUndefined();
  clock.advance(8 * 60 * MINUTE_MS - 1);
  expect(released()).toStrictEqual([]);
  clock.advance(1);
  expect(released()).toStrictEqual(['2 notifications were held back in 8 h (1 warn, 1 info):\n- a\n- b']);
});

test.each([
  ['the rate limit', { rate }, 10],
  ['repeats', { foldMs: 2 * MINUTE_MS }, 2],
  ['a digest', { digestMs: 15 * MINUTE_MS }, 2],
])('a summary of %s that began before quiet hours waits for their end', (_, policy, count) => {
  const { clock, offer, released } = pipelineWith({ ...policy, quietHours }, at(21, 59));
  for (let index = 0; index < count; index += 1) offer('same');
  for (let minute = 0; minute < 9 * 60; minute += 1) {
    clock.advance(MINUTE_MS);
    expect(released()).toStrictEqual([]);
  }
  clock.advance(MINUTE_MS);
  expect(released()).toHaveLength(1);
});

test('while the person wants quiet from an agent, its notifications wait for one summary, and errors do not', () => {
  const clock = fixedClock('2026-11-21T12:00:00Z');
  let quietMs = 15 * MINUTE_MS;
  const records = memoryRecords(clock);
  const pipeline = new Pipeline(unlimitedPolicy, records, clock, (caller) =>
    caller === undefined || caller === 'Codex' ? quietMs : 0,
  );
  const offer = (message: string, caller: string, level: Level = 'warn') =>
    offerTo(pipeline, records, { ...sampleNotification(message, level), caller });
  expect(offer('a', 'Codex')).toBe('quiet hours');
  expect(offer('b', 'Codex', 'error')).toBeUndefined();
  expect(offer('c', 'Cursor')).toBeUndefined();
  records.add({ ...sampleNotification('d', 'warn'), caller: 'Codex' }, 'queued');
  expect(pipeline.withoutQuiet(records.next(10))).toStrictEqual([]);
  expect(records.next(10)).toStrictEqual([]);
  expect(pipeline.waitMs(waitingIn(records))).toBe(15 * MINUTE_MS);
  expect(releasedBy(pipeline, records, clock)).toStrictEqual([]);
  quietMs = 0;
  expect(releasedBy(pipeline, records, clock)).toMatchObject([
    { message: expect.stringMatching(/^2 notifications were held back/) },
  ]);
});

test('errors that the throttle held back do not wait for the end of quiet hours', () => {
  const { clock, offer, released } = pipelineWith({ rate: { burst: 1, perMinute: 1 }, quietHours }, at(23));
  for (const message of ['a', 'b', 'c']) offer(message, 'error');
  clock.advance(MINUTE_MS);
  expect(released()).toStrictEqual(['2 notifications were held back in 60 s (2 error):\n- b\n- c']);
});

test('a digest comes after its period, although the time of day was set back by a day', () => {
  const { clock, offer, released } = pipelineWith({ digestMs: 15 * MINUTE_MS });
  expect(offer('a')).toBe('digest');
  expect(offer('b')).toBe('digest');
  clock.jump(-24 * 60 * MINUTE_MS);
  clock.advance(15 * MINUTE_MS);
  expect(released()).toHaveLength(1);
});

test.each([
  ['a digest', { digestMs: 60 * MINUTE_MS }],
  ['what repeats', { foldMs: 60 * MINUTE_MS }],
])('the time that the machine sleeps counts for %s', (_, policy) => {
  const { clock, offer, released, waitMs } = pipelineWith(policy);
  for (let count = 0; count < 3; count += 1) offer('a');
  clock.advance(MINUTE_MS);
  clock.jump(60 * MINUTE_MS);
  expect(waitMs()).toBe(0);
  clock.advance(MINUTE_MS);
  expect(released()).toStrictEqual([expect.stringMatching(/held back in 62 min/)]);
  expect(offer('b')).toBe('digestMs' in policy ? 'digest' : undefined);
});

test('a repeat after the machine slept for longer than they are merged is new', () => {
  const { clock, offer } = pipelineWith({ foldMs: 60 * MINUTE_MS });
  offer('a');
  clock.jump(60 * MINUTE_MS);
  expect(offer('a')).toBeUndefined();
});

test('a change of the policy releases nothing early and loses nothing', () => {
  const { clock, offer, released, pipeline, waitMs } = pipelineWith({ quietHours }, at(23));
  offer('a');
  pipeline.update({ ...unlimitedPolicy, quietHours, level: 'error' });
  expect(released()).toStrictEqual([]);
  expect(waitMs()).toBe(8 * 60 * MINUTE_MS);
  clock.advance(8 * 60 * MINUTE_MS);
  expect(released()).toStrictEqual(['a']);
});

/** What a server releases at its end, after one notification has passed and two were held. */
const ended = (policy: Partial<Policy>) => {
  const rate = { burst: 1, perMinute: 1 };
  const { offer, pipeline, records, clock } = pipelineWith({ ...policy, rate }, at(23));
  for (const message of ['a', 'b', 'c']) offer(message);
  pipeline.releaseAtEnd(waitingIn(records));
  return summaries(records, clock, 10_000).map(({ message }) => message);
};

test('at the end of a server, quiet hours and digests stay held, and the throttle does not', () => {
  expect(ended({})).toStrictEqual(['2 notifications were held back in 1 s (2 warn):\n- b\n- c']);
  expect(ended({ quietHours })).toStrictEqual([]);
  expect(ended({ digestMs: MINUTE_MS })).toStrictEqual([]);
});

test.each([
  ['in spring, when a night has 7 hours', [2026, 2, 28], 7.98],
  ['in autumn, when it has 9', [2026, 9, 24], 9.98],
] as const)('quiet hours end at the same local time %s', (_, [year, month, day], hours) => {
  const zone = process.env['TZ'];
  onTestFinished(() => {
    if (zone === undefined) delete process.env['TZ'];
    else process.env['TZ'] = zone;
  });
  process.env['TZ'] = 'Europe/Berlin';
  const { offer, waitMs } = pipelineWith({ quietHours }, new Date(year, month, day, 22, 1).toISOString());
  offer('a');
  expect((waitMs() ?? 0) / 3_600_000).toBeCloseTo(hours, 1);
});
