import { assert, property, string } from 'fast-check';
import { expect, test } from 'vitest';
import {
  codePointLength,
  escapeHtml,
  escapeInvisible,
  escapeInvisibleJson,
  firstCodePoints,
  isBlank,
  replaceUnsafe,
  truncateCodePoints,
} from './index.ts';

test.each([
  ['emoji with skin tones and joiners', 'Done 👩🏽‍🚒 👨‍👩‍👧 👍🏽'],
  ['emoji with selectors, keycaps and flags', 'I ❤️ it: 1️⃣ 🏳️‍🌈 🇩🇪 ☎︎'],
  ['the flag of England, written with tags', 'Football 🏴󠁧󠁢󠁥󠁮󠁧󠁿 today'],
  ['Hebrew with a right-to-left mark', 'שלום\u200F! (C++\u200Fב)'],
  ['Arabic with a letter mark', 'العربية\u061C 12'],
  ['Japanese with a registered variant', '葛\u{E0100}城市へ行く'],
])('escapeInvisible keeps %s unchanged', (_, text) => {
  expect(escapeInvisible(text)).toBe(text);
});

test.each([
  ['two marks of direction in a row', 'שלום\u200F\u200F', 'שלום\\u{200f}\\u{200f}'],
  ['a joiner behind an emoji', '👩\u200Da', '👩\\u{200d}a'],
  ['a joiner between emoji that are no sequence', '👩\u200D🚲\u200D👩', '👩\\u{200d}🚲\\u{200d}👩'],
  ['a non-joiner at the end of a Persian word', 'می\u200C', 'می\\u{200c}'],
  ['tags behind a flag that is no flag', '🏴\u{E0067}\u{E007F}', '🏴\\u{e0067}\\u{e007f}'],
  ['a second variation selector behind an emoji', '😀\uFE0F\uFE0F', '😀\uFE0F\\u{fe0f}'],
  ['a second variation selector behind an ideograph', '葛\u{E0100}\u{E0101}', '葛\u{E0100}\\u{e0101}'],
])('escapeInvisible escapes %s', (_, text, escaped) => {
  expect(escapeInvisible(text)).toBe(escaped);
});

/** All code points with the proof. Otherwise all of the first two planes and of the tags, and some of the others. */
const CODE_POINTS = Array.from({ length: 0x110000 }, (_, codePoint) => codePoint).filter(
  (codePoint) =>
    process.env['DESKSIDE_PROOF'] === '1' ||
    codePoint < 0x20000 ||
    (codePoint >= 0xe0000 && codePoint < 0xe1100) ||
    codePoint % 101 === 0,
);

function codePointsWhere(holds: (character: string) => boolean): string[] {
  return CODE_POINTS.map((codePoint) => String.fromCodePoint(codePoint)).filter(holds);
}

test('escapeInvisible decides about each code point alone as the properties of Unicode say', () => {
  const escaped = codePointsWhere((character) => escapeInvisible(`a${character}a`) !== `a${character}a`);
  const unsafe = /[\p{Control}\p{Surrogate}\p{Zl}\p{Zp}\uFFF9-\uFFFB\p{Default_Ignorable_Code_Point}]/u;
  expect(escaped).toEqual(codePointsWhere((character) => unsafe.test(character)));
});

test('escapeInvisible keeps a joiner between two letters of each joining script, and between no others', () => {
  const scripts =
    'Adlam Arabic Bengali Devanagari Gujarati Gurmukhi Hanifi_Rohingya Kannada Khmer Malayalam Mandaic Manichaean ' +
    'Mongolian Myanmar Nko Oriya Phags_Pa Sinhala Sogdian Syriac Tamil Telugu';
  const joining = new RegExp(scripts.replaceAll(/(\w+) ?/g, '\\p{Script=$1}|').slice(0, -1), 'u');
  const joined = codePointsWhere((letter) => escapeInvisible(`${letter}\u200C${letter}`).includes('\u200C'));
  expect(joined).toEqual(codePointsWhere((letter) => /[\p{L}\p{M}]/u.test(letter) && joining.test(letter)));
});

test('escapeInvisible keeps a right-to-left mark after a letter of each right-to-left script, and after no other', () => {
  const scripts = 'Adlam Arabic Hanifi_Rohingya Hebrew Mandaic Nko Samaritan Syriac Thaana';
  const rightToLeft = new RegExp(scripts.replaceAll(/(\w+) ?/g, '\\p{Script=$1}|').slice(0, -1), 'u');
  const marked = codePointsWhere((letter) => escapeInvisible(`${letter}\u200F`).includes('\u200F'));
  expect(marked).toEqual(codePointsWhere((letter) => /\p{L}/u.test(letter) && rightToLeft.test(letter)));
});

test('escapeInvisible keeps lines and tabs in multiline mode, and escapes everything else', () => {
  expect(escapeInvisible('a\r\nb\rc\n\td\u0007', { multiline: true })).toBe('a\nb\nc\n\td\\u{7}');
});

test('escapeInvisible leaves no unsafe character in any text, and escaping twice changes nothing', () => {
  assert(
    property(string({ unit: 'binary' }), (text) => {
      const escaped = escapeInvisible(text);
      expect(replaceUnsafe(escaped, () => '!')).toBe(escaped);
    }),
  );
});

test('escapeInvisibleJson changes nothing for who parses it', () => {
  assert(
    property(string({ unit: 'binary' }), (text) => {
      const json = escapeInvisibleJson(JSON.stringify({ text }));
      expect(replaceUnsafe(json, () => '!')).toBe(json);
      expect(JSON.parse(json)).toStrictEqual({ text });
    }),
  );
});

test.each(['', ' \n', '\u200B', '\uFE0F', '\u200D\uFE0E ', '\u3164', '\u2800', '\u{E0073}', '\u0007'])(
  'isBlank is true for %j',
  (text) => {
    expect(isBlank(text)).toBe(true);
  },
);

test.each(['a', '❤️', '\u200Bx', 'می‌خواهم', '0'])('isBlank is false for %j', (text) => {
  expect(isBlank(text)).toBe(false);
});

test('escapeHtml makes a text safe between tags and in quoted attributes', () => {
  expect(escapeHtml(`<a href='x' title="&amp;">`)).toBe(
    '&lt;a href=&#39;x&#39; title=&quot;&amp;amp;&quot;&gt;',
  );
});

test('lengths and cuts count code points and never split a surrogate pair', () => {
  expect(codePointLength('a😀b')).toBe(3);
  expect(firstCodePoints('😀😀😀', 2)).toBe('😀😀');
  expect(firstCodePoints('ab', 2)).toBe('ab');
  expect(truncateCodePoints('😀😀😀', 3)).toBe('😀😀😀');
  expect(truncateCodePoints('😀😀😀😀', 3)).toBe('😀😀…');
  expect(truncateCodePoints('', 3)).toBe('');
});
