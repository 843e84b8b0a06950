import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { root } from '../workspace.ts';

const COLOR = /(?<=[:,(]\s*|\s)#[\da-f]{3,8}\b(?![^{};]*\{)|\b(?:rgb|rgba|hsl|hsla|oklch|lab)\([^)]*\)/gi;
const SIZED = /\b(?:font|font-size|border(?:-[a-z]+)*-radius|transition|animation)\s*:\s*[^;}]*/g;
const LENGTH = /\b\d*\.?\d+(?:px|rem|pt|s|ms)\b/;
/** Shadows of toasts and transparent colors are the same in each scheme. */
const TRANSPARENT = /^#0{4}$|^#0{8}$/;

const read = (path: string) => readFileSync(join(root, path), 'utf8').replaceAll(/\/\*[\s\S]*?\*\//g, '');

/** `#FFF` as `#ffffff` */
function colorsIn(css: string): readonly string[] {
  return Array.from(css.match(COLOR) ?? [], (color) =>
    color
      .toLowerCase()
      .replace(/^#([\da-f]{3})$/, (_, digits: string) => `#${digits.replaceAll(/./g, '$&$&')}`),
  ).filter((color) => !TRANSPARENT.test(color));
}

/** Declarations of font sizes, radii and durations that are written out. Relative sizes are of no one. */
function sizesIn(css: string): readonly string[] {
  return (css.match(SIZED) ?? []).filter(
    (declaration) => Number.parseFloat(LENGTH.exec(declaration)?.[0] ?? '0') > 0,
  );
}

/** Styles that take the design by its names. */
test.each([
  'packages/look/src/text.css',
  'packages/look/src/approval.css',
  'packages/look/src/day.css',
  'packages/notify-popup/src/page/assets/popup.css',
  'apps/page/src/assets/page.css',
])('%s has no color, font size, radius or duration of its own', (path) => {
  expect([...colorsIn(read(path)), ...sizesIn(read(path))]).toEqual([]);
});

/** Toasts stand in pages of others: they have the values of the design as their defaults. */
test.each(['card', 'element', 'view'])(
  'the %s of a toast has the colors and radii of the design',
  (folder) => {
    const style = read(`packages/toaster/src/${folder}/style.ts`);
    const tokens = read('packages/look/src/tokens.css');
    const radii = new Set(
      Array.from(tokens.matchAll(/--(?:radius|pill)[a-z-]*: (\d+px)/g), ([, radius]) => radius),
    );
    const own = sizesIn(style).filter(
      (each) => each.startsWith('border') && !radii.has(LENGTH.exec(each)?.[0]),
    );
    expect(colorsIn(style).filter((color) => !colorsIn(tokens).includes(color))).toEqual([]);
    expect(own).toEqual([]);
  },
);
