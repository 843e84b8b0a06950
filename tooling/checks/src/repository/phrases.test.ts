import { expect, test } from 'vitest';
import { forbiddenPhrases } from './phrases.ts';

test.each([
  ['Nobody reads it.', ['line 1: "Nobody" → "no one"']],
  ['"x" is no date.', ['line 1: "is no" → "is not a"']],
  ['one line\nwhere there\n * is a display', ['line 2: "where there is" → "if there is"']],
  ['There is no display, and the popup is no longer open.', []],
  ['Amend the recommendation of its owner, as it is running.', []],
])('the phrases found in "%s" are %j', (text, found) => {
  expect(forbiddenPhrases(text)).toEqual(found);
});
