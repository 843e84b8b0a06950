import { assert, constantFrom, integer, oneof, property, string } from 'fast-check';
import { describe, expect, test } from 'vitest';
import { hostileTexts, LIVE } from '../testing/hostile-texts.ts';
import { contextOf } from './contexts.ts';
import { neutralize, SHOWN } from './neutralize.ts';
import { notification } from './notification.ts';
import { outgoing } from './redact.ts';
import { terminalLine } from './terminal-line.ts';

/** The reverse, for texts that were not cut: that there is one proves that nothing is lost or ambiguous. */
function restore(shown: string): string {
  return shown.replaceAll(
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

const anything = oneof(
  string({ unit: 'binary' }),
  string({ unit: 'grapheme' }),
  string({ unit: integer({ min: 0, max: 0xffff }).map((unit) => String.fromCharCode(unit)) }),
  string({
    unit: constantFrom('\\', 'n', 'x', '0', 'a', 'u', '{', '}', '\n', '\u001B', '\u200D', '👩', '\u0301'),
  }),
);

test.each([
  ['Found 3 potential refactoring opportunities', 'Found 3 potential refactoring opportunities'],
  [String.raw`C:\Users\me`, String.raw`C:\Users\me`],
  ['a\nb', String.raw`a\nb`],
  ['a\r\nb\t', String.raw`a\r\nb\t`],
  [String.raw`a\nb`, String.raw`a\\nb`],
  ['\u001B[31m', String.raw`\x1b[31m`],
  ['\u009B', String.raw`\x9b`],
  ['\u202Eabc', String.raw`\u{202e}abc`],
  ['a\u200Bb', String.raw`a\u{200b}b`],
  ['\uD800', String.raw`\u{d800}`],
  ['\u{E0041}', String.raw`\u{e0041}`],
  ['👩🏽‍🚒 🏳️‍🌈 1️⃣', '👩🏽‍🚒 🏳️‍🌈 1️⃣'],
  ['naïve 日本語 العربية हिन्दी', 'naïve 日本語 العربية हिन्दी'],
])('%j is shown as %j', (text, shown) => {
  expect(neutralize(text)).toBe(shown);
});

test('there are enough hostile texts', () => {
  expect(hostileTexts.length).toBeGreaterThanOrEqual(60);
});

describe.each(hostileTexts)('%s', (_, text) => {
  test('becomes one line without anything live, in message and context', () => {
    const shown = neutralize(text);
    expect(shown).not.toMatch(LIVE);
    const line = terminalLine(notification({ level: 'error', context: contextOf(text), message: text }, 0), {
      colour: false,
      clock: 'date',
    });
    expect(line.endsWith('\n')).toBe(true);
    expect(line.slice(0, -1)).not.toMatch(LIVE);
  });

  test('is sent away, never longer than people are shown', () => {
    const [start] = outgoing(text).split('…[truncated ');
    expect(Array.from(start ?? '').length).toBeLessThanOrEqual(SHOWN);
  });

  test('loses nothing that is shown', () => {
    if (Array.from(text).length <= SHOWN) expect(restore(neutralize(text))).toBe(text);
    else expect(neutralize(text)).toMatch(/…\[truncated \d+\]$/);
  });
});

test('any text becomes one line without anything live, from which it can be restored', () => {
  assert(
    property(anything, (text) => {
      const shown = neutralize(text);
      expect(shown).not.toMatch(LIVE);
      expect(restore(shown)).toBe(text);
    }),
    { numRuns: 3000 },
  );
});

test('no character carries more than six marks', () => {
  expect(neutralize(`Z${'\u0351'.repeat(100)}`)).toMatch(/^Z\u0351{6}(?:\\u\{351\}){94}$/);
});

test('blanks that would push a text to the next row of a terminal are shown', () => {
  expect(neutralize(`a${' '.repeat(8)}b`)).toBe(`a${' '.repeat(8)}b`);
  expect(neutralize(`a${' '.repeat(10)}b`)).toBe(`a${' '.repeat(8)}${String.raw`\x20\x20`}b`);
  expect(neutralize(`a${'\u3000\u2800'.repeat(5)}b`)).toBe(
    String.raw`a${'\u3000\u2800'.repeat(4)}\u{3000}\u{2800}b`,
  );
});

test('a cut says how many code points it left out, and never splits one', () => {
  expect(neutralize('😀'.repeat(5), 3)).toBe('😀😀😀…[truncated 2]');
  expect(neutralize('abc', 3)).toBe('abc');
});

test.each([
  [undefined, 'llm'],
  [null, 'llm'],
  [7, 'llm'],
  ['', 'llm'],
  ['  \n', 'llm'],
  ['safety', 'safety'],
  ['Code Review!', 'code-review'],
  ['a\nb\u001B[31m', 'a-b-31m'],
  ['безопасность', 'безопасность'],
  ['x'.repeat(100), 'x'.repeat(64)],
])('the context %j is %j', (given, context) => {
  expect(contextOf(given)).toBe(context);
});
