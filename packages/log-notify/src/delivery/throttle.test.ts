import { expect, test } from 'vitest';
import type { Policy } from '../config/plan.ts';
import { manualClock, sampleNotification, unlimitedPolicy } from '../testing/delivery.ts';
import { Throttle, rejectionReason } from './throttle.ts';

function throttleWith(policy: Partial<Policy>, clock = manualClock()) {
  const summaries: string[] = [];
  const throttle = new Throttle({ ...unlimitedPolicy, ...policy }, clock, ({ level, message }) =>
    summaries.push(`${level}: ${message}`),
  );
  return { throttle, clock, summaries };
}

function at(hours: number, minutes = 0): number {
  return new Date(2026, 5, 10, hours, minutes).getTime();
}

test('rejectionReason compares level and contexts with the policy', () => {
  const policy: Policy = {
    ...unlimitedPolicy,
    level: 'warn',
    contexts: ['safety', 'llm'],
    excludeContexts: ['llm'],
  };
  expect(rejectionReason(policy, sampleNotification('a', 'info', 'safety'))).toBe('level');
  expect(rejectionReason(policy, sampleNotification('a', 'warn', 'safety'))).toBeUndefined();
  expect(rejectionReason(policy, sampleNotification('a', 'error', 'analysis'))).toBe('context');
  expect(rejectionReason(policy, sampleNotification('a', 'error', 'llm'))).toBe('context');
});

test('the rate limit passes a burst, then a number per minute, and summarizes the rest', () => {
  const { throttle, clock, summaries } = throttleWith({ rate: { burst: 3, perMinute: 2 } });
  const reasons = ['a', 'b', 'c', 'd', 'e'].map((message) => throttle.pass(sampleNotification(message)));
  expect(reasons).toStrictEqual([undefined, undefined, undefined, 'rate', 'rate']);
  clock.advance(30_000);
  expect(throttle.pass(sampleNotification('f'))).toBeUndefined();
  expect(throttle.pass(sampleNotification('g', 'warn'))).toBe('rate');
  expect(summaries).toStrictEqual([]);
  clock.advance(30_000);
  expect(summaries).toStrictEqual([
    'warn: 3 notifications were held back in 60 s (2 info, 1 warn). Latest: d | e | g',
  ]);
});

test('errors have a rate limit of the same size for themselves', () => {
  const { throttle } = throttleWith({ rate: { burst: 2, perMinute: 1 } });
  const infos = Array.from({ length: 1000 }, (_, index) =>
    throttle.pass(sampleNotification(`info ${index}`)),
  );
  expect(infos.filter((reason) => reason === undefined)).toHaveLength(2);
  expect(
    [1, 2, 3].map((index) => throttle.pass(sampleNotification(`error ${index}`, 'error'))),
  ).toStrictEqual([undefined, undefined, 'rate']);
});

test('the first of several similar notifications passes, and a summary counts the others', () => {
  const { throttle, clock, summaries } = throttleWith({ foldMs: 60_000 });
  const at = (message: string) => sampleNotification(message, 'info', 'llm', clock.now());
  expect(throttle.pass(at('Processed file 1 of 47 in /src/a.ts'))).toBeUndefined();
  for (let file = 2; file <= 38; file += 1) {
    expect(throttle.pass(at(`Processed file ${file} of 47 in /src/b${file}.ts`))).toBe('duplicate');
  }
  expect(throttle.pass(at('Something else'))).toBeUndefined();
  clock.advance(60_000);
  expect(summaries).toStrictEqual(['info: Processed file 1 of 47 in /src/a.ts (+37 similar in 60 s)']);
  expect(throttle.pass(at('Processed file 39 of 47 in /src/a.ts'))).toBeUndefined();
});

test('notifications with different levels or contexts, and different errors, are not similar', () => {
  const { throttle } = throttleWith({ foldMs: 60_000 });
  const all = [
    sampleNotification('line 1', 'info'),
    sampleNotification('line 1', 'warn'),
    sampleNotification('line 1', 'info', 'safety'),
    sampleNotification('line 1', 'error'),
    sampleNotification('line 2', 'error'),
  ];
  expect(all.map((each) => throttle.pass(each))).toStrictEqual(all.map(() => undefined));
  expect(throttle.pass(sampleNotification('line 2', 'error'))).toBe('duplicate');
});

test('a digest collects everything except errors', () => {
  const { throttle, clock, summaries } = throttleWith({ digestMs: 900_000 });
  expect(throttle.pass(sampleNotification('a'))).toBe('digest');
  expect(throttle.pass(sampleNotification('b', 'warn'))).toBe('digest');
  expect(throttle.pass(sampleNotification('c', 'error'))).toBeUndefined();
  clock.advance(899_999);
  expect(summaries).toStrictEqual([]);
  clock.advance(1);
  expect(summaries).toStrictEqual([
    'warn: 2 notifications were held back in 15 min (1 info, 1 warn). Latest: a | b',
  ]);
});

const quietHours = { from: 22 * 60, to: 7 * 60 };
test.each([
  [21, 59, undefined],
  [22, 0, 'quiet hours'],
  [23, 30, 'quiet hours'],
  [3, 0, 'quiet hours'],
  [6, 59, 'quiet hours'],
  [7, 0, undefined],
  [12, 0, undefined],
] as const)('at %i:%i an info is held back by %s', (hours, minutes, reason) => {
  const { throttle } = throttleWith({ quietHours }, manualClock(at(hours, minutes)));
  expect(throttle.pass(sampleNotification('a', 'info'))).toBe(reason);
  expect(throttle.pass(sampleNotification('a', 'error'))).toBeUndefined();
});

test('quiet hours end with a summary', () => {
  const { throttle, clock, summaries } = throttleWith({ quietHours }, manualClock(at(23)));
  throttle.pass(sampleNotification('a'));
  clock.advance(8 * 3_600_000 - 1);
  expect(summaries).toStrictEqual([]);
  clock.advance(1);
  expect(summaries).toStrictEqual(['info: 1 notification was held back in 8 h (1 info). Latest: a']);
});

test('flush releases every summary once', () => {
  const { throttle, summaries } = throttleWith({ foldMs: 60_000, rate: { burst: 1, perMinute: 1 } });
  for (const message of ['a', 'a', 'b']) throttle.pass(sampleNotification(message));
  throttle.flush();
  expect(summaries).toHaveLength(2);
  throttle.flush();
  expect(summaries).toHaveLength(2);
});
