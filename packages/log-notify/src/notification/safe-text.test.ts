import { codePointLength } from '@deskside/core/text';
import { assert, constantFrom, oneof, property, string } from 'fast-check';
import { expect, test } from 'vitest';
import { unsafeIn } from '../testing/hostile-texts.ts';
import { escapeLine, escapeLines } from './safe-text.ts';

/** The inverse of `escapeLine` for texts that were not truncated. */
function restore(escaped: string): string {
  return escaped.replaceAll(
    /(\\+)(?:([nrt])|x([0-9a-f]{2})|u\{([0-9a-f]+)\})/g,
    (all: string, slashes: string, letter?: string, byte?: string, code?: string) => {
      const tail = all.slice(slashes.length);
      if (slashes.length % 2 === 0) return '\\'.repeat(slashes.length / 2) + tail;
      const plain = { n: '\n', r: '\r', t: '\t' }[letter ?? ''];
      const character = plain ?? String.fromCodePoint(Number.parseInt(byte ?? code ?? '', 16));
      return '\\'.repeat((slashes.length - 1) / 2) + character;
    },
  );
}

const anyText = oneof(
  string({ unit: 'binary' }),
  string({ unit: constantFrom(...Array.from('\\nx0au{}\0\n\u200D\uFE0F👩\u0301\uD800')) }),
);

const ORDINARY = 'naïve 👩🏽‍🚒 🏳️‍🌈 1️⃣ می\u200Cخواهم שלום\u200F! क्\u200Dष';

test.each([
  ['Found 3 potential refactoring opportunities', 'Found 3 potential refactoring opportunities'],
  [String.raw`C:\Users\me`, String.raw`C:\Users\me`],
  [ORDINARY, ORDINARY],
  ['a\r\nb\t', String.raw`a\r\nb\t`],
  [String.raw`a\nb`, String.raw`a\\nb`],
  ['a\\\nb', String.raw`a\\\nb`],
  ['\u001B[31m', String.raw`\x1b[31m`],
  ['\u202Eabc', String.raw`\u{202e}abc`],
  ['\uD800', String.raw`\u{d800}`],
])('escapeLine turns %j into %j', (text, escaped) => {
  expect(escapeLine(text)).toBe(escaped);
});

test('escapeLine leaves no unsafe character in any text, and the text can be restored from the result', () => {
  assert(
    property(anyText, (text) => {
      const escaped = escapeLine(text);
      expect(unsafeIn(escaped)).toStrictEqual([]);
      expect(restore(escaped)).toBe(text);
    }),
    { numRuns: 3000 },
  );
});

test('escapeLine escapes the seventh mark on one character', () => {
  expect(escapeLine(`Z${'\u0351'.repeat(100)}`)).toMatch(/^Z\u0351{6}(?:\\u\{351\}){94}$/);
});

test('escapeLine escapes the ninth blank in a row', () => {
  expect(escapeLine(`a${' '.repeat(8)}b`)).toBe(`a${' '.repeat(8)}b`);
  expect(escapeLine(`a${' '.repeat(10)}b`)).toBe(`a${' '.repeat(8)}${String.raw`\x20\x20`}b`);
  expect(escapeLine(`a${'\u3000\u2800'.repeat(5)}b`)).toBe(
    String.raw`a${'\u3000\u2800'.repeat(4)}\u{3000}\u{2800}b`,
  );
});

test('escapeLine counts the code points that it omits, and never splits one', () => {
  expect(escapeLine('😀'.repeat(5), 3)).toBe('😀😀😀…[truncated 2]');
  expect(escapeLine('abc', 3)).toBe('abc');
});

test('escapeLines keeps line feeds and tabs, normalizes the others, and limits empty lines', () => {
  expect(escapeLines('a\r\nb\rc\n\n\n\nd\te')).toBe('a\nb\nc\n\nd\te');
});

const lines = Array.from({ length: 50 }, (_, index) => `  step(${index});`);

test('a message that is cut ends with a whole line, and the count is in a line of its own', () => {
  const text = escapeLines(lines.join('\n'), 100);
  expect(text).toMatch(/^ {2}step\(0\);\n[\s\S]* {2}step\(\d\);\n…\[truncated \d+\]$/);
  expect(escapeLines('word '.repeat(30), 20)).toBe('word word word word …[truncated 130]');
});

test.each(['```', '~~~', '````'])('a code block of %s that is cut is closed before the count', (fence) => {
  const message = `Look:\n${fence}js\n${lines.join('\n')}\n${fence}\n**end**`;
  const text = escapeLines(message, 100);
  expect(text).toMatch(
    new RegExp(`^Look:\\n${fence}js\\n[\\s\\S]* {2}step\\(\\d\\);\\n${fence}\\n…\\[truncated \\d+\\]$`),
  );
  const [start = ''] = text.split('\n…[truncated ');
  expect(codePointLength(start)).toBeLessThanOrEqual(100);
  // Nothing is open after the end of the block.
  const closed = escapeLines(`${message}\n${'word '.repeat(400)}`, 900);
  expect(closed.split(fence)).toHaveLength(3);
});

test.each([
  ['a family', '👩‍👩‍👧'],
  ['a skin tone', '👩🏽'],
  ['a flag', '🇩🇪'],
  ['a letter with an accent', 'é'],
])('%s is not cut in two', (_, cluster) => {
  for (let limit = 1; limit < 40; limit += 1) {
    for (const cut of [escapeLine, escapeLines]) {
      const [start = ''] = cut(cluster.repeat(20), limit).split(/\n?…\[truncated /);
      expect(start.replaceAll(cluster, '')).toBe('');
    }
  }
});
