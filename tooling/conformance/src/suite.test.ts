import { expect, test } from 'vitest';
import { type SuiteCheck, verdict } from './suite.ts';

const of = (...statuses: SuiteCheck['status'][]) => {
  const checks = statuses.map((status, index) => ({ id: `check-${index}`, status, errorMessage: 'why' }));
  return verdict('name', 'ping', { checks: new Map([['ping', checks]]) });
};

test('a scenario with successful checks passes', () => {
  expect(of('SUCCESS', 'INFO', 'SKIPPED')).toEqual({ name: 'name', status: 'passed' });
});

test('a scenario with warnings passes, and the result contains them', () => {
  expect(of('SUCCESS', 'WARNING')).toEqual({
    name: 'name',
    status: 'passed',
    detail: 'WARNING check-1: why',
  });
});

test.each([{ statuses: [] }, { statuses: ['SKIPPED', 'INFO'] as const }])(
  'a scenario that checks nothing fails: $statuses',
  ({ statuses }) => expect(of(...statuses).status).toBe('failed'),
);

test('a scenario without a result fails, and the result contains how the suite ended', () => {
  expect(verdict('name', 'ping', { checks: new Map(), ending: 'It was killed.' })).toMatchObject({
    status: 'failed',
    detail: expect.stringContaining('It was killed.'),
  });
});
