import { isObject } from './values.ts';

/** @returns undefined for a text that is not JSON, for example a line that a crash cut off */
export function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** @returns undefined if the text is not a JSON object */
export function parseObject(text: string): Readonly<Record<string, unknown>> | undefined {
  const value = parsedJson(text);
  return isObject(value) ? value : undefined;
}

/** JSON with sorted keys: the same whatever their order was. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_, field: unknown) =>
    isObject(field)
      ? Object.fromEntries(Object.entries(field).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : field,
  );
}
