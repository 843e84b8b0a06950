import { escapeHtml, escapeInvisible, truncateCodePoints } from '@deskside/core/text';

/** No script needs more than six combining marks on one character: a Burmese word has five. */
const EXCESS_MARKS = /(\p{M}{6})\p{M}+/gu;

/** Shows control and invisible characters, and removes excess combining marks, which would cover other lines. */
export function safeText(text: string): string {
  return escapeInvisible(text, { multiline: true }).replaceAll(EXCESS_MARKS, '$1');
}

/** A piece is in view as a whole, or not. It is lower than the lowest window. */
const PIECE = /[\s\S]{1,160}/gu;

/** Safe text in pieces, of which each must be in view before a yes. */
export function renderPieces(text: string): string {
  const pieces = safeText(text).match(PIECE) ?? [];
  return pieces.map((piece) => `<span class="piece">${escapeHtml(piece)}</span>`).join('');
}

/** Says how much was not in view yet. */
export function unseenLine(isHidden: boolean): string {
  const next = '<button type="button" id="next-unseen">Show the next</button>';
  return `<p id="unseen"${isHidden ? ' hidden' : ''}><span></span>${next}</p>`;
}

/** Safe text on one line, with an ellipsis if it is longer than `maxCodePoints`. */
export function oneLine(text: string, maxCodePoints: number): string {
  return truncateCodePoints(safeText(text).replaceAll(/\s+/gu, ' ').trim(), maxCodePoints);
}

const CHARACTERS = new Map(['&', '<', '>', '"', "'"].map((character) => [escapeHtml(character), character]));

/** The text of HTML that contains no other entities than those of `escapeHtml`. */
export function textOf(html: string): string {
  return html.replaceAll(/<[^>]*>/g, '').replaceAll(/&[^;]*;/g, (entity) => CHARACTERS.get(entity) ?? entity);
}

/** Replaces each `{{name}}`. A name without a value is replaced by nothing. */
export function fillTemplate(template: string, values: Readonly<Record<string, string>>): string {
  return template.replaceAll(/\{\{(\w+)\}\}/g, (_, name: string) => values[name] ?? '');
}

const MAX_TITLE_CODE_POINTS = 100;

/** The title of a window and of its page. */
export function titleLine(title: string): string {
  return oneLine(title, MAX_TITLE_CODE_POINTS);
}
