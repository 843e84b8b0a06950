import { ACTING } from './acting.ts';
import { cut } from './code-points.ts';

/** Code points of a message that people are shown; the rest is counted. */
export const SHOWN = 10_000;

/** Printable ASCII but the backslash, and Latin letters: most messages are nothing else. */
const CLEAN = /^[ -[\]-~\u00A1-\u00AC\u00AE-\u02FF]*$/;

const NINE_BLANKS = ' '.repeat(9);

/** What one of our own escapes looks like, behind its backslash. */
const ESCAPE = String.raw`(?:[nrt]|x[0-9a-f]{2}|u\{[0-9a-f]+\})`;

/** The joiner that makes one emoji of several. */
const JOINER = String.raw`(?<=\p{Extended_Pictographic}[\uFE0F\u{1F3FB}-\u{1F3FF}]?)\u200D(?=\p{Extended_Pictographic})`;

/** A seventh mark on one character, enough for any script, or a variation selector on another mark. */
const EXCESS_MARK = String.raw`(?<=\p{M}{6})\p{M}|(?<=\p{M})[\uFE00-\uFE0F\u{E0100}-\u{E01EF}]`;

/** A ninth blank in a row: with many of them a text reaches the next row of a terminal and pretends to be a line. */
const EXCESS_BLANK = String.raw`(?<=[\p{Zs}\u2800]{8})[\p{Zs}\u2800]`;

const NOTABLE = new RegExp(
  String.raw`(?<kept>${JOINER})|(?<backslashes>(?<!\\)\\+(?!\\))(?=${ESCAPE}|${ACTING})|${ACTING}|${EXCESS_MARK}|${EXCESS_BLANK}`,
  'gu',
);

/**
 * Text from outside as one physical line in which nothing is live: what would act is shown as `\n`, `\r`, `\t`,
 * `\xHH` or `\u{…}`. Nothing is deleted, and what reads as an escape was one: backslashes are doubled where they
 * would read as the start of one. Text with nothing to escape comes back as it is.
 *
 * @param limit code points of the text that are shown
 */
export function neutralize(text: string, limit: number = SHOWN): string {
  if (text.length <= limit && CLEAN.test(text) && !text.includes(NINE_BLANKS)) return text;
  return escape(cut(text, limit));
}

function escape(text: string): string {
  return text.replace(NOTABLE, (notable: string, kept?: string, backslashes?: string) => {
    if (kept !== undefined) return kept;
    return backslashes === undefined ? escapeOf(notable) : backslashes + backslashes;
  });
}

function escapeOf(character: string): string {
  if (character === '\n') return String.raw`\n`;
  if (character === '\r') return String.raw`\r`;
  if (character === '\t') return String.raw`\t`;
  const hex = (character.codePointAt(0) ?? 0).toString(16);
  return hex.length <= 2 ? `\\x${hex.padStart(2, '0')}` : `\\u{${hex}}`;
}
