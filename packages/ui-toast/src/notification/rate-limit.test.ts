import { expect, test } from 'vitest';
import { type Bucket, RateLimit } from './rate-limit.ts';

test('the rate limit allows 20 notifications at once per caller, then one per second', () => {
  let now = 0;
  const rateLimit = new RateLimit(() => now);
  const taken = Array.from({ length: 20 }, () => rateLimit.take('ann'));
  expect(taken).toEqual(Array.from({ length: 20 }, () => 0));
  expect(rateLimit.take('ann')).toBe(1);
  now = 999;
  expect(rateLimit.take('ann')).toBe(1);
  now = 1000;
  expect([rateLimit.take('ann'), rateLimit.take('ann')]).toEqual([0, 1]);
  expect(rateLimit.take('ben')).toBe(0);
});

test('the rate limit drops the buckets of callers whose bucket is full again', () => {
  let now = 0;
  const buckets = new Map<string, Bucket>();
  const rateLimit = new RateLimit(() => now, buckets);
  for (let n = 0; n < 1000; n += 1) rateLimit.take(`user ${n}`);
  expect(buckets.size).toBe(1000);
  now = 2000;
  rateLimit.take('another');
  expect([...buckets.keys()]).toEqual(['another']);
});
