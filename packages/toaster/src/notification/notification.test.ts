import { expect, test } from 'vitest';
import {
  DEFAULT_DURATION_MS,
  escapeNotification,
  MAX_ACTIONS,
  MAX_DURATION_MS,
  MAX_LABEL_CODE_POINTS,
  MAX_MESSAGE_CODE_POINTS,
  MAX_PROMPT_CODE_POINTS,
  MAX_TITLE_CODE_POINTS,
  type Notification,
} from './notification.ts';

const notification: Notification = {
  id: '1',
  timestamp: '2026-11-21T10:00:00Z',
  message: 'Build failed\nsee logs',
  severity: 'error',
  duration: 0,
  position: 'top-right',
};

test('the limits and the default are those of the contract, which has none for labels and prompts', () => {
  expect([MAX_MESSAGE_CODE_POINTS, MAX_TITLE_CODE_POINTS]).toStrictEqual([500, 100]);
  expect([MAX_LABEL_CODE_POINTS, MAX_PROMPT_CODE_POINTS]).toStrictEqual([100, 2000]);
  expect([MAX_ACTIONS, DEFAULT_DURATION_MS, MAX_DURATION_MS]).toStrictEqual([3, 5000, 30_000]);
});

test('a toast keeps the line feeds of its message', () => {
  expect(escapeNotification(notification)).toStrictEqual(notification);
});

test('hidden characters are escaped in the message, title, label and prompt of a toast', () => {
  const hidden = 'a\u202Eb\u200Bc';
  const shown = 'a\\u{202e}b\\u{200b}c';
  const actions = [{ label: hidden, action: 'prompt', prompt: hidden }] as const;
  expect(escapeNotification({ ...notification, message: hidden, title: hidden, actions })).toMatchObject({
    message: shown,
    title: shown,
    actions: [{ label: shown, action: 'prompt', prompt: shown }],
  });
});
