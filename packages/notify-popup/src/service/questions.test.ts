import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { answersOf, answersText } from './questions.ts';

const QUESTIONS = [
  { question: 'Which database?', options: ['PostgreSQL', 'SQLite'] },
  { question: 'Which\n  colors?', options: ['Red', 'Blue'], multiple: true },
  { question: 'Why?' },
];

test('no answer at all is an empty text', () => {
  expect(answersText(QUESTIONS, ['', ' ', '\n'])).toBe('');
  expect(answersOf(QUESTIONS, '')).toStrictEqual(['', '', '']);
});

const words = fc.string({
  unit: fc.constantFrom('a', ' ', '\n', '\u2028', '\r', '> ', '1. Why?', '(not answered)'),
});

test('no answer can pass as a question or as a missing answer, and each is read from the text as it was typed', () => {
  fc.assert(
    fc.property(fc.array(words, { minLength: 3, maxLength: 3 }), (answers) => {
      const text = answersText(QUESTIONS, answers);
      const missing = answers.filter((answer) => answer.trim() === '').length;
      const own =
        missing === 3 ? [] : text.split(/\r\n|[\n\r\u2028]/).filter((line) => !line.startsWith('> '));
      expect(own).toHaveLength(missing === 3 ? 0 : 3 + missing);
      const kept = answers.map((answer) => (answer.trim() === '' ? '' : answer));
      expect(answersOf(QUESTIONS, text)).toStrictEqual(
        kept.map((answer) => answer.replaceAll(/\r\n|[\r\u2028]/g, '\n')),
      );
    }),
  );
});
