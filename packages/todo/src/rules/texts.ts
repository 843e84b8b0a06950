import { codePoints } from '@deskside/core';
import { invalid } from './refused.ts';

const TITLE_LIMIT = 200;
const DESCRIPTION_LIMIT = 1000;

/** @returns the trimmed title, 1 to 200 code points */
export function requiredTitle(value: unknown): string {
  const title = checkedText('Title', value === undefined ? '' : value, TITLE_LIMIT);
  if (title === '') throw invalid('Title cannot be empty');
  return title;
}

/** @returns undefined where no title is given, which null means too */
export function changedTitle(value: unknown): string | undefined {
  return value === undefined || value === null ? undefined : requiredTitle(value);
}

/** @returns the trimmed description; null, which clears it, for `""` and null; undefined where none is given */
export function changedDescription(value: unknown): string | null | undefined {
  if (value === undefined || value === null) return value;
  const description = checkedText('Description', value, DESCRIPTION_LIMIT);
  return description === '' ? null : description;
}

function checkedText(name: string, value: unknown, limit: number): string {
  if (typeof value !== 'string') throw invalid(`${name} must be a string`);
  const text = value.trim();
  if (codePoints(text) > limit) throw invalid(`${name} exceeds ${limit} characters`);
  if (text.includes('\0')) throw invalid(`${name} cannot contain the character U+0000`);
  return text;
}
