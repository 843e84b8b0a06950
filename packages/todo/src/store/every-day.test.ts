import { fixedClock } from '@deskside/testkit';
import { expect, onTestFinished, test, vi } from 'vitest';
import { everyDay } from './every-day.ts';

const HOUR_MS = 3_600_000;

test('work runs at once and when a day has passed on the wall clock, whatever the timers counted', () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  const { now, advance } = fixedClock('2026-11-30T10:00:00Z');
  let runs = 0;
  const timer = everyDay(now, () => void (runs += 1));
  const pass = (hours: number, awakeHours: number) => {
    advance(hours * HOUR_MS);
    vi.advanceTimersByTime(awakeHours * HOUR_MS);
    return runs;
  };
  expect(runs).toBe(1);
  expect(pass(23, 30)).toBe(1);
  expect(pass(1, 1)).toBe(2);
  expect(pass(0, 30)).toBe(2);
  expect(pass(240, 1)).toBe(3);
  // A clock that was days ahead is corrected.
  expect(pass(-240, 1)).toBe(4);
  clearInterval(timer);
  expect(pass(240, 30)).toBe(4);
});
