import { expect, test } from 'vitest';
import { escapeNotification, type Notification } from './notification.ts';

const notification: Notification = {
  id: '1',
  timestamp: '2026-11-21T10:00:00Z',
  message: 'Build failed\nsee logs',
  severity: 'error',
  duration: 0,
  position: 'top-right',
};

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
