import { expect, test } from 'vitest';
import { type Bucket, NotificationRate } from './notification-rate.ts';

test('lets twenty through at once, then one a second', () => {
  let now = 0;
  const rate = new NotificationRate(() => now);
  const taken = Array.from({ length: 20 }, () => rate.take('ann'));
  expect(taken).toEqual(Array.from({ length: 20 }, () => 0));
  expect(rate.take('ann')).toBe(1);
  now = 999;
  expect(rate.take('ann')).toBe(1);
  now = 1000;
  expect([rate.take('ann'), rate.take('ann')]).toEqual([0, 1]);
  expect(rate.take('ben')).toBe(0);
});

test('forgets callers whose allowance is whole again', () => {
  let now = 0;
  const buckets = new Map<string, Bucket>();
  const rate = new NotificationRate(() => now, buckets);
  for (let n = 0; n < 1000; n += 1) rate.take(`user ${n}`);
  expect(buckets.size).toBe(1000);
  now = 2000;
  rate.take('another');
  expect([...buckets.keys()]).toEqual(['another']);
});
