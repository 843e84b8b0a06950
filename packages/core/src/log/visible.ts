/**
 * Characters that act instead of showing: C0, DEL and C1 controls, line and paragraph separators, bidi
 * controls, zero-width characters, Unicode tags.
 */
const ACTING =
  // oxlint-disable-next-line no-control-regex -- control characters are the subject
  /[\u0000-\u001F\u007F-\u009F\u00AD\u061C\u180E\u200B-\u200F\u2028-\u202E\u2060-\u2069\uFEFF\u{E0000}-\u{E007F}]/gu;

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
