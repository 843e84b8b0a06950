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
    isObject(field) && !JSON.isRawJSON(field)
      ? Object.fromEntries(Object.entries(field).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : field,
  );
}

declare global {
  /** Of Node.js 22, and not yet of the types. */
  interface JSON {
    /** What `JSON.stringify` writes as this text. */
    rawJSON(text: string): object;
    isRawJSON(value: unknown): boolean;
  }
}

/** Of 16 digits or more, or with an exponent. To look for it takes a tenth of a parse. */
const LONG_NUMBER = /[[{:,\s]-?(?:\d{16}|[\d.]{17}|[\d.]+e)/i;

/**
 * As `JSON.parse`, with an object of `JSON.rawJSON` for each number that JavaScript would change. Of some thousand levels, which are
 * refused for their depth, numbers stay as they are.
 */
export function exactJson(text: string, plain: unknown = JSON.parse(text)): unknown {
  if (!LONG_NUMBER.test(text)) return plain;
  try {
    return JSON.parse(text, exactValue);
  } catch (error) {
    if (error instanceof RangeError) return plain;
    throw error;
  }
}

function exactValue(...[, value, context]: readonly unknown[]): unknown {
  if (typeof value !== 'number') return value;
  const source = String(Object(context)['source']);
  return normalNumber(source) === normalNumber(String(value)) ? value : JSON.rawJSON(source);
}

/** Equal for texts of equal numbers. */
function normalNumber(text: string): string {
  const [, all = '', fraction = '', exponent = '0'] =
    /^-?(\d+(?:\.(\d+))?)(?:e([+-]?\d+))?$/i.exec(text) ?? [];
  const digits = all.replace('.', '').replace(/^0+/, '');
  const kept = digits.replace(/0+$/, '');
  return kept === '' ? '' : `${kept}e${Number(exponent) - fraction.length + digits.length - kept.length}`;
}

/** Where an answer to a form keeps exact numbers: the SDK's schemas allow none in its content. */
export const EXACT_FORM = 'deskside/exactForm';

/** A message of a client, with exact numbers in arguments and answers to forms. @throws SyntaxError */
export function parsedMessage(text: string): unknown {
  const message: unknown = JSON.parse(text);
  keepExact(message, exactJson(text, message));
  return message;
}

/**
 * Puts what one reading of a message has of arguments and of answers to forms into the other reading of it.
 *
 * @param levels where they can be: a batch has one more
 */
function keepExact(plain: unknown, exact: unknown, levels = 5): void {
  if (plain === exact || levels === 0 || typeof exact !== 'object') return;
  for (const [key, value] of Object.entries(Object(exact))) {
    const { _meta: meta, [key]: member } = Object(plain);
    if (key === 'arguments') Reflect.set(Object(plain), key, value);
    else if (key === 'content') Reflect.set(Object(plain), '_meta', { ...meta, [EXACT_FORM]: value });
    else keepExact(member, value, levels - 1);
  }
}

/** A value with numbers as JavaScript has them. */
export function withPlainNumbers(value: unknown): unknown {
  const open: unknown[] = [value];
  for (const each of open) {
    if (typeof each !== 'object' || each === null) continue;
    if (JSON.isRawJSON(each)) return JSON.parse(JSON.stringify(value));
    for (const member of Object.values(each)) open.push(member);
  }
  return value;
}
