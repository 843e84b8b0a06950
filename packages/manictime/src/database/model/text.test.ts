import { expect, test } from 'vitest';
import { safeText } from './text.ts';

test.each([
  ['\u001B[31mred\u001B[0m', String.raw`\u{1b}[31mred\u{1b}[0m`],
  ['a\u202Eb', String.raw`a\u{202e}b`],
  ['line\nbreak', String.raw`line\u{a}break`],
  ['👩‍💻 at work', '👩‍💻 at work'],
  ['<b>&amp;</b>', '<b>&amp;</b>'],
  [undefined, undefined],
])('safeText escapes invisible characters: %j becomes %j', (text, expected) => {
  expect(safeText(text)).toBe(expected);
});

test('safeText truncates to 400 code points and ends with an ellipsis', () => {
  expect(Array.from(safeText('🎉'.repeat(500)))).toHaveLength(400);
  expect(safeText('a'.repeat(10_000)).endsWith('a…')).toBe(true);
  expect(safeText('a'.repeat(400))).toBe('a'.repeat(400));
});
