import {
  codePointLength,
  escapeInvisible,
  escapeInvisibleJson,
  firstCodePoints,
  isBlank,
  replaceUnsafe,
  truncateCodePoints,
} from '@deskside/core/text';

/** A title that others wrote, on one line for a model or a person. */
export function shownTitle(title: string): string {
  return isBlank(title) ? '(untitled)' : truncateCodePoints(escapeInvisible(title), 40);
}

/** Keeps line feeds and tabs. */
export const shownText = (text: string): string => escapeInvisible(text, { multiline: true });

/** Harmless in a terminal, and the same value for a parser. */
export const logLine = (value: unknown): string => escapeInvisibleJson(JSON.stringify(value));

/** A format that has its own escapes. */
export const forHtml = (text: string): string =>
  replaceUnsafe(text, (character) => `&#${character.codePointAt(0) ?? 0};`);

/** Lengths as JSON Schema and people count them: an emoji is one. */
export const preview = (text: string): string => `${firstCodePoints(text, 3)} (${codePointLength(text)})`;
