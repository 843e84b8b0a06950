import { expect, test } from 'vitest';
import type { Visibility } from '../x11/visibility.ts';
import { visibilityReporter } from './visibility.ts';

test('the lock counts before the window, and the window before its page; each change is reported once', () => {
  const seen: Visibility[] = [];
  const report = visibilityReporter((visibility) => void seen.push(visibility));
  report({ isLocked: false });
  report({ page: 'visible' });
  report({ page: 'minimized' });
  report({ window: 'covered' });
  report({ page: 'visible' });
  report({ isLocked: true });
  report({ window: 'visible' });
  report({ isLocked: false });
  expect(seen).toStrictEqual(['visible', 'minimized', 'covered', 'locked', 'visible']);
});

test('a screen that is not locked says nothing of the window before the window does', () => {
  const seen: Visibility[] = [];
  const report = visibilityReporter((visibility) => void seen.push(visibility));
  report({ isLocked: false });
  report({ window: 'locked' });
  expect(seen).toStrictEqual(['locked']);
});
