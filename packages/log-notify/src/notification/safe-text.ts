import { codePointLength, firstCodePoints, replaceUnsafe } from '@deskside/core/text';
import { redact } from '@deskside/desktop';

/** Code points of a message that people see; the rest is counted. */
export const MAX_SHOWN_CODE_POINTS = 10_000;

/** Printable ASCII except the backslash, and Latin letters: most messages need no further check. */
const CLEAN = /^[ -[\]-~\u00A1-\u00AC\u00AE-\u02FF]*$/;

const NINE_BLANKS = ' '.repeat(9);

const EXCESS_MARKS = /(?<=\p{M}{6})\p{M}/gu;

/**
 * A seventh combining mark on one character (no script needs more than six), and a ninth blank in a row: many blanks
 * push text to the next row of a terminal, where it looks like a separate line.
 */
const EXCESS = /(?<=\p{M}{6})\p{M}|(?<=[\p{Zs}\u2800]{8})[\p{Zs}\u2800]/gu;

/**
 * Marks the start of an escape until all escapes are known. NUL is unsafe itself, so no other one is in the text
 * then.
 */
const ESCAPE_START = '\0';

/** Backslashes that a reader would take for the start of an escape. Doubling every one would make most paths ugly. */
// oxlint-disable-next-line no-control-regex -- ESCAPE_START
const AMBIGUOUS_BACKSLASHES = /(?<!\\)\\+(?=[nrt]|x[0-9a-f]{2}|u\{[0-9a-f]+\}|\0)/g;

/**
 * Escapes untrusted text so that it is one line without active characters. Each unsafe character (see
 * `@deskside/core/text`) becomes `\n`, `\r`, `\t`, `\xHH` or `\u{…}`. The result is reversible: nothing is deleted, and
 * backslashes that look like the start of an escape are doubled.
 *
 * @param limit code points of the text before `…[truncated N]`
 */
export function escapeLine(text: string, limit: number = MAX_SHOWN_CODE_POINTS): string {
  if (text.length <= limit && CLEAN.test(text) && !text.includes(NINE_BLANKS)) return text;
  return replaceUnsafe(truncate(text, limit), markedEscape)
    .replaceAll(EXCESS, markedEscape)
    .replaceAll(AMBIGUOUS_BACKSLASHES, '$&$&')
    .replaceAll(ESCAPE_START, '\\');
}

function markedEscape(character: string): string {
  return `${ESCAPE_START}${escapeBody(character)}`;
}

function escapeBody(character: string): string {
  if (character === '\n') return 'n';
  if (character === '\r') return 'r';
  if (character === '\t') return 't';
  const hex = (character.codePointAt(0) ?? 0).toString(16);
  return hex.length <= 2 ? `x${hex.padStart(2, '0')}` : `u{${hex}}`;
}

/**
 * As `escapeLine`, for places where a line cannot be taken for another message: line feeds and tabs stay, CR and CRLF
 * become line feeds, and at most one empty line follows another.
 */
export function escapeLines(text: string, limit: number = MAX_SHOWN_CODE_POINTS): string {
  const lines = truncateLines(text, limit)
    .replaceAll(/\r\n?/g, '\n')
    .replaceAll(/\n{3,}/g, '\n\n');
  return replaceUnsafe(lines, (character) =>
    character === '\n' || character === '\t' ? character : markedEscape(character),
  )
    .replaceAll(EXCESS_MARKS, markedEscape)
    .replaceAll(ESCAPE_START, '\\');
}

/** A message as it may leave this machine: truncated, and without text that looks like a secret. */
export function redactedExcerpt(message: string, limit: number = MAX_SHOWN_CODE_POINTS): string {
  return redact(truncateLines(message, limit));
}

/**
 * As much of a message as a service accepts, with its lines, escaped and redacted: text with many escapes is truncated
 * more.
 *
 * @param limit code points that are tried first
 */
export function fittingLines(message: string, limit: number, fits: (text: string) => boolean): string {
  for (let count = limit; ; count = Math.floor(count / 2)) {
    const text = escapeLines(redactedExcerpt(message, count), Infinity);
    if (count === 0 || fits(text)) return text;
  }
}

/** At most `limit` code points, followed by the number of omitted ones. */
function truncate(text: string, limit: number): string {
  const start = cut(text, limit);
  return start.length === text.length ? text : `${start}${countOf(text, start)}`;
}

/** As `truncate`: ends with a whole line if there is one, closes a code block, and has the number in its own line then. */
function truncateLines(text: string, limit: number): string {
  const whole = cutAtLine(text, limit);
  if (whole.length === text.length) return text;
  const room = openFence(whole) === undefined ? limit : limit - MAX_CLOSING_CODE_POINTS;
  const start = cutAtLine(text, Math.max(0, room));
  const fence = openFence(start);
  const closed = fence === undefined ? start : `${start}\n${fence}`;
  const isWholeLine = fence !== undefined || text[start.length] === '\n';
  return `${closed}${isWholeLine ? '\n' : ''}${countOf(text, start)}`;
}

function countOf(text: string, start: string): string {
  return `…[truncated ${codePointLength(text.slice(start.length))}]`;
}

/** A line feed and a fence. Longer fences are rare, and closed too. */
const MAX_CLOSING_CODE_POINTS = 5;
/** The start of a line that begins or ends a code block. */
const FENCE = /^ {0,3}(?<mark>`{3,}|~{3,})/gm;

/** The fence of the code block in which a text ends. */
function openFence(text: string): string | undefined {
  let open: string | undefined;
  for (const { groups } of text.matchAll(FENCE)) {
    const mark = groups?.['mark'] ?? '';
    if (open === undefined) open = mark;
    else if (mark.startsWith(open)) open = undefined;
  }
  return open;
}

function cutAtLine(text: string, limit: number): string {
  const start = cut(text, limit);
  const end = start.lastIndexOf('\n');
  // Half of a long line says more than the short one before it.
  const isInLine = start.length < text.length && text[start.length] !== '\n';
  return isInLine && end > start.length / 2 ? start.slice(0, end) : start;
}

/** More than the parts of an emoji, and what is looked at before the cut for a place to begin. */
const [MAX_CLUSTER_UNITS, MAX_LOOK_UNITS] = [64, 1024];
let clusters: Intl.Segmenter | undefined;

/** The first code points, without a part of an emoji or of a letter with its marks. */
function cut(text: string, limit: number): string {
  const start = firstCodePoints(text, limit);
  if (start.length === text.length) return text;
  // A cluster begins after a blank.
  const from = Math.max(start.lastIndexOf(' ') + 1, start.length - MAX_LOOK_UNITS);
  clusters ??= new Intl.Segmenter('en', { granularity: 'grapheme' });
  const around = clusters.segment(text.slice(from, start.length + MAX_CLUSTER_UNITS));
  const { index = 0 } = around.containing(start.length - from) ?? {};
  // A longer one is no emoji.
  const isLonger = start.length - from - index > MAX_CLUSTER_UNITS;
  return isLonger ? start : start.slice(0, from + index);
}
