import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { root } from '../workspace.ts';
import { foreignValues, valuesOf } from './look.ts';

const read = (path: string) => readFileSync(join(root, path), 'utf8');
const tokens = valuesOf(read('packages/look/src/tokens.css'));

/** Styles that take the design by its names. */
const NAMED = [
  'packages/look/src/text.css',
  'packages/look/src/approval.css',
  'packages/look/src/day.css',
  'packages/notify-popup/src/page/assets/popup.css',
  'apps/page/src/assets/page.css',
];

/** Toasts stand in pages of others: they have the values of the design as their defaults. */
const COPIED = [
  'packages/toaster/src/card/style.ts',
  'packages/toaster/src/element/style.ts',
  'packages/toaster/src/view/style.ts',
];

test.each(NAMED)('%s has no color, font size, radius or duration of its own', (path) => {
  expect(foreignValues(read(path), new Set())).toEqual([]);
});

test.each(COPIED)('%s has the colors and radii of the design', (path) => {
  const own = foreignValues(read(path), tokens).filter(
    (value) => !/^font|^transition|^animation/.test(value),
  );
  expect(own).toEqual([]);
});
