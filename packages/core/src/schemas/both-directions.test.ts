import { AjvJsonSchemaValidator } from '@modelcontextprotocol/client/validators/ajv';
import { CfWorkerJsonSchemaValidator } from '@modelcontextprotocol/client/validators/cf-worker';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { IS_PROOF, SEED } from '../testing/random.ts';
import { encodeOutput } from './encode.ts';
import { jsonSchema } from './json-schema.ts';
import { inputProblem, outputProblem } from './schema-problems.ts';

const ROUNDS = IS_PROOF ? 40 : 1;
const RUNS_PER_ROUND = 250;

/** A random schema, and what a tool may return for it. */
interface Sample {
  readonly schema: z.ZodType;
  readonly value: fc.Arbitrary<unknown>;
}

const date = z.codec(z.iso.datetime(), z.date(), {
  decode: (text) => new Date(text),
  encode: (value) => value.toISOString(),
});

const words = ['a', 'b', 'ü', '', '🙂'];
const times = fc.date({
  min: new Date('0001-01-01T00:00:00Z'),
  max: new Date('9999-12-31T23:59:59Z'),
  noInvalidDate: true,
});

/** Values that Zod accepts for a format, also those that are rare. */
const formats: readonly Sample[] = [
  { schema: z.iso.datetime(), value: times.map((time) => time.toISOString()) },
  {
    schema: z.iso.datetime({ offset: true }),
    value: times.map((time) => time.toISOString().replace('Z', '-11:30')),
  },
  {
    schema: z.iso.datetime({ local: true }),
    value: fc.constantFrom('2024-02-29T12:00', '2024-02-29T12:00:00Z'),
  },
  { schema: z.iso.date(), value: times.map((time) => time.toISOString().slice(0, 10)) },
  { schema: z.iso.time(), value: fc.constantFrom('12:00', '23:59:59', '00:00:00.123456') },
  { schema: z.iso.duration(), value: fc.constantFrom('P1D', 'PT1.5S', 'P2W', 'P1Y2M3DT4H5M6S') },
  { schema: z.uuid(), value: fc.uuid() },
  { schema: z.uuidv4(), value: fc.uuid({ version: 4 }) },
  { schema: z.email(), value: fc.emailAddress() },
  {
    schema: z.url(),
    value: fc.oneof(fc.webUrl(), fc.constantFrom('https://example.com/Käse 1', 'mailto:a@b.c')),
  },
  { schema: z.ipv4(), value: fc.ipV4() },
  { schema: z.ipv6(), value: fc.ipV6() },
  { schema: z.base64(), value: fc.base64String() },
  { schema: z.jwt(), value: fc.constantFrom('eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.e30.c2ln') },
  { schema: z.hostname(), value: fc.domain() },
  { schema: z.e164(), value: fc.constantFrom('+4915112345678') },
];

const leaves: readonly Sample[] = [
  ...formats.map(({ schema, value }) => ({
    schema,
    value: value.filter((text) => schema.safeParse(text).success),
  })),
  { schema: z.string(), value: fc.string({ unit: 'binary' }) },
  { schema: z.string().min(1).max(3), value: fc.constantFrom('a', 'abc') },
  { schema: z.string().regex(/^[a-z]+$/u), value: fc.constantFrom('a', 'zz') },
  { schema: z.int(), value: fc.maxSafeInteger() },
  { schema: z.number(), value: fc.double({ noNaN: true, noDefaultInfinity: true }) },
  { schema: z.int().min(1).max(9).multipleOf(2), value: fc.constantFrom(2, 8) },
  { schema: z.boolean(), value: fc.boolean() },
  { schema: z.null(), value: fc.constant(null) },
  { schema: z.enum(words), value: fc.constantFrom(...words) },
  { schema: z.literal('only'), value: fc.constant('only') },
  { schema: z.literal([1, 2]), value: fc.constantFrom(1, 2) },
  { schema: z.literal(['a', null, 3]), value: fc.constantFrom('a', null, 3) },
  { schema: z.unknown(), value: fc.jsonValue() },
  { schema: z.templateLiteral(['id-', z.int()]), value: fc.nat().map((n) => `id-${n}`) },
  { schema: date, value: times },
  {
    schema: z.codec(z.array(z.string()), z.set(z.string()), {
      decode: (items) => new Set(items),
      encode: (set) => [...set],
    }),
    value: fc.uniqueArray(fc.string()).map((items) => new Set(items)),
  },
];

const leaf: fc.Arbitrary<Sample> = fc.constantFrom(...leaves);

function wrapped(inner: fc.Arbitrary<Sample>): fc.Arbitrary<Sample> {
  return fc.oneof(
    inner.map(({ schema, value }) => ({ schema: schema.nullable(), value: fc.option(value) })),
    inner.map(({ schema, value }) => ({ schema: z.array(schema), value: fc.array(value, { maxLength: 3 }) })),
    inner.map(({ schema, value }) => ({
      schema: z.record(z.string(), schema),
      value: fc.dictionary(
        fc.string().filter((key) => key !== '__proto__'),
        value,
        { maxKeys: 3 },
      ),
    })),
    fc.tuple(inner, inner).map(([one, two]) => ({
      schema: z.tuple([one.schema, two.schema]),
      value: fc.tuple(one.value, two.value),
    })),
    object(inner),
    fc.array(object(inner), { minLength: 1, maxLength: 3 }).map(discriminated),
    inner.map(({ schema, value }) => ({ schema: z.lazy(() => schema), value })),
    inner.map(({ schema, value }) => ({ schema: schema.readonly().describe('Described.'), value })),
  );
}

function object(inner: fc.Arbitrary<Sample>): fc.Arbitrary<Sample & { readonly schema: z.ZodObject }> {
  const kinds = ['required', 'optional', 'nullish', 'default'] as const;
  return fc.array(fc.tuple(inner, fc.constantFrom(...kinds), fc.nat(99)), { maxLength: 4 }).map((fields) => {
    const shape: Record<string, z.ZodType> = {};
    const values: Record<string, fc.Arbitrary<unknown>> = {};
    for (const [index, [{ schema, value }, kind, seed]] of fields.entries()) {
      const [some] = fc.sample(value, { numRuns: 1, seed });
      const field = {
        required: schema,
        optional: schema.optional(),
        nullish: schema.nullish(),
        default: schema.default(some),
      }[kind];
      shape[`f${index}`] = field;
      const missing = fc.constant(undefined);
      values[`f${index}`] = kind === 'required' ? value : fc.oneof(value, missing);
    }
    return {
      schema: z.object(shape),
      // Undeclared fields are removed, so no client sees them.
      value: fc.record({ ...values, undeclared: fc.anything() }),
    };
  });
}

function discriminated(members: readonly (Sample & { readonly schema: z.ZodObject })[]): Sample {
  const tagged = members.map(({ schema }, index) => schema.extend({ kind: z.literal(`k${index}`) }));
  const [first, ...others] = tagged;
  if (first === undefined) throw new Error('No member.');
  return {
    schema: z.discriminatedUnion('kind', [first, ...others]),
    value: fc.oneof(
      ...members.map(({ value }, index) => value.map((fields) => ({ ...Object(fields), kind: `k${index}` }))),
    ),
  };
}

const sample = fc.letrec<{ any: Sample }>((tie) => ({
  any: fc.oneof({ maxDepth: 3, depthSize: 'small' }, leaf, wrapped(tie('any'))),
})).any;

const validators = { ajv: new AjvJsonSchemaValidator(), 'cf-worker': new CfWorkerJsonSchemaValidator() };

function expectAccepted(listed: Readonly<Record<string, unknown>>, sent: unknown): void {
  for (const [name, validator] of Object.entries(validators)) {
    const { valid, errorMessage } = validator.getValidator(structuredClone(listed))(sent);
    expect(valid, `${name}: ${errorMessage}\n${JSON.stringify(listed)}\n${JSON.stringify(sent)}`).toBe(true);
  }
}

const rounds = Array.from({ length: ROUNDS }, (_, round) => round + 1);

test.each(rounds)(
  'clients accept every answer that a tool may return and every argument that Zod accepts, round %d',
  (round) => {
    fc.assert(
      fc.property(
        sample.chain(({ schema, value }) => fc.tuple(fc.constant(schema), value)),
        ([schema, value]) => {
          expect(outputProblem(schema)).toBeUndefined();
          expect(inputProblem(schema)).toBeUndefined();
          const sent: unknown = JSON.parse(JSON.stringify(encodeOutput(schema, value)));
          expect(schema.safeParse(sent).error, 'the schema reads what it writes').toBeUndefined();
          expectAccepted(jsonSchema(schema, 'output'), sent);
          expectAccepted(jsonSchema(schema, 'input'), sent);
        },
      ),
      { numRuns: RUNS_PER_ROUND, seed: SEED + round },
    );
  },
);

test('no output has a pattern beside a format', () => {
  for (const { schema } of formats) {
    const { format, pattern } = jsonSchema(schema, 'output');
    expect(format !== undefined && pattern !== undefined).toBe(false);
  }
});

test('an input that has to be narrower than its format has examples, and no pattern', () => {
  expect(jsonSchema(z.iso.date())).toStrictEqual({ type: 'string', format: 'date' });
  expect(jsonSchema(z.uuid())).toStrictEqual({ type: 'string', format: 'uuid' });
  expect(jsonSchema(z.iso.datetime({ offset: true }))).toStrictEqual({ type: 'string', format: 'date-time' });
  expect(jsonSchema(z.iso.datetime())).toStrictEqual({
    type: 'string',
    format: 'date-time',
    examples: ['2024-02-29T23:59:59Z', '2024-02-29T23:59:59.123Z'],
  });
  const examples = ['919108f7-52d1-4320-9bac-f847db4148a8'];
  expect(jsonSchema(z.uuidv4())).toStrictEqual({ type: 'string', format: 'uuid', examples });
});

test.each([
  [z.enum(['a', 'b']).nullable(), { type: ['string', 'null'], enum: ['a', 'b', null] }],
  [z.literal('a').nullable(), { type: ['string', 'null'], enum: ['a', null] }],
  [z.literal([1, 2]).nullable(), { type: ['number', 'null'], enum: [1, 2, null] }],
  [z.string().nullable().describe('Name.'), { type: ['string', 'null'], description: 'Name.' }],
])('a nullable schema lists null: %#', (schema, listed) => {
  expect(jsonSchema(schema)).toStrictEqual(listed);
});

test.each<[string, z.ZodType, unknown]>([
  ['a pattern that ignores case', z.string().regex(/^[a-f]+$/i), 'AB'],
  [
    'a nullable pattern that ignores case',
    z
      .string()
      .regex(/^[a-f]+$/i)
      .nullable(),
    'AB',
  ],
  ['a pattern that spans lines', z.string().regex(/^a.b$/s), 'a\nb'],
  ['a pattern that is not Unicode', z.string().regex(/^[\w-.]+$/), 'a-b'],
  ['a fraction', z.number().multipleOf(0.01), 0.07],
])('clients accept what %s accepts', (_, schema, value) => {
  expect(schema.safeParse(value).success).toBe(true);
  expectAccepted(jsonSchema(schema, 'output'), value);
});
