import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { encodeOutput } from './encode.ts';

const date = z.codec(z.iso.datetime(), z.date(), {
  decode: (text) => new Date(text),
  encode: (value) => value.toISOString(),
});
const noon = new Date('2026-01-02T12:00:00Z');
const encodedNoon = '2026-01-02T12:00:00.000Z';

const tree = z.object({
  name: z.string().default('leaf'),
  get children() {
    return z.array(tree).optional();
  },
});

describe('a missing field gets its default', () => {
  test.each<[string, z.core.$ZodType, unknown, unknown]>([
    ['in an object', z.object({ a: z.int().default(1) }), {}, { a: 1 }],
    ['of a codec, encoded', z.object({ at: date.default(noon) }), {}, { at: encodedNoon }],
    [
      'in strict members of a union',
      z.union([z.strictObject({ a: z.int() }), z.strictObject({ b: z.int(), c: z.int().default(1) })]),
      { b: 1 },
      { b: 1, c: 1 },
    ],
    [
      'in an object that contains itself',
      tree,
      { children: [{ name: 'x', children: [{}] }] },
      { name: 'leaf', children: [{ name: 'x', children: [{ name: 'leaf' }] }] },
    ],
    ['in a lazy object', z.lazy(() => z.object({ a: z.int().default(1) })), {}, { a: 1 }],
    ['in a refined object', z.object({ a: z.int().default(1) }).refine(() => true), {}, { a: 1 }],
  ])('%s', (_, schema, value, encoded) => {
    expect(encodeOutput(schema, value)).toStrictEqual(encoded);
  });

  test("the author's schema still parses as before", () => {
    const schema = z.object({ a: z.int().default(1), at: date });
    encodeOutput(schema, { at: noon });
    expect(schema.parse({ at: encodedNoon })).toStrictEqual({ a: 1, at: noon });
    expect(() => z.encode(schema, { at: noon } as never)).toThrow('expected number');
  });
});

test.each<[string, z.core.$ZodType, unknown, string]>([
  ['a refinement', z.object({ a: z.int() }).refine(() => false, 'no'), { a: 1 }, 'no'],
  ['an unknown key', z.strictObject({ a: z.int().default(1) }), { b: 1 }, 'Unrecognized key: "b"'],
  ['an invalid date', z.object({ at: date }), { at: new Date(Number.NaN) }, '"at": Invalid input'],
  ['a wrong value beside a default', z.object({ a: z.int().default(1) }), { a: 'x' }, '"a": Invalid input'],
])('%s is an invalid output', (_, schema, value, message) => {
  expect(() => encodeOutput(schema, value)).toThrow(message);
});

test('fields that the schema does not declare are removed, at any depth', () => {
  const schema = z.object({ n: z.int(), items: z.array(z.object({ name: z.string() })) });
  const answer = { hash: 'secret', items: [{ name: 'a', hash: 'secret' }], n: 1 };
  expect(encodeOutput(schema, answer)).toStrictEqual({ n: 1, items: [{ name: 'a' }] });
});

test('a default that is a function is asked for each answer', () => {
  let count = 0;
  const schema = z.object({ n: z.int().default(() => (count += 1)) });
  const first = encodeOutput(schema, {});
  expect(encodeOutput(schema, {})).not.toStrictEqual(first);
});
