import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { benchmarks } from './benchmarks.ts';
import { isMet, PAGE, pageOf, storedResults } from './page.ts';

const results = storedResults();

test('docs/benchmarks.md shows the stored results, first three numbers in ms and MB', () => {
  const page = readFileSync(PAGE, 'utf8');
  expect(page).toBe(pageOf(page, benchmarks, results));
  expect(page.match(/^- \*\*[\d,]+ (?:ms|MB)\*\* /gm)).toHaveLength(3);
});

test.each(benchmarks)(
  '$name: each missed target has a reason, and each reason belongs to a ratio',
  (benchmark) => {
    const { ratios = [] } = results[benchmark.name] ?? {};
    const reasons = Object.keys(benchmark.misses ?? {});
    const missed = ratios.filter((ratio) => !isMet(ratio)).map(({ title }) => title);
    expect(missed.filter((title) => !reasons.includes(title))).toEqual([]);
    expect(reasons.filter((title) => ratios.every((ratio) => ratio.title !== title))).toEqual([]);
  },
);
