import { expect, test } from 'vitest';
import { isObject } from './values.ts';

test('isObject accepts objects, but neither arrays nor null', () => {
  expect([{}, { a: 1 }, new Date(0)].every(isObject)).toBe(true);
  expect([null, undefined, [], 'text', 1, () => 1].some(isObject)).toBe(false);
});
