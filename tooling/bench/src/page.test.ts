import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { benchmarks } from './benchmarks.ts';
import { PAGE, pageOf, storedResults } from './page.ts';

test('docs/benchmarks.md shows the stored results', () => {
  expect(readFileSync(PAGE, 'utf8')).toBe(pageOf(benchmarks, storedResults()));
});
