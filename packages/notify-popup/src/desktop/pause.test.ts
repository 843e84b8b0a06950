import { fixedClock } from '@deskside/testkit';
import { expect, test } from 'vitest';
import { pauseOfInput } from './pause.ts';

/** A person who presses a key at these times, in milliseconds. */
async function pauseAfter(keys: readonly number[], signal = new AbortController().signal) {
  const clock = fixedClock('2026-03-01T10:00:00Z');
  let questions = 0;
  let endedAt: number | undefined;
  const ended = pauseOfInput({
    async idleMs() {
      questions += 1;
      const now = clock.elapsedMs();
      return now - Math.max(-1000, ...keys.filter((key) => key <= now));
    },
    signal,
    clock,
  });
  void ended.then(() => (endedAt = clock.elapsedMs()));
  return { clock, endedAt: () => endedAt, questions: () => questions };
}

test.each([
  ['a person who is reading', [], 500],
  ['a person who stops', [200, 400, 900], 2400],
  ['a person who goes on after a short stop', [200, 1600, 2900], 4400],
  ['a person who does not stop', Array.from({ length: 200 }, (_, index) => 100 * index), 10_000],
])('%s is not interrupted before the pause of 1.5 s, and after 10 s at the latest', async (_, keys, ms) => {
  const { clock, endedAt, questions } = await pauseAfter(keys);
  await clock.advanceAsync(ms - 1);
  expect(endedAt()).toBeUndefined();
  await clock.advanceAsync(1);
  expect(endedAt()).toBe(ms);
  const asked = questions();
  // It does not ask anymore.
  await clock.advanceAsync(60_000);
  expect(questions()).toBe(asked);
  expect(asked).toBeLessThan(9);
});

test('a platform that does not tell, and one that never answers, do not delay', async () => {
  const clock = fixedClock('2026-03-01T10:00:00Z');
  const options = { signal: new AbortController().signal, clock };
  await pauseOfInput({ ...options, idleMs: async () => undefined });
  expect(clock.elapsedMs()).toBe(0);
  const silent = pauseOfInput({ ...options, idleMs: () => new Promise(() => {}) });
  await clock.advanceAsync(10_000);
  await silent;
});

test('the wait ends when its signal does', async () => {
  const stop = new AbortController();
  const { clock, endedAt } = await pauseAfter([0, 900, 1800], stop.signal);
  await clock.advanceAsync(1000);
  stop.abort();
  await clock.advanceAsync(1);
  expect(endedAt()).toBeLessThanOrEqual(1001);
  const late = await pauseAfter([0], stop.signal);
  await late.clock.advanceAsync(0);
  expect([late.endedAt(), late.questions()]).toStrictEqual([0, 0]);
});
