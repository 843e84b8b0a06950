import { expect, test } from 'vitest';
import { documentOf, section, sectionsOf } from './document.ts';

test('writing one section does not change the others', () => {
  const before = documentOf(
    ['a', 'b', 'c'],
    new Map([
      ['c', '## C\n\nold'],
      ['a', '## A\n\n| x |\n| --- |'],
    ]),
  );
  const after = documentOf(['a', 'b', 'c'], new Map([...sectionsOf(before), ['c', '## C\n\nnew']]));
  expect(after).toBe(before.replace('old', 'new'));
  expect(after.indexOf('## A')).toBeLessThan(after.indexOf('## C'));
});

test('the section of a removed benchmark is removed', () => {
  const before = documentOf(
    ['a', 'gone'],
    new Map([
      ['a', '## A'],
      ['gone', '## Gone'],
    ]),
  );
  expect(documentOf(['a'], sectionsOf(before))).not.toContain('Gone');
});

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
    'Measured 2026-01-31, a machine. To repeat: `pnpm bench size`.',
  ]);
});
