import { getOrAdd } from '@deskside/core/base';
import { escapeInvisible, truncateCodePoints } from '@deskside/core/text';

const MAX_TEXT_CODE_POINTS = 400;

/** Text from others (window titles, URLs, file names, tags) as it may appear in an answer: escaped and truncated. */
export function safeText(text: string): string;
export function safeText(text: string | undefined): string | undefined;
export function safeText(text: string | undefined): string | undefined {
  return text === undefined ? undefined : truncateCodePoints(escapeInvisible(text), MAX_TEXT_CODE_POINTS);
}

/** How many of the first items fit; one always does. @param bytesOf default: as JSON */
export function countFitting<Item>(
  items: readonly Item[],
  maxBytes: number,
  bytesOf: (item: Item) => number = (item) => Buffer.byteLength(JSON.stringify(item)) + 1,
): number {
  let bytes = 0;
  const end = items.findIndex((item, index) => {
    bytes += bytesOf(item);
    return index > 0 && bytes > maxBytes;
  });
  return end === -1 ? items.length : end;
}

const MAX_KNOWN_TEXTS = 20_000;
const MAX_KNOWN_LENGTH = 500;

/** A function of texts that repeat: a year has a hundred times more rows than titles, names and addresses. */
export function remembered<Result>(make: (text: string) => Result): (text: string) => Result {
  const known = new Map<string, Result>();
  return (text) => {
    if (text.length > MAX_KNOWN_LENGTH) return make(text);
    if (known.size === MAX_KNOWN_TEXTS) known.clear();
    return getOrAdd(known, text, () => make(text));
  };
}

/** By code units: the same on every machine. */
export function compareTexts(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

/** A stored text. A database can have a number or bytes in its place. */
export function storedText(value: unknown): string | undefined {
  return typeof value === 'number' ? String(value) : typeof value === 'string' ? value : undefined;
}
