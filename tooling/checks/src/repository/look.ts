const COLOR = /(?<=[:,(]\s*|\s)#[\da-f]{3,8}\b(?![^{};]*\{)|\b(?:rgb|rgba|hsl|hsla|oklch|lab)\([^)]*\)/gi;
const SIZED = /\b(?:font-size|border(?:-[a-z]+)*-radius|transition|animation)\s*:\s*[^;}]*/g;
const FONT = /\bfont\s*:\s*[^;}]*/g;
const LENGTH = /\b\d*\.?\d+(?:px|rem|pt|s|ms)\b/;
/** Shadows of toasts and transparent colors are the same in each scheme. */
const TRANSPARENT = /^#0{4}$|^#0{8}$/;

/** `#FFF` as `#ffffff` */
function fullColor(color: string): string {
  const lower = color.toLowerCase();
  return /^#[\da-f]{3}$/.test(lower) ? lower.replaceAll(/[\da-f]/g, '$&$&') : lower;
}

/** The colors and radii that the design has. */
export function valuesOf(css: string): ReadonlySet<string> {
  const radii = [...css.matchAll(/--(?:radius|pill)[a-z-]*: (\d+px)/g)].map(([, radius = '']) => radius);
  return new Set([...(css.match(COLOR) ?? []).map(fullColor), ...radii]);
}

/**
 * Colors, and declarations of font sizes, radii and durations, that are written out instead of taken from the design. Relative
 * sizes are of no one.
 */
export function foreignValues(css: string, allowed: ReadonlySet<string>): readonly string[] {
  const text = css.replaceAll(/\/\*[\s\S]*?\*\//g, '');
  const colors = (text.match(COLOR) ?? []).filter(
    (color) => !TRANSPARENT.test(color) && !allowed.has(fullColor(color)),
  );
  const sized = [...(text.match(SIZED) ?? []), ...(text.match(FONT) ?? [])]
    .map((declaration) => declaration.trim())
    .filter((declaration) => {
      const length = LENGTH.exec(declaration)?.[0];
      return length !== undefined && Number.parseFloat(length) !== 0 && !allowed.has(length);
    });
  return [...colors, ...sized];
}
