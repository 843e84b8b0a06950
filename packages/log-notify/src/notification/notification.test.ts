import { assert, property, string } from 'fast-check';
import { expect, test } from 'vitest';
import { normalizeContext } from './notification.ts';

test.each([
  ['  \n', 'llm'],
  ['safety', 'safety'],
  ['Code Review!', 'code-review'],
  ['a\nb\u001B[31m', 'a-b-31m'],
  ['सुरक्षा', 'सुरक्षा'],
  ['İzleme', 'izleme'],
  ['\u0301x', 'x'],
  ['1\uFE0F\u20E3 Deploy \u26A0\uFE0F', '1-deploy'],
  ['x'.repeat(100), 'x'.repeat(64)],
  [`${'x'.repeat(63)} y`, 'x'.repeat(63)],
])('normalizeContext turns %j into %j', (given, context) => {
  expect(normalizeContext(given)).toBe(context);
});

test('normalizeContext changes a normalized context no further', () => {
  assert(
    property(string({ unit: 'binary', maxLength: 100 }), (text) => {
      const context = normalizeContext(text);
      expect(normalizeContext(context)).toBe(context);
    }),
    { numRuns: 3000 },
  );
});
