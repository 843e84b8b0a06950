import { AjvJsonSchemaValidator } from '@modelcontextprotocol/client/validators/ajv';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { parseArguments } from './arguments.ts';
import { jsonSchema } from './json-schema.ts';

const member = z.object({ kind: z.literal('a'), n: z.int() });
const other = z.object({ kind: z.literal('b'), s: z.string() });

/** Schemas of one argument, by their source. */
const schemas: Readonly<Record<string, z.ZodType>> = {
  'string()': z.string(),
  'string().min(2)': z.string().min(2),
  'string().max(3)': z.string().max(3),
  'string().regex(/^a+$/)': z.string().regex(/^a+$/),
  "string().startsWith('a')": z.string().startsWith('a'),
  "string().endsWith('z')": z.string().endsWith('z'),
  "string().includes('b')": z.string().includes('b'),
  'string().optional()': z.string().optional(),
  "string().default('x')": z.string().default('x'),
  'email()': z.email(),
  'uuid()': z.uuid(),
  'ipv4()': z.ipv4(),
  'iso.date()': z.iso.date(),
  'iso.datetime()': z.iso.datetime(),
  'number()': z.number(),
  'number().positive()': z.number().positive(),
  'number().multipleOf(5)': z.number().multipleOf(5),
  'int()': z.int(),
  'int().min(1).max(9)': z.int().min(1).max(9),
  'int().nullable()': z.int().nullable(),
  'int().optional()': z.int().optional(),
  'boolean()': z.boolean(),
  'null()': z.null(),
  "literal('a')": z.literal('a'),
  'literal(1)': z.literal(1),
  "enum(['a', 'b'])": z.enum(['a', 'b']),
  'array(int()).min(1)': z.array(z.int()).min(1),
  'array(string()).max(2)': z.array(z.string()).max(2),
  'tuple([string(), int()])': z.tuple([z.string(), z.int()]),
  'record(string(), int())': z.record(z.string(), z.int()),
  'object({ n: int() })': z.object({ n: z.int() }),
  'strictObject({ n: int() })': z.strictObject({ n: z.int() }),
  'object({ n: int().optional() })': z.object({ n: z.int().optional() }),
  'union([string(), int()])': z.union([z.string(), z.int()]),
  'union([object, array])': z.union([z.object({ n: z.int() }), z.array(z.int())]),
  "discriminatedUnion('kind')": z.discriminatedUnion('kind', [member, other]),
  'array(object({ s: string() }))': z.array(z.object({ s: z.string() })),
};

const texts = ['', 'a', 'aa', 'aaaa', 'b', 'abz', '🙂', '🙂🙂', '\u0000', 'null', 'true'];
const dates = ['2024-02-29', '2023-02-29', '2024-02-29T12:00:00Z', '2024-02-29T12:00:00'];
const addresses = ['a@example.com', 'a@b', '192.0.2.1', '256.0.0.1', '6ba7b810-9dad-11d1-80b4-00c04fd430c8'];
const digits = ['0', '1', '-1', '5', '1.5', '1e3', ' 1', '01'];
const json = ['{}', '{"n":1}', '[]', '[1]', '["a"]', '{"kind":"a","n":1}', '{', '[1'];
const numbers = [0, -0, 1, -1, 5, 9, 10, 11, 0.5, 1.5, 1e3, 2 ** 53 - 1, 1e-7];
const lists = [[], ['a'], ['a', 'b', 'c'], [1], ['a', 1], [null], [1.5], [{ s: 'x' }], [{ s: 1 }]];
const objects = [{}, { n: 1 }, { n: 1.5 }, { n: null }, { n: 1, x: 2 }];
const members = [
  { kind: 'a', n: 1 },
  { kind: 'b', s: 'x' },
  { kind: 'a', s: 'x' },
];
const values: readonly unknown[] = [
  ...texts,
  ...dates,
  ...addresses,
  ...digits,
  ...json,
  ...numbers,
  ...lists,
  ...objects,
  ...members,
  true,
  false,
  null,
];

/** Null for what is optional, an integer as text, an object or array as JSON text: docs/decisions/0030. */
const CORRECTED = / (?:null|\{"n":null\}|"-?\d+"|"[[{].*")$/;

function accepts(schema: z.ZodObject, value: unknown): boolean {
  try {
    parseArguments(schema, { v: value });
    return true;
  } catch {
    return false;
  }
}

test(`${Object.keys(schemas).length} schemas and ${values.length} values: a call accepts what the listing says, and what a model means`, () => {
  let agreed = 0;
  const lenient: string[] = [];
  const strict: string[] = [];
  for (const [name, schema] of Object.entries(schemas)) {
    const input = z.object({ v: schema });
    const listed = new AjvJsonSchemaValidator().getValidator({ type: 'object', ...jsonSchema(input) });
    for (const value of values) {
      const [byListing, byCall] = [listed({ v: value }).valid, accepts(input, value)];
      const pair = `${name} ${JSON.stringify(value)}`;
      if (byListing === byCall) agreed += 1;
      else (byCall ? lenient : strict).push(pair);
    }
  }
  expect(strict).toEqual([]);
  // Zod computes the remainder of large numbers as a fraction.
  expect(lenient.filter((pair) => !CORRECTED.test(pair))).toEqual([
    'number().multipleOf(5) 9007199254740991',
  ]);
  expect([agreed, lenient.length]).toEqual([2513, 40]);
});
