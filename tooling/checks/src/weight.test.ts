import { temporaryFolder } from '@deskside/testkit';
import { expect, test } from 'vitest';
import { weight } from './weight.ts';

test('a folder that is not a clone has no weight, and the result of the checks still follows', () => {
  expect(weight(temporaryFolder())).toBe('Weight: unknown, because git does not list the files');
});
