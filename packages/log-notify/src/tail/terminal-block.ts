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
  const lines = wrapAnsi(`${source} ${text}`, width, { hard: true, trim: false }).split('\n');
  const styled = lines.map((line, index) => {
    const [start, rest] =
      index === 0 && line.startsWith(source) ? [source, line.slice(source.length)] : ['', line];
    const shown = level === 'error' && rest !== '' ? paint('bold', rest) : rest;
    return `${start === '' ? '' : paint('dim', start)}${shown}`;
  });
  const head = `${paint('dim', localTime(time))} ${paint(levelStyle(level), label)} `;
  return `${head}${styled.map((line) => line.trimEnd()).join(`\n${' '.repeat(INDENT)}`)}\n`;
}
