import { expect, test } from 'vitest';
import { NearNames } from './near-names.ts';

function noteOf(asked: string, names: readonly (string | undefined)[]): string {
  const near = new NearNames({ application: asked, title: undefined });
  expect([near.asksFor('application'), near.asksFor('title')]).toEqual([true, false]);
  near.add('application', names);
  near.add('title', ['not asked for']);
  return near.note('Nothing matches.').remediationHint;
}

test('a note without names says only why', () => {
  expect(noteOf('Code', [])).toBe('Nothing matches.');
  expect(noteOf('Code', [undefined])).toBe('Nothing matches.');
});

test('a note names a single name, and at most five, those with most pairs of letters in common first', () => {
  expect(noteOf('Code', ['Mail'])).toBe('Nothing matches. Known names of application: Mail.');
  expect(noteOf('vs code', ['Mail', 'Chat', 'Cod', 'Visual Studio Code', 'Zip', 'Word'])).toBe(
    'Nothing matches. Known names of application: Visual Studio Code, Cod, Mail, Chat, Zip.',
  );
});

test('pairs are compared without case, accents and signs, and invisible characters are escaped', () => {
  expect(noteOf('CAF\u00C9-BAR', ['abc', 'cafe bar\u202E'])).toBe(
    'Nothing matches. Known names of application: cafe bar\\u{202e}, abc.',
  );
});
