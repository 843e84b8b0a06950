import { assert, property, string } from 'fast-check';
import { expect, test } from 'vitest';
import {
  codePointLength,
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
  ['Persian with a non-joiner', 'می‌خواهم فردا کار کنم'],
  ['Hindi with a joiner', 'क्‍ष और श्री'],
  ['Sinhala with a joiner', 'ශ්‍රී ලංකාව'],
  ['Hebrew with a right-to-left mark', 'שלום\u200F! (C++\u200Fב)'],
  ['Arabic with a letter mark', 'العربية\u061C 12'],
  ['Japanese with a registered variant', '葛\u{E0100}城市へ行く'],
  ['accents, CJK and plain text', 'naïve 日本語 C:\\Users\\me'],
])('escapeInvisible keeps %s unchanged', (_, text) => {
  expect(escapeInvisible(text)).toBe(text);
});

test.each([
  ['a line feed', 'a\nb', 'a\\u{a}b'],
  ['an escape sequence', '\u001B[31m', '\\u{1b}[31m'],
  ['a C1 control', '\u009B', '\\u{9b}'],
  ['a line separator', 'a\u2028b', 'a\\u{2028}b'],
  ['a right-to-left override', 'a\u202Eb', 'a\\u{202e}b'],
  ['isolates', '\u2066a\u2069', '\\u{2066}a\\u{2069}'],
  ['a deprecated bidi control', 'a\u206Ab', 'a\\u{206a}b'],
  ['a mark of direction between Latin letters', 'a\u200Eb', 'a\\u{200e}b'],
  ['two marks of direction in a row', 'שלום\u200F\u200F', 'שלום\\u{200f}\\u{200f}'],
  ['a zero-width space', 'a\u200Bb', 'a\\u{200b}b'],
  ['a byte order mark', 'a\uFEFFb', 'a\\u{feff}b'],
  ['a soft hyphen', 'a\u00ADb', 'a\\u{ad}b'],
  ['a joiner between Latin letters', 'a\u200Db', 'a\\u{200d}b'],
  ['a joiner behind an emoji', '👩\u200Da', '👩\\u{200d}a'],
  ['a joiner between emoji that are no sequence', '👩\u200D🚲\u200D👩', '👩\\u{200d}🚲\\u{200d}👩'],
  ['a non-joiner at the end of a Persian word', 'می\u200C', 'می\\u{200c}'],
  ['Hangul fillers', '\u115F\u3164\uFFA0', '\\u{115f}\\u{3164}\\u{ffa0}'],
  ['Unicode tags', 'hi\u{E0041}', 'hi\\u{e0041}'],
  ['tags behind a flag that is no flag', '🏴\u{E0067}\u{E007F}', '🏴\\u{e0067}\\u{e007f}'],
  ['a variation selector behind a letter', 'a\uFE0Fb', 'a\\u{fe0f}b'],
  ['a second variation selector behind an emoji', '😀\uFE0F\uFE0F', '😀\uFE0F\\u{fe0f}'],
  ['a supplementary variation selector behind a letter', 'a\u{E0100}', 'a\\u{e0100}'],
  ['a second variation selector behind an ideograph', '葛\u{E0100}\u{E0101}', '葛\u{E0100}\\u{e0101}'],
  ['invisible musical format', 'a\u{1D173}b', 'a\\u{1d173}b'],
  ['an interlinear annotation', '\uFFF9a\uFFFB', '\\u{fff9}a\\u{fffb}'],
  ['a lone surrogate', 'a\uD800b', 'a\\u{d800}b'],
])('escapeInvisible escapes %s', (_, text, escaped) => {
  expect(escapeInvisible(text)).toBe(escaped);
});

/** Of every code point, those that satisfy a condition. */
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

test('lengths and cuts count code points and never split a surrogate pair', () => {
  expect(codePointLength('a😀b')).toBe(3);
  expect(firstCodePoints('😀😀😀', 2)).toBe('😀😀');
  expect(firstCodePoints('ab', 2)).toBe('ab');
  expect(truncateCodePoints('😀😀😀', 3)).toBe('😀😀😀');
  expect(truncateCodePoints('😀😀😀😀', 3)).toBe('😀😀…');
  expect(truncateCodePoints('', 3)).toBe('');
});
