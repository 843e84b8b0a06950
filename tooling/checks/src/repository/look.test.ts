import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { root } from '../workspace.ts';

const COLOR = /(?<=[:,(]\s*|\s)#[\da-f]{3,8}\b(?![^{};]*\{)|\b(?:rgb|rgba|hsl|hsla|oklch|lab)\([^)]*\)/gi;
const SIZED = /\b(?:font|font-size|border(?:-[a-z]+)*-radius|transition|animation)\s*:\s*[^;}]*/g;
const LENGTH = /\b\d*\.?\d+(?:px|rem|pt|s|ms)\b/;
/** The same in each scheme. */
const TRANSPARENT = /^#(?:0{4}|0{8})$/;

const read = (path: string) => readFileSync(join(root, path), 'utf8').replaceAll(/\/\*[\s\S]*?\*\//g, '');

function colorsIn(css: string): readonly string[] {
  return (css.match(COLOR) ?? []).filter((color) => !TRANSPARENT.test(color));
}

/** Declarations of font sizes, radii and durations that are written out. Relative sizes are of no one. */
function sizesIn(css: string): readonly string[] {
  return (css.match(SIZED) ?? []).filter(
    (declaration) => Number.parseFloat(LENGTH.exec(declaration)?.[0] ?? '0') > 0,
  );
}

test.each([
  'packages/look/src/text.css',
  'packages/look/src/approval.css',
  'packages/look/src/day.css',
  'packages/notify-popup/src/page/assets/popup.css',
  'apps/page/src/assets/page.css',
])('%s has no color, font size, radius or duration of its own', (path) => {
  expect([...colorsIn(read(path)), ...sizesIn(read(path))]).toEqual([]);
});
