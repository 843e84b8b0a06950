import { expect, test } from 'vitest';
import { sampleNotification } from '../testing/delivery.ts';
import { titleOf } from './display.ts';

test.each([
  ['llm', undefined, 'Warning'],
  ['safety', undefined, 'Warning: safety'],
  ['safety', 'Claude Code', 'Warning: safety · Claude Code'],
])('the title of a warning about %s from %s is %s', (context, caller, title) => {
  const notification = { ...sampleNotification('a', 'warn'), context };
  expect(titleOf(caller === undefined ? notification : { ...notification, caller })).toBe(title);
});
