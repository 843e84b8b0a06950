import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { answersOf, answersText, askedText } from './questions.ts';

const QUESTIONS = [
  { question: 'Which database?', options: ['PostgreSQL', 'SQLite'] },
  { question: 'Which\n  colors?', options: ['Red', 'Blue'], multiple: true },
  { question: 'Why?' },
];

test('each answer stands quoted under its question, and a missing one is said', () => {
  expect(answersText(QUESTIONS, ['SQLite', 'Red\nBlue\n3. Why?', ' '])).toBe(
    '1. Which database?\n> SQLite\n2. Which colors?\n> Red\n> Blue\n> 3. Why?\n3. Why?\n(not answered)',
  );
});

test('no answer at all is an empty text', () => {
  expect(answersText(QUESTIONS, ['', ' ', '\n'])).toBe('');
  expect(answersOf(QUESTIONS, '')).toStrictEqual(['', '', '']);
});

const words = fc.string({
  unit: fc.constantFrom('a', ' ', '\n', '\u2028', '\r', '> ', '1. Why?', '(not answered)'),
});

test('no answer can pass as a question or as a missing answer', () => {
  fc.assert(
    fc.property(fc.array(words, { minLength: 3, maxLength: 3 }), (answers) => {
      const lines = answersText(QUESTIONS, answers).split(/\r\n|[\n\r\u2028]/);
      const missing = answers.filter((answer) => answer.trim() === '').length;
      const own = missing === 3 ? [''] : lines.filter((line) => !line.startsWith('> '));
      expect(own).toHaveLength(missing === 3 ? 1 : 3 + missing);
    }),
  );
});

test('answers are read from their text as they were typed', () => {
  const typed = fc.string({ unit: fc.constantFrom('a', ' ', '\n', '> ', '1. Why?', '(not answered)') });
  fc.assert(
    fc.property(fc.array(typed, { minLength: 3, maxLength: 3 }), (answers) => {
      const kept = answers.map((answer) => (answer.trim() === '' ? '' : answer));
      expect(answersOf(QUESTIONS, answersText(QUESTIONS, answers))).toStrictEqual(kept);
    }),
  );
});

test('what is asked is the message and the questions, numbered', () => {
  expect(askedText({ message: 'Go?' })).toBe('Go?');
  expect(askedText({ message: 'Before I start:', questions: QUESTIONS })).toBe(
    'Before I start:\n\n1. Which database?\n2. Which colors?\n3. Why?',
  );
});
