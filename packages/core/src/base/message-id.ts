import { parsedJson } from './json.ts';

const ID = String.raw`"id"\s*:\s*(\d+|"(?:[^"\\]|\\.){0,200}")`;
const FIRST = new RegExp(String.raw`^\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?${ID}\s*,`);
const LAST = new RegExp(String.raw`,\s*${ID}\s*\}\s*$`);

/**
 * Finds the id of a JSON-RPC message that is too long to parse. Only an outermost member can match, never nested data.
 *
 * @returns null if neither end has one
 */
export function idAtEitherEnd(head: string, tail: string): string | number | null {
  const found = FIRST.exec(head)?.[1] ?? LAST.exec(tail)?.[1];
  // Not JSON for example for 007.
  const id = found === undefined ? undefined : parsedJson(found);
  return typeof id === 'string' || typeof id === 'number' ? id : null;
}
