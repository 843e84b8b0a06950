import sharp from 'sharp';
import { expect, test } from 'vitest';
import { looksSame } from './picture.ts';

/** A picture of one word, so many pixels from the left. */
const picture = (word: string, left = 0) =>
  sharp(
    Buffer.from(
      `<svg xmlns="http://www.w3.org/2000/svg" width="300" height="60"><rect width="300" height="60" fill="#fff"/><text x="${20 + left}" y="40" font-size="20">${word}</text></svg>`,
    ),
  )
    .png()
    .toBuffer();

test.each([
  ['the same word', 'Deny with a reason', 0, true],
  ['a word whose edges are drawn otherwise', 'Deny with a reason', 0.3, true],
  ['another letter', 'Deny with a season', 0, false],
  ['a word that has moved', 'Deny with a reason', 6, false],
])('%s looks the same: %j, %d', async (_, word, left, isSame) => {
  expect(await looksSame(await picture('Deny with a reason'), await picture(word, left))).toBe(isSame);
});
