/**
 * What acts instead of showing: controls, line and paragraph separators, lone surrogates, interlinear annotations,
 * and what is invisible by default (bidi controls, zero-width characters, tags, fillers). Marks are not among them:
 * variation selectors belong to emoji.
 */
const ACTING = /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\uFFF9-\uFFFB]|(?!\p{M})\p{Default_Ignorable_Code_Point}/gu;

/** The same JSON, with what would act in a terminal escaped. */
export function visibleJson(json: string): string {
  return json.replace(ACTING, (character) =>
    Array.from({ length: character.length }, (_, unit) => escaped(character.charCodeAt(unit))).join(''),
  );
}

function escaped(unit: number): string {
  return `\\u${unit.toString(16).padStart(4, '0')}`;
}

/** Makes text from outside safe for a line on a terminal or in a log: what would act is shown as `\u{…}`. */
export function visible(text: string): string {
  return text.replace(ACTING, (character) => `\\u{${character.codePointAt(0)?.toString(16) ?? ''}}`);
}
