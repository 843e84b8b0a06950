import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { Result } from './benchmark.ts';
import { benchmarks } from './benchmarks.ts';
import { PAGE, pageOf, storedResults } from './page.ts';

const size = { name: 'size', title: 'Size, all', meaning: 'Less is faster.', method: 'Weighed.' };
const result: Result = {
  measured: '2026-01-31, a machine',
  numbers: { 'ours, kB': 9 },
  ratios: [
    { title: 'ours to theirs', value: 0.756, target: { atMost: 0.8 } },
    { title: 'theirs to ours', value: 1.3227, target: { atLeast: 1.25 } },
    { title: 'ours | all to nothing', value: 9 },
  ],
};

test('a page has one table of ratios, and says how each was measured', () => {
  const text = pageOf([{ ...size, caveats: ['One browser.'] }], { size: result, gone: result });
  expect(text.slice(text.indexOf('\n\nMeasured')).split('\n').slice(1)).toEqual([
    '',
    'Measured with a machine.',
    '',
    '| What | Ratio | Measured | Target |',
    '| --- | ---: | ---: | ---: |',
    '| [Size, all](#size-all). Less is faster. | ours to theirs | 0.76 | at most 0.8 |',
    '|  | theirs to ours | 1.32 | at least 1.25 |',
    '|  | ours \\| all to nothing | 9.00 |  |',
    '',
    '## Size, all',
    '',
    'Weighed.',
    '',
    '- One browser.',
    '',
    '`pnpm bench size`: 2026-01-31.',
    '',
  ]);
});

test('each benchmark names its machine if they were measured on several', () => {
  const other = { ...result, measured: '2026-02-01, another machine' };
  const text = pageOf([size, { ...size, name: 'other' }], { size: result, other });
  expect(text).not.toContain('Measured with');
  expect(text).toContain('`pnpm bench size`: 2026-01-31, a machine.');
  expect(text).toContain('`pnpm bench other`: 2026-02-01, another machine.');
});

test('docs/benchmarks.md shows the stored results', () => {
  expect(readFileSync(PAGE, 'utf8')).toBe(pageOf(benchmarks, storedResults()));
});
