/**
 * D-Bus messages as bytes: https://dbus.freedesktop.org/doc/dbus-specification.html#message-protocol. Structures and
 * entries of dictionaries are arrays, and a variant to write is a pair of its signature and its value.
 */
export type DBusValue = number | bigint | string | boolean | readonly DBusValue[];

export const METHOD_CALL = 1;
export const METHOD_RETURN = 2;
export const ERROR = 3;
export const SIGNAL = 4;

export interface DBusMessage {
  readonly type: number;
  readonly serial: number;
  readonly path?: string | undefined;
  readonly interface?: string | undefined;
  readonly member?: string | undefined;
  readonly errorName?: string | undefined;
  /** The serial of the call that this message answers. */
  readonly replyTo?: number | undefined;
  readonly destination?: string | undefined;
  readonly sender?: string | undefined;
  /** Types of the body. */
  readonly signature?: string | undefined;
  readonly body: readonly DBusValue[];
}

const VERSION = 1;
const LITTLE_ENDIAN = 0x6c;
const FIXED_HEADER_BYTES = 16;
/** The fields of the header, by their numbers. */
const FIELDS = [
  ['path', 1, 'o'],
  ['interface', 2, 's'],
  ['member', 3, 's'],
  ['errorName', 4, 's'],
  ['replyTo', 5, 'u'],
  ['destination', 6, 's'],
  ['sender', 7, 's'],
  ['signature', 8, 'g'],
] as const;

/** Of each number: its size in bytes, to which it is aligned, and the name of its form in a `Buffer`. */
const NUMBERS = {
  y: [1, 'UInt8'],
  b: [4, 'UInt32LE'],
  n: [2, 'Int16LE'],
  q: [2, 'UInt16LE'],
  i: [4, 'Int32LE'],
  u: [4, 'UInt32LE'],
  h: [4, 'UInt32LE'],
  x: [8, 'BigInt64LE'],
  t: [8, 'BigUInt64LE'],
  d: [8, 'DoubleLE'],
} as const;

/** Of the other types, if it is not 4. */
const ALIGNMENT: Readonly<Record<string, number>> = { g: 1, v: 1, '(': 8, '{': 8 };

export function encodeMessage(message: DBusMessage): Buffer {
  const body = new Encoder();
  body.values(message.signature ?? '', message.body);
  const header = new Encoder();
  header.values('yyyyuu', [LITTLE_ENDIAN, message.type, 0, VERSION, body.bytes().length, message.serial]);
  const fields = FIELDS.flatMap(([name, code, type]) => {
    const value = message[name];
    return value === undefined || value === '' ? [] : [[code, [type, value]]];
  });
  header.values('a(yv)', [fields]);
  header.align(8);
  return Buffer.concat([header.bytes(), body.bytes()]);
}

/** @returns the message at the start of the bytes and its length; undefined if it is not complete */
export function decodeMessage(
  bytes: Buffer,
): { readonly message: DBusMessage; readonly length: number } | undefined {
  if (bytes.length < FIXED_HEADER_BYTES) return undefined;
  // The messages of this machine, as all others here.
  if (bytes[0] !== LITTLE_ENDIAN) throw new RangeError('The D-Bus message is not little-endian');
  const header = new Decoder(bytes);
  const [, type, , , bodyBytes, serial, fieldBytes] = header.values('yyyyuuu').map(Number);
  const bodyAt = Math.ceil((FIXED_HEADER_BYTES + (fieldBytes ?? 0)) / 8) * 8;
  const length = bodyAt + (bodyBytes ?? 0);
  if (bytes.length < length) return undefined;
  const [fields] = new Decoder(bytes, FIXED_HEADER_BYTES - 4).values('a(yv)');
  const known = new Map(listed(fields).map((field) => [listed(field)[0], listed(field)[1]]));
  const named = Object.fromEntries(FIELDS.map(([name, code]) => [name, known.get(code)]));
  const signature = typeof named['signature'] === 'string' ? named['signature'] : '';
  const body = new Decoder(bytes.subarray(bodyAt, length)).values(signature);
  return { message: { ...named, type: type ?? 0, serial: serial ?? 0, signature, body }, length };
}

export function listed(value: DBusValue | undefined): readonly DBusValue[] {
  return Array.isArray(value) ? value : [];
}

/** The end of the complete type that begins at an index of a signature. */
function endOfType(signature: string, start: number): number {
  const first = signature[start];
  if (first === 'a') return endOfType(signature, start + 1);
  if (first !== '(' && first !== '{') return start + 1;
  let at = start + 1;
  while (at < signature.length && !')}'.includes(signature[at] ?? '')) at = endOfType(signature, at);
  return at + 1;
}

function typesIn(signature: string): readonly string[] {
  const types: string[] = [];
  for (let at = 0; at < signature.length; at = endOfType(signature, at)) {
    types.push(signature.slice(at, endOfType(signature, at)));
  }
  return types;
}

function isNumber(type: string): type is keyof typeof NUMBERS {
  return Object.hasOwn(NUMBERS, type);
}

function alignmentOf(type: string): number {
  return isNumber(type) ? NUMBERS[type][0] : (ALIGNMENT[type.charAt(0)] ?? 4);
}

/** Little-endian. Knows the types that this program sends. */
class Encoder {
  #bytes = Buffer.alloc(256);
  #length = 0;

  bytes(): Buffer {
    return this.#bytes.subarray(0, this.#length);
  }

  align(to: number): void {
    this.#room(Math.ceil(this.#length / to) * to - this.#length);
  }

  values(signature: string, values: readonly DBusValue[]): void {
    for (const [index, type] of typesIn(signature).entries()) this.#value(type, values[index] ?? 0);
  }

  #value(type: string, value: DBusValue): void {
    this.align(alignmentOf(type));
    switch (type.charAt(0)) {
      case 'y':
        this.#room(1).writeUInt8(Number(value));
        break;
      case 'i':
        this.#room(4).writeInt32LE(Number(value));
        break;
      case 'b':
      case 'u':
        this.#room(4).writeUInt32LE(Number(value));
        break;
      case 's':
      case 'o':
      case 'g': {
        const text = Buffer.from(`${String(value)}\0`);
        this.#value(type === 'g' ? 'y' : 'u', text.length - 1);
        text.copy(this.#room(text.length));
        break;
      }
      case 'v': {
        const [signature = '', inner = 0] = listed(value);
        this.#value('g', signature);
        this.#value(String(signature), inner);
        break;
      }
      case 'a': {
        const lengthAt = this.#length;
        this.#room(4);
        this.align(alignmentOf(type.slice(1)));
        const start = this.#length;
        for (const each of listed(value)) this.#value(type.slice(1), each);
        this.#bytes.writeUInt32LE(this.#length - start, lengthAt);
        break;
      }
      case '(':
      case '{':
        this.values(type.slice(1, -1), listed(value));
        break;
      default:
        throw new Error(`D-Bus type ${type} is not supported`);
    }
  }

  /** Makes room at the end. */
  #room(count: number): Buffer {
    const start = this.#length;
    this.#length += count;
    if (this.#length > this.#bytes.length) {
      this.#bytes = Buffer.concat([this.#bytes, Buffer.alloc(this.#length)]);
    }
    return this.#bytes.subarray(start, this.#length);
  }
}

class Decoder {
  readonly #bytes: Buffer;
  #at: number;

  constructor(bytes: Buffer, at = 0) {
    this.#bytes = bytes;
    this.#at = at;
  }

  /** @throws RangeError if the bytes end before */
  values(signature: string): DBusValue[] {
    return typesIn(signature).map((type) => this.#value(type));
  }

  #value(type: string): DBusValue {
    this.#align(alignmentOf(type));
    if (isNumber(type)) {
      const [bytes, form] = NUMBERS[type];
      const value = this.#bytes[`read${form}`](this.#take(bytes));
      return type === 'b' ? value !== 0 : value;
    }
    switch (type.charAt(0)) {
      case 's':
      case 'o':
      case 'g': {
        const length = Number(this.#value(type === 'g' ? 'y' : 'u'));
        const start = this.#take(length + 1);
        return this.#bytes.toString('utf8', start, start + length);
      }
      case 'v':
        return this.#value(String(this.#value('g')));
      case 'a': {
        const length = Number(this.#value('u'));
        this.#align(alignmentOf(type.slice(1)));
        const end = this.#at + length;
        const items: DBusValue[] = [];
        while (this.#at < end) items.push(this.#value(type.slice(1)));
        return items;
      }
      case '(':
      case '{':
        return this.values(type.slice(1, -1));
      default:
        throw new RangeError(`D-Bus type ${type} is not known`);
    }
  }

  #align(to: number): void {
    this.#at = Math.ceil(this.#at / to) * to;
  }

  #take(count: number): number {
    const start = this.#at;
    this.#at += count;
    if (this.#at > this.#bytes.length) throw new RangeError('The D-Bus message is too short');
    return start;
  }
}
