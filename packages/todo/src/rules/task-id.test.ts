import { expect, test } from 'vitest';
import { Refused } from './refused.ts';
import { taskIdOf } from './task-id.ts';

test('a value nested deeper than JSON is written makes an answer all the same', () => {
  const nested: unknown = JSON.parse('['.repeat(20_000) + ']'.repeat(20_000));
  for (const value of [nested, { id: nested }]) {
    expect(() => taskIdOf(value)).toThrow(Refused);
  }
});
