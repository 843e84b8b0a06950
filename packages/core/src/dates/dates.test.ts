import { expect, onTestFinished, test, vi } from 'vitest';
import { localDateTime, localIso } from './index.ts';

test.each([
  ['UTC', '2026-11-22 23:30:59', '2026-11-22T23:30:59.007+00:00'],
  ['Asia/Kolkata', '2026-11-23 05:00:59', '2026-11-23T05:00:59.007+05:30'],
  ['America/St_Johns', '2026-11-22 20:00:59', '2026-11-22T20:00:59.007-03:30'],
])('in %s an instant is shown to people as %s and to programs as %s', (zone, people, programs) => {
  vi.stubEnv('TZ', zone);
  onTestFinished(() => void vi.unstubAllEnvs());
  const time = new Date('2026-11-22T23:30:59.007Z');
  expect(localDateTime(time)).toBe(people);
  expect(localIso(time)).toBe(programs);
  expect(new Date(localIso(time))).toEqual(time);
});
