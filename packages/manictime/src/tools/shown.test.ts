import { expect, test } from 'vitest';
import { shown } from './shown.ts';

test.each([
  ['\u001B[31mred\u001B[0m', String.raw`\u{1b}[31mred\u{1b}[0m`],
  ['a\u202Eb', String.raw`a\u{202e}b`],
  ['x\u{E0041}', String.raw`x\u{e0041}`],
  ['zero\u200Bwidth', String.raw`zero\u{200b}width`],
  ['line\nbreak', String.raw`line\u{a}break`],
  ['👩‍💻 at work', '👩‍💻 at work'],
  ['👨‍👩‍👧\u200D', `👨‍👩‍👧${String.raw`\u{200d}`}`],
  ['שלום', 'שלום'],
  ['<b>&amp;</b>', '<b>&amp;</b>'],
])('%j is shown as %j', (text, expected) => {
  expect(shown(text)).toBe(expected);
});

test('what is longer than a title is cut, by code points', () => {
  expect(Array.from(shown('🎉'.repeat(500)))).toHaveLength(400);
  expect(shown('a'.repeat(10_000)).endsWith('a…')).toBe(true);
  expect(shown('a'.repeat(400))).toBe('a'.repeat(400));
});
