import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { UserError } from '../errors/index.ts';
import { parseArguments } from './arguments.ts';

/** What a tool gets, or what its caller reads. */
function ask(input: z.ZodObject | z.ZodDiscriminatedUnion, args: unknown): unknown {
  try {
    return parseArguments(input, args);
  } catch (error) {
    if (UserError.is(error)) return error.failure;
    throw error;
  }
}

const card = z.object({ kind: z.literal('card'), last4: z.string() });
const cash = z.object({ kind: z.literal('cash'), cents: z.int().optional() });
const payment = z.discriminatedUnion('kind', [card, cash]);

describe('an object or array that arrives as JSON text', () => {
  const input = z.object({
    filter: z.object({ k: z.string(), limit: z.int().optional() }).optional(),
    ids: z.array(z.int()).optional(),
    grid: z.array(z.array(z.int())).optional(),
    payment: payment.optional(),
    labels: z.record(z.string(), z.string()).optional(),
    either: z.union([z.array(z.int()), z.strictObject({ all: z.boolean() })]).optional(),
  });

  test.each([
    ['{"filter":" {\\"k\\":\\"v\\"}\\n"}', { filter: { k: 'v' } }],
    ['{"grid":["[1]",[2]]}', { grid: [[1], [2]] }],
    ['{"grid":"[\\"[1]\\",[2]]"}', { grid: [[1], [2]] }],
    ['{"payment":"{\\"kind\\":\\"cash\\",\\"cents\\":5}"}', { payment: { kind: 'cash', cents: 5 } }],
    ['{"labels":"{\\"a\\":\\"b\\"}"}', { labels: { a: 'b' } }],
    ['{"either":"{\\"all\\":true}"}', { either: { all: true } }],
    // With what is corrected besides.
    ['{"filter":"{\\"k\\":\\"v\\",\\"limit\\":null}"}', { filter: { k: 'v' } }],
    ['{"payment":{"kind":"cash","cents":null}}', { payment: { kind: 'cash' } }],
    ['{"filter":{"k":"v","limit":"7"},"ids":"[1]"}', { filter: { k: 'v', limit: 7 }, ids: [1] }],
  ])('is read: %s', (given, read) => {
    expect(ask(input, JSON.parse(given))).toStrictEqual(read);
  });

  test.each(['{"ids":"1"}', '{"ids":"[1"}', '{"ids":"{}"}', '{"filter":"null"}', '{"labels":"{\\"a\\":1}"}'])(
    'is refused if it is not what the field needs: %s',
    (given) => {
      expect(ask(input, JSON.parse(given))).toMatchObject({ code: 'INVALID_ARGUMENT' });
    },
  );

  test('stays a text for a field that takes texts', () => {
    const texts = z.object({
      text: z.string(),
      code: z.string().max(3).optional(),
      either: z.union([z.string().max(3), z.array(z.int())]).optional(),
      any: z.unknown(),
    });
    expect(ask(texts, { text: '[1]', any: '{}' })).toStrictEqual({ text: '[1]', any: '{}' });
    expect(ask(texts, { text: '', code: '[1,2]' })).toMatchObject({ code: 'INVALID_ARGUMENT' });
    expect(ask(texts, { text: '', either: '[1,2]' })).toMatchObject({ code: 'INVALID_ARGUMENT' });
  });

  test('what was given is not changed', () => {
    const given = { grid: ['[1]'] };
    ask(input, given);
    expect(given).toStrictEqual({ grid: ['[1]'] });
  });
});

describe('a union with a discriminator as the arguments', () => {
  test('null stands for an optional field', () => {
    expect(ask(payment, { kind: 'cash', cents: null })).toStrictEqual({ kind: 'cash' });
  });

  test.each([
    [{ kind: 'card' }, 'Invalid "last4": Invalid input', 'Schema: {"type":"string"}'],
    [{ kind: 'coin' }, `Invalid "kind"`, "The tool's arguments are: kind, last4, cents."],
    ['x', 'Arguments must be an object.', 'Pass an object'],
  ])('%j is refused with what the member needs', (given, error, hint) => {
    expect(ask(payment, given)).toMatchObject({
      error: expect.stringContaining(error),
      hint: expect.stringContaining(hint),
    });
  });
});

describe('the answer that refuses an argument', () => {
  test.each([
    ['a URL', z.url(), '"format":"uri"'],
    ['a phone number', z.e164(), '"pattern"'],
    ['a date', z.iso.date(), '"format":"date"'],
  ])('says that it is %s', (_, field, text) => {
    expect(ask(z.object({ field }), { field: '-' })).toMatchObject({ hint: expect.stringContaining(text) });
  });

  const long = z.enum(Array.from({ length: 99 }, (_, index) => `choice ${index}`));
  const object = z.object({ deep: z.object({ size: z.int().describe('Rows per page.') }), other: long });
  test.each([
    ['a list of many choices', z.object({ field: long }), { field: 'x' }, 'See "field" in the tool'],
    [
      'a long description',
      z.object({ field: z.int().describe('x'.repeat(500)) }),
      { field: 'x' },
      'See "field"',
    ],
    [
      'a field of a large object',
      z.object({ object }),
      { object: { deep: { size: '-' } } },
      'Rows per page. Schema:',
    ],
    [
      'many arguments',
      z.strictObject(
        Object.fromEntries(Array.from({ length: 99 }, (_, n) => [`argument_${n}`, z.int().optional()])),
      ),
      { unknown: 1 },
      "See the tool's input schema.",
    ],
    ['a long name', z.strictObject({}), { ['x'.repeat(999)]: 1 }, "The tool's arguments are: ."],
  ])('is shorter than 400 characters for %s', (_, input, given, hint) => {
    const answer = ask(input, given);
    expect(answer).toMatchObject({ hint: expect.stringContaining(hint) });
    expect(JSON.stringify(answer).length).toBeLessThan(400);
  });
});
