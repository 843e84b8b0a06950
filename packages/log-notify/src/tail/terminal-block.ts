import { codePointLength } from '@deskside/core/text';
import { wrapAnsi } from 'fast-wrap-ansi';
import type { Notification } from '../notification/notification.ts';
import { escapeLines } from '../notification/safe-text.ts';
import { levelStyle, localTime, type LineStyle, painter, partsOf } from '../notification/terminal-line.ts';

/** Columns of the time and the level. */
const INDENT = 15;
/** The narrowest text that is wrapped. Below it, the terminal breaks the lines. */
const MIN_TEXT_COLUMNS = 20;

/**
 * Formats a notification for a person at a terminal: wrapped at words, with its line breaks. Every line after the first
 * is indented, so no text can look like another notification.
 */
export function terminalBlock(
  notification: Notification,
  columns: number,
  colorsOf: LineStyle['colorsOf'],
): string {
  const { time, level, message } = notification;
  const { label, source } = partsOf(notification);
  const text = escapeLines(message.trim()).replaceAll('\t', '  ');
  const paint = painter(colorsOf);
  const width = Math.max(MIN_TEXT_COLUMNS, columns - INDENT);
  const rows = `${source} ${text}`.split('\n').flatMap((line) => wrapped(line, width));
  const styled = rows.map((row, index) => {
    const [start, rest] =
      index === 0 && row.startsWith(source) ? [source, row.slice(source.length)] : ['', row];
    const shown = level === 'error' && rest !== '' ? paint('bold', rest) : rest;
    const painted = `${start === '' ? '' : paint('dim', start)}${shown}`;
    return index === 0 || row === '' ? painted : `${' '.repeat(INDENT)}${painted}`;
  });
  return `${paint('dim', localTime(time))} ${paint(levelStyle(level), label)} ${styled.join('\n')}\n`;
}

/** One line as rows. The first keeps its indent; the blanks at a break are dropped. */
function wrapped(line: string, width: number): string[] {
  const { safe, restore } = withCertainWidths(line);
  const [first = '', ...others] = wrapAnsi(safe, width, { hard: true, trim: false }).split('\n');
  const rows = [first, ...others.map((row) => row.trimStart()).filter((row) => row !== '')];
  return rows.map((row) => restore(row).trimEnd());
}

/** Emoji, which some terminals draw in parts, marks that some give a column, and characters for private use. */
const UNCERTAIN = new RegExp(String.raw`\p{RGI_Emoji}\uFE0E?|\p{Emoji}[\uFE0E\uFE0F]|\p{Mc}|\p{Co}`, 'gv');
/** Parts of an emoji that no terminal gives a column. */
const NO_COLUMN = /\u200D|\uFE0E|\uFE0F|\u20E3|[\u{E0020}-\u{E007F}]/gu;
/** Two characters of one column for private use: the first column of a replaced character, and another one. */
const [FIRST, NEXT] = ['\uE000', '\uE001'];
const REPLACED = new RegExp(`${FIRST}${NEXT}*|${NEXT}+`, 'g');

/**
 * Replaces characters by as many columns as a terminal may give them. If a row was wider than the terminal, its end would
 * be at the start of the next row, where it could look like another notification.
 */
function withCertainWidths(line: string) {
  const replaced: string[] = [];
  const safe = line.replaceAll(UNCERTAIN, (character) => {
    replaced.push(character);
    return FIRST + NEXT.repeat(mostColumns(character) - 1);
  });
  const restore = (row: string) =>
    row.replaceAll(REPLACED, (columns) => (columns.startsWith(FIRST) ? (replaced.shift() ?? '') : ''));
  return { safe, restore };
}

function mostColumns(character: string): number {
  if (/^\p{Mc}$/u.test(character)) return 1;
  return 2 * codePointLength(character.replaceAll(NO_COLUMN, ''));
}
