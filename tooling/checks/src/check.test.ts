import { expect, test } from 'vitest';
import { type CheckResult, runCheck, summary } from './check.ts';

const check = (run: () => Promise<readonly CheckResult[]>) => ({ name: 'example', run });

test('a check without results fails', async () => {
  expect(await runCheck(check(async () => []))).toMatchObject([{ name: 'example', status: 'failed' }]);
});

test('a check that throws fails with the message', async () => {
  const [result] = await runCheck(check(() => Promise.reject(new Error('no such folder'))));
  expect(result).toMatchObject({ status: 'failed', detail: expect.stringContaining('no such folder') });
});

test('a check with results keeps them, and the summary counts them', async () => {
  const results = await runCheck(
    check(async () => [
      { name: 'a', status: 'passed' },
      { name: 'b', status: 'skipped', detail: 'no display' },
    ]),
  );
  expect(summary(results)).toBe('1 passed, 0 failed, 1 skipped');
});
