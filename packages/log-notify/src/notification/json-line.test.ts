import { expect, test } from 'vitest';
import { unsafeIn } from '../testing/hostile-texts.ts';
import { jsonLine, parseJsonLine } from './json-line.ts';
import { createNotification } from './notification.ts';

const time = Date.UTC(2026, 10, 21, 10, 30);

test('jsonLine writes time, level, target, context, message, the sender and the id', () => {
  const sender = {
    caller: 'Host · desk',
    project: 'desk',
    session: 's1',
    client: 'host',
    limitKey: 'secret',
  };
  const input = { level: 'warn', context: 'safety', message: 'Back up', ...sender } as const;
  const notification = createNotification(input, time);
  expect(JSON.parse(jsonLine(notification))).toStrictEqual({
    time: '2026-11-21T10:30:00.000Z',
    level: 'warn',
    target: 'llm_notify',
    context: 'safety',
    message: 'Back up',
    caller: 'Host · desk',
    project: 'desk',
    session: 's1',
    client: 'host',
    id: notification.id,
  });
});

test.each([
  '',
  'not JSON',
  '{"id":"a","time":"2026-11-21T10:30:00Z","message":1}',
  '{"id":"a","message":"x"}',
  '{"id":"a","message":"x","time":"never"}',
  '{"message":"x","time":"2026-11-21T10:30:00Z"}',
])('parseJsonLine returns undefined for the line %j', (line) => {
  expect(parseJsonLine(line)).toBeUndefined();
});

test('the id of a line that another program wrote forges nothing', () => {
  const notification = { ...createNotification({ level: 'info', context: 'llm', message: 'x' }, time) };
  const odd = { ...notification, id: 'a","message":"forged\u001B]0;owned\u0007' };
  expect(unsafeIn(jsonLine(odd))).toStrictEqual([]);
  expect(parseJsonLine(jsonLine(odd))).toStrictEqual(odd);
});
