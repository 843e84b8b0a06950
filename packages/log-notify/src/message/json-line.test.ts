import { assert, integer, property, string } from 'fast-check';
import { expect, test } from 'vitest';
import { hostileTexts, LIVE } from '../testing/hostile-texts.ts';
import { jsonLine, readJsonLine } from './json-line.ts';
import { notification } from './notification.ts';

const at = Date.UTC(2026, 10, 21, 10, 30);

test('a line has the time, level, target, context and message', () => {
  const told = notification({ level: 'warn', context: 'safety', message: 'Back up', client: 'host' }, at);
  expect(JSON.parse(jsonLine(told))).toStrictEqual({
    time: '2026-11-21T10:30:00.000Z',
    level: 'warn',
    target: 'llm_notify',
    context: 'safety',
    message: 'Back up',
    client: 'host',
    id: told.id,
  });
});

test.each(hostileTexts)('%s: every character comes back, and none is live on the way', (_, text) => {
  const told = notification({ level: 'error', context: 'llm', message: text, client: text }, at);
  const line = jsonLine(told);
  expect(line).not.toMatch(LIVE);
  expect(readJsonLine(line)).toStrictEqual(told);
});

test('so does any text', () => {
  assert(
    property(
      string({ unit: integer({ min: 0, max: 0xffff }).map((unit) => String.fromCharCode(unit)) }),
      (text) => {
        const told = notification({ level: 'info', context: 'llm', message: text }, at);
        expect(jsonLine(told)).not.toMatch(LIVE);
        expect(readJsonLine(jsonLine(told))).toStrictEqual(told);
      },
    ),
    { numRuns: 2000 },
  );
});

test.each([
  '',
  'not JSON',
  '[]',
  '"x"',
  'null',
  '{}',
  '{"message":1}',
  '{"message":"x"}',
  '{"message":"x","time":"never"}',
])('%j is no notification', (line) => {
  expect(readJsonLine(line)).toBeUndefined();
});
