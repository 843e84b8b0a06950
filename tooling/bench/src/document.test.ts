import { expect, test } from 'vitest';
import { documentOf, sectionsOf } from './document.ts';

test('a section written again leaves the others as they were', () => {
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

test('the section of a benchmark that is gone goes', () => {
  const before = documentOf(
    ['a', 'gone'],
    new Map([
      ['a', '## A'],
      ['gone', '## Gone'],
    ]),
  );
  expect(documentOf(['a'], sectionsOf(before))).not.toContain('Gone');
});
