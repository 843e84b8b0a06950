import { expect, test } from 'vitest';
import { section } from './section.ts';

test('a report becomes a section with its tables, ratios and caveats', () => {
  const text = section(
    { name: 'size', title: 'Size' },
    {
      compared: 'Ours with theirs.',
      method: 'weighed.',
      tables: [{ caption: 'Gzipped', columns: ['What', 'kB'], rows: [['ours | all', 9]] }],
      ratios: [
        { title: 'ours to theirs', value: 0.756, target: { atMost: 0.8 } },
        { title: 'theirs to ours', value: 1.3227, target: { atLeast: 1.25 } },
        { title: 'ours to nothing', value: 9 },
      ],
      caveats: ['One browser.'],
    },
    '2026-01-31, a machine',
  );
  expect(text.split('\n')).toEqual([
    '## Size',
    '',
    'Ours with theirs.',
    '',
    'How: weighed.',
    '',
    'Gzipped',
    '',
    '| What | kB |',
    '| --- | ---: |',
    '| ours \\| all | 9 |',
    '',
    '| Ratio | Measured | Target |',
    '| --- | ---: | ---: |',
    '| ours to theirs | 0.76 | at most 0.8 |',
    '| theirs to ours | 1.32 | at least 1.25 |',
    '| ours to nothing | 9.00 |  |',
    '',
    '- One browser.',
    '',
    'Measured 2026-01-31, a machine. Again: `pnpm bench size`.',
  ]);
});
