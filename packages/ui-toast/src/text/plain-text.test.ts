import { expect, test } from 'vitest';
import { isBlank, plainText } from './plain-text.ts';

test.each([
  ['Build failed\nsee logs', 'Build failed\nsee logs'],
  ['a\u0007b\u001B[31m\tc', 'ab[31mc'],
  ['safe\u202Eevil\u2066', 'safeevil'],
  ['a\u200Bb\uFEFFc\u00ADd', 'abcd'],
  ['show\u{E0073}\u{E0065}', 'show'],
  ['👩‍💻 ❤️ 👍🏽', '👩‍💻 ❤️ 👍🏽'],
  ['می‌خواهم क्‍ष', 'می‌خواهم क्‍ष'],
  ['\u200D\u200Ca\u200C\u200C\u200D b', 'a b'],
])('%j shows as %j', (text, plain) => {
  expect(plainText(text)).toBe(plain);
});

test.each(['', ' \n', '\u200B', '\uFE0F', '\u200D\uFE0E ', '\u3164', '\u2800', '\u{E0073}'])(
  '%j is blank',
  (text) => {
    expect(isBlank(text)).toBe(true);
  },
);

test.each(['a', '❤️', '\u200Bx', 'می‌خواهم', '0'])('%j is not blank', (text) => {
  expect(isBlank(text)).toBe(false);
});
