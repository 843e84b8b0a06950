/**
 * The one rule for characters that act or hide instead of showing, lengths in code points, and text in HTML. Pure string
 * functions: servers, command lines and browser bundles use the same module.
 */
export { escapeHtml, escapeMarkup } from './html.ts';

/** How `escapeInvisible` treats line structure. */
export interface EscapeOptions {
  /** Keep line feeds and tabs, and turn CR and CRLF into line feeds. Default false: they are escaped too. */
  readonly multiline?: boolean;
}

/**
 * Control characters, line and paragraph separators, lone surrogates, interlinear annotations, and everything that
 * Unicode displays as nothing: bidi controls, zero-width characters, tags, fillers, variation selectors.
 */
const UNSAFE = '[\\p{Cc}\\p{Zl}\\p{Zp}\\p{Cs}\\uFFF9-\\uFFFB\\p{DI}]';

/** Scripts that are written from right to left and join their letters. ISO 15924 codes: browser bundles contain them. */
const ARABIC_LIKE = 'Adlm Arab Mand Nkoo Rohg Syrc';

/** Letters and marks of scripts in which a joiner between letters changes how a word is written. */
const JOINING_LETTER = `[[\\p{L}\\p{M}]&&${classOf(`${ARABIC_LIKE} Beng Deva Gujr Guru Khmr Knda Mani Mlym Mong Mymr Orya Phag Sinh Sogd Taml Telu`)}]`;

/** Letters that are written from right to left. */
const RIGHT_TO_LEFT_LETTER = `[\\p{L}&&${classOf(`${ARABIC_LIKE} Hebr Samr Thaa`)}]`;

/** A class of all characters of these scripts. */
function classOf(scripts: string): string {
  return `[${scripts.replaceAll(/(\w+) ?/g, '\\p{sc=$1}')}]`;
}

const MARK = '[\\u200E\\u200F\\u061C]';

/** Unsafe characters outside emoji with an effect that a reader expects. */
const NEEDED =
  `[\\u200C\\u200D](?<=${JOINING_LETTER}.)(?=${JOINING_LETTER})|` +
  `${MARK}(?<!${MARK}.)(?!${MARK})(?:(?<=${RIGHT_TO_LEFT_LETTER}.)|(?=${RIGHT_TO_LEFT_LETTER}))|` +
  // A registered variant of one Han ideograph.
  '[\\u{E0100}-\\u{E01EF}](?<=\\p{UIdeo}.)';

/** One emoji with its selectors and modifiers, or several with joiners or tags between them. */
const EMOJI_SEQUENCE =
  '\\p{Emoji}[\\p{EMod}\\uFE0E\\uFE0F]*(?:\\u200D\\p{Emoji}[\\p{EMod}\\uFE0F]*|[\\u{E0020}-\\u{E007F}])*';

const PLAIN_ASCII = /^[ -~]*$/;
const PLAIN_EMOJI = /^.?[\uFE0E\uFE0F]?$/u;

/** Compiled at first use: their tables take 2 ms, that of emoji sequences 30 ms. */
let candidate: RegExp | undefined;
let emojiOrUnsafe: RegExp | undefined;

/**
 * Replaces each unsafe character that has no visible effect. Use it where a format has its own escapes; everywhere
 * else use `escapeInvisible`.
 *
 * @param replace gets one character: a code point, or a lone surrogate
 */
export function replaceUnsafe(text: string, replace: (character: string) => string): string {
  if (PLAIN_ASCII.test(text)) return text;
  candidate ??= new RegExp(`${NEEDED}|(${EMOJI_SEQUENCE})|(${UNSAFE})`, 'gv');
  return text.replace(candidate, (match: string, sequence = '', unsafe = '') => {
    if (unsafe !== '') return replace(unsafe);
    if (PLAIN_EMOJI.test(sequence)) return match;
    // Joiners and tags stay only inside the sequences that Unicode recommends for interchange.
    emojiOrUnsafe ??= new RegExp(
      `\\p{RGI_Emoji}(?![\\uFE0E\\uFE0F])|\\p{Emoji}[\\uFE0E\\uFE0F]|(${UNSAFE})`,
      'gv',
    );
    return match.replace(emojiOrUnsafe, (kept, hidden?: string) =>
      hidden === undefined ? kept : replace(hidden),
    );
  });
}

/**
 * Makes untrusted text safe to show to a person or a model: each character that acts or hides is written as `\u{…}`.
 * Emoji, Persian, Indic scripts, Hebrew, Arabic and Japanese variants stay unchanged.
 */
export function escapeInvisible(text: string, { multiline = false }: EscapeOptions = {}): string {
  return multiline ? escapeInvisibleLines(text) : replaceUnsafe(text, escaped);
}

/** `escapeInvisible` of several lines. A browser bundle that needs only this is smaller. */
export function escapeInvisibleLines(text: string): string {
  const lines = text.replaceAll(/\r\n?/g, '\n');
  return replaceUnsafe(lines, (character) => (/[\n\t]/.test(character) ? character : escaped(character)));
}

function escaped(character: string): string {
  return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
}

/** The same JSON text with each unsafe character as `\uXXXX`: printing it is harmless, parsing it loses nothing. */
export function escapeInvisibleJson(json: string): string {
  return replaceUnsafe(json, (character) =>
    Array.from(
      { length: character.length },
      (_, unit) => `\\u${character.charCodeAt(unit).toString(16).padStart(4, '0')}`,
    ).join(''),
  );
}

/** True if the text shows nothing: it is empty, or holds only blanks and invisible characters. */
export function isBlank(text: string): boolean {
  return /^[\s\p{Default_Ignorable_Code_Point}\p{Cc}\u2800]*$/u.test(text);
}

/** Length in Unicode code points, as JSON Schema counts it: an emoji outside the BMP is one. */
export function codePointLength(text: string): number {
  let length = 0;
  for (let index = 0; index < text.length; index += widthAt(text, index)) length += 1;
  return length;
}

/** The first `count` code points. Never cuts a surrogate pair, and never walks more of a long text than it returns. */
export function firstCodePoints(text: string, count: number): string {
  if (text.length <= count) return text;
  let end = 0;
  for (let seen = 0; seen < count && end < text.length; seen += 1) end += widthAt(text, end);
  return text.slice(0, end);
}

/** At most `count` code points, the last of them `…` if something was cut off. */
export function truncateCodePoints(text: string, count: number): string {
  if (text.length <= count || firstCodePoints(text, count).length === text.length) return text;
  return `${firstCodePoints(text, count - 1)}…`;
}

/** How an error repeats a word that a person has typed: its first 80 code points. */
export function quoted(word: string): string {
  return `"${truncateCodePoints(escapeInvisible(word), 80)}"`;
}

function widthAt(text: string, index: number): 1 | 2 {
  return (text.codePointAt(index) ?? 0) > 0xffff ? 2 : 1;
}
