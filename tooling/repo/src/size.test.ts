import { expect, test } from 'vitest';
import { sources } from './sources.ts';

const limit = 400;

test(`no source file is longer than ${limit} lines`, () => {
  expect(sources.filter(({ lines }) => lines > limit).map(({ path, lines }) => `${path}: ${lines}`)).toEqual(
    [],
  );
});
