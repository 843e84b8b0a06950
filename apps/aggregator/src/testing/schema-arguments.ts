import * as fc from 'fast-check';
import { z } from 'zod';

/** The part of JSON Schema that tools of Deskside use. */
const schema = z.looseObject({
  type: z.string().optional(),
  enum: z.array(z.unknown()).optional(),
  const: z.unknown().optional(),
  get anyOf(): z.ZodOptional<z.ZodArray<typeof schema>> {
    return z.array(schema).optional();
  },
  minimum: z.number().optional(),
  maximum: z.number().optional(),
  minLength: z.number().optional(),
  maxLength: z.number().optional(),
  maxItems: z.number().optional(),
  get items(): z.ZodOptional<typeof schema> {
    return schema.optional();
  },
  get properties(): z.ZodOptional<z.ZodRecord<z.ZodString, typeof schema>> {
    return z.record(z.string(), schema).optional();
  },
  required: z.array(z.string()).optional(),
});

export type Schema = z.output<typeof schema>;

/** @throws if a schema has another form */
export function schemaFrom(value: unknown): Schema {
  return schema.parse(value);
}

/** Arguments for a tool: most of them valid, the others near the limits of the schema or far outside. */
export function argumentsFor({ properties = {}, required = [] }: Schema): fc.Arbitrary<unknown> {
  const fields = Object.fromEntries(
    Object.entries(properties).map(([name, field]) => [
      name,
      fc.oneof(
        { weight: 12, arbitrary: valid(field) },
        { weight: 1, arbitrary: near(field) },
        { weight: 1, arbitrary: hostile },
      ),
    ]),
  );
  const known = fc.record(fields, { requiredKeys: [...required] });
  return fc.oneof(
    { weight: 12, arbitrary: known },
    { weight: 1, arbitrary: fc.record(fields, { requiredKeys: [] }) },
    {
      weight: 1,
      arbitrary: fc.tuple(known, fc.dictionary(fc.string(), hostile)).map(([a, b]) => Object.assign(b, a)),
    },
    { weight: 1, arbitrary: fc.dictionary(fc.string({ maxLength: 20 }), hostile) },
  );
}

function valid(field: Schema): fc.Arbitrary<unknown> {
  const { minimum = 0, maximum = 5000, minLength = 0, maxLength = 60 } = field;
  if (field.const !== undefined) return fc.constant(field.const);
  if (field.enum !== undefined) return fc.constantFrom(...field.enum);
  if (field.anyOf !== undefined) return fc.oneof(...field.anyOf.map(valid));
  switch (field.type) {
    case 'integer':
      return fc.integer({ min: Math.ceil(minimum), max: Math.max(Math.ceil(minimum), Math.floor(maximum)) });
    case 'number':
      return fc.double({ min: minimum, max: Math.max(minimum, maximum), noNaN: true });
    case 'boolean':
      return fc.boolean();
    case 'array':
      return fc.array(valid(field.items ?? {}), { maxLength: Math.min(field.maxItems ?? 4, 6) });
    case 'object':
      return fc.record(
        Object.fromEntries(Object.entries(field.properties ?? {}).map(([name, own]) => [name, valid(own)])),
        { requiredKeys: [...(field.required ?? [])] },
      );
    case 'null':
      return fc.constant(null);
    default: {
      const text = fc.string({ minLength, maxLength: Math.min(maxLength, minLength + 60), unit: 'grapheme' });
      return minLength > 1 ? text : fc.oneof(text, plausible);
    }
  }
}

/** Texts that tools understand: dates, ids, names. */
const plausible = fc.constantFrom(
  ...'me owner today yesterday -7d 2026-11-02 2026-11-03 2026-11-02T08:00'.split(' '),
  ...'2026-11-02T23:59:59+05:30 Applications hour day'.split(' '),
);

/** At the limits, and one beyond. */
function near({ minimum, maximum, maxLength }: Schema): fc.Arbitrary<unknown> {
  const values: unknown[] = [null, '', ' ', '0', '1', '1.5', '-1', 0, -1, 1.5, [], {}, true];
  if (minimum !== undefined) values.push(minimum, minimum - 1, minimum + 0.5, String(minimum));
  if (maximum !== undefined) values.push(maximum, maximum + 1, String(maximum));
  if (maxLength !== undefined) {
    values.push('x'.repeat(maxLength), 'x'.repeat(maxLength + 1), '👩‍👩‍👧'.repeat(Math.ceil(maxLength / 5) + 1));
  }
  return fc.constantFrom(...values);
}

const hostile: fc.Arbitrary<unknown> = fc.oneof(
  fc.jsonValue({ maxDepth: 3 }),
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.constantFrom<unknown>(
    Number.MAX_SAFE_INTEGER,
    -Number.MAX_SAFE_INTEGER,
    1e308,
    -0.0001,
    '2025-02-30',
    '0000-00-00',
    '9999-12-31T23:59:59Z',
    '+275760-09-13',
    '__proto__',
    '../../../../etc/passwd',
    String.raw`\\?\C:\Windows`,
    "'; DROP TABLE tasks; --",
    '<script>alert(1)</script>',
    '\u0000',
    '\uD800',
    '\u202Eevil\u202C',
    '\u001B[2J\u001B]0;title\u0007',
    'x'.repeat(20_000),
    { toString: 'x', __proto__: null, constructor: 1 },
    [[[[[]]]]],
  ),
);
