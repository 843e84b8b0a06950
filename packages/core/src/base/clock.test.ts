import { expect, test } from 'vitest';
import { systemClock } from './clock.ts';

test('the system clock has a date, a time that only increases, and timers that can be cancelled', async () => {
  const before = systemClock.elapsedMs();
  expect(Math.abs(systemClock.now().getTime() - Date.now())).toBeLessThan(60_000);
  const ran = Promise.withResolvers<string>();
  systemClock.after(1, () => ran.resolve('cancelled'))();
  systemClock.after(2, () => ran.resolve('ran'), { isBackground: true });
  expect(await ran.promise).toBe('ran');
  expect(systemClock.elapsedMs()).toBeGreaterThan(before);
});
