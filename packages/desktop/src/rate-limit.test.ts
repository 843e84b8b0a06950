import { expect, test } from 'vitest';
import { fixedClock } from '@deskside/core/testing';
import { RateLimit } from './rate-limit.ts';

const clock = fixedClock('2026-11-21T12:00:00Z');

test('each caller may use the burst at once, then the rate, and a rejected call costs nothing', () => {
  const limit = new RateLimit({ burst: 2, perMinute: 60 }, clock);
  expect([limit.take('ann'), limit.take('ann'), limit.take('ann')]).toEqual([0, 0, 1000]);
  expect(limit.take('ben')).toBe(0);
  clock.advance(500);
  expect(limit.take('ann')).toBe(500);
  clock.advance(500);
  expect([limit.take('ann'), limit.take('ann')]).toEqual([0, 1000]);
  clock.advance(60_000);
  expect([limit.take('ann'), limit.take('ann'), limit.take('ann')]).toEqual([0, 0, 1000]);
});
