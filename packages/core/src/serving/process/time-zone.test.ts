import { expect, test } from 'vitest';
import { fixedClock } from '../../testkit/environment.ts';
import { followTimeZone } from './time-zone.ts';

test.each([
  [{}, 2],
  [{ TZ: 'Asia/Tokyo' }, 0],
])('with the environment %j a process looks %i times in two minutes where the machine is', (env, count) => {
  const deleted: (string | symbol)[] = [];
  const watched = new Proxy<Record<string, string | undefined>>(env, {
    deleteProperty: (_, name) => deleted.push(name) > 0,
  });
  const clock = fixedClock('2026-03-01T10:00:00Z');
  followTimeZone(watched, clock);
  clock.advance(120_000);
  expect(deleted).toStrictEqual(Array.from({ length: count }, () => 'TZ'));
});
