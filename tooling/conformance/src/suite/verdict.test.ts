import { expect, test } from 'vitest';
import type { SuiteCheck } from './suite.ts';
import { verdict } from './verdict.ts';

const of = (...statuses: SuiteCheck['status'][]) => {
  const checks = statuses.map((status, index) => ({ id: `check-${index}`, status, errorMessage: 'why' }));
  return verdict('name', 'ping', { checks: new Map([['ping', checks]]) });
};

test('a scenario passes with what the suite calls success', () => {
  expect(of('SUCCESS', 'INFO', 'SKIPPED')).toEqual({ name: 'name', status: 'passed' });
});

test('warnings do not fail a scenario, and are told', () => {
  expect(of('SUCCESS', 'WARNING')).toEqual({
    name: 'name',
    status: 'passed',
    detail: 'WARNING check-1: why',
  });
});

test('one failed check fails a scenario', () => {
  expect(of('SUCCESS', 'FAILURE', 'SUCCESS')).toEqual({
    name: 'name',
    status: 'failed',
    detail: 'FAILURE check-1: why',
  });
});

test.each([{ statuses: [] }, { statuses: ['SKIPPED', 'INFO'] as const }])(
  'a scenario that checks nothing fails: $statuses',
  ({ statuses }) => expect(of(...statuses).status).toBe('failed'),
);

test('a scenario without a result fails, and tells how the suite ended', () => {
  expect(verdict('name', 'ping', { checks: new Map(), ending: 'It was killed.' })).toMatchObject({
    status: 'failed',
    detail: expect.stringContaining('It was killed.'),
  });
});
