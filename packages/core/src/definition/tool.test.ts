import { isCallToolResult } from '@modelcontextprotocol/server';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { reply, textBlock } from './results.ts';
import { UserError } from '../errors/index.ts';
import { createLog } from '../log.ts';
import { testContext } from '../testkit/test-context.ts';
import { type Tool, toolDefiner, type ToolOutput } from './tool.ts';
import { annotations, described } from '../testing/described.ts';

const defineTool = toolDefiner<{ readonly greeting: string }>();
const deps = { greeting: 'Hello' };

const context = (write: (line: string) => void = () => undefined) =>
  testContext({ correlationId: 'c-1', log: createLog({ level: 'info', write }) });

function firstText(answer: Awaited<ReturnType<Tool<unknown>['call']>>): string {
  const { content } = isCallToolResult(answer) ? answer : {};
  const [block] = content ?? [];
  return block?.type === 'text' ? block.text : '';
}

const greet = defineTool({
  name: 'greet',
  title: 'Greet',
  description: (tool) => `Greets; see also ${tool('part')}`,
  annotations,
  scopes: ['greetings'],
  input: z.object({
    name: z.string().min(1).describe('Name of the person.'),
    times: z.int().min(1).max(3).default(1).describe('Number of greetings.'),
  }),
  output: z.object({ text: z.string() }),
  run: ({ name, times }, { greeting }) => ({ text: `${greeting}, ${name}!`.repeat(times) }),
});

test('an object answer is sent as one JSON text and as structuredContent, and the scopes stay', async () => {
  expect(greet.scopes).toStrictEqual(['greetings']);
  expect(await greet.call({ name: 'Ada', unknown: 1 }, deps, context())).toStrictEqual({
    content: [{ type: 'text', text: '{"text":"Hello, Ada!"}' }],
    structuredContent: { text: 'Hello, Ada!' },
  });
});

test.each([
  [{}, 'Invalid "name"', 'Name of the person.'],
  [{ name: 'Ada', times: 9 }, 'Invalid "times"', '"minimum":1,"maximum":3}'],
  ['Ada', 'Arguments must be an object.', 'Pass an object'],
])(
  'the arguments %j are rejected with the invalid argument and what the tool accepts',
  async (args, error, hint) => {
    const answer = await greet.call(args, deps, context());
    expect(answer).toMatchObject({ isError: true });
    expect(answer).not.toHaveProperty('structuredContent');
    const body = JSON.parse(firstText(answer));
    expect(Object.keys(body)).toStrictEqual(['error', 'code', 'hint']);
    expect(body).toMatchObject({ code: 'INVALID_ARGUMENT' });
    expect(body.error).toContain(error);
    expect(body.hint).toContain(hint);
  },
);

test('a mounted tool is listed with its prefix and mentions other tools with their prefix', () => {
  const listed = greet.list({ ...context(), toolName: (name) => `m_${name}` });
  expect(listed).toMatchObject({ name: 'm_greet', title: 'Greet', description: 'Greets; see also m_part' });
  expect(listed.annotations).toStrictEqual({ title: 'Greet', ...annotations });
  expect(listed.inputSchema).toStrictEqual({
    type: 'object',
    properties: {
      name: { type: 'string', minLength: 1, description: 'Name of the person.' },
      times: { type: 'integer', minimum: 1, maximum: 3, default: 1, description: 'Number of greetings.' },
    },
    required: ['name'],
  });
});

test('an array answer is sent as text only', async () => {
  const list = defineTool({
    ...described('list'),
    output: z.array(z.number()),
    run: () => reply([1, 2], { more: [textBlock('and more')], meta: { 'deskside/remaining': 1 } }),
  });
  expect(await list.call({}, deps, context())).toStrictEqual({
    content: [textBlock('[1,2]'), textBlock('and more')],
    _meta: { 'deskside/remaining': 1 },
  });
  expect(list.list(context())).not.toHaveProperty('outputSchema');
});

const received = (input: z.ZodObject) =>
  defineTool({
    ...described('see'),
    input,
    run: (args) => JSON.stringify(args),
  });

const answering = (output: ToolOutput, answer: unknown) =>
  defineTool({
    ...described('answer'),
    output,
    run: (): never => answer as never,
  });

const ask = async (input: z.ZodObject, args: unknown) =>
  JSON.parse(firstText(await received(input).call(args, deps, context())));

test('a tool with texts of its own answers with them, corrects nothing, and lists what its schema states', async () => {
  const tool = defineTool({
    ...described('order'),
    input: z.object({
      count: z
        .preprocess((given) => given ?? 7, z.int('Count is wrong'))
        .meta({
          type: 'integer',
          description: 'How many.',
          default: 7,
          examples: [8],
        }),
    }),
    rejected: (issues, args, { greeting }) =>
      new UserError({ exactly: { error: `${greeting}: ${issues[0]?.message}, ${JSON.stringify(args)}` } }),
    run: ({ count }) => String(count),
  });
  const answer = async (args: unknown) => firstText(await tool.call(args, deps, context()));
  expect(await answer({})).toBe('7');
  expect(await answer({ count: null })).toBe('7');
  expect(await answer({ count: '8' })).toBe('{"error":"Hello: Count is wrong, {\\"count\\":\\"8\\"}"}');
  expect(await answer('x')).toContain('Arguments must be an object');
  expect(tool.list(context()).inputSchema.properties).toStrictEqual({
    count: { type: 'integer', description: 'How many.', default: 7, examples: [8] },
  });
});

describe('input', () => {
  test('the message of an object-level refine reaches the caller', async () => {
    const either = z
      .object({ a: z.int().optional(), b: z.int().optional() })
      .refine(({ a, b }) => a !== undefined || b !== undefined, 'Give a or b');
    expect(await ask(either, {})).toStrictEqual({
      error: 'Give a or b.',
      code: 'INVALID_ARGUMENT',
      hint: "The tool's arguments are: a, b.",
    });
    expect(await ask(either, { b: 1 })).toStrictEqual({ b: 1 });
  });

  test('a strict object names the unknown argument, also inside another', async () => {
    const inner = z.strictObject({ c: z.int() });
    const strict = z.strictObject({ a: z.int(), b: inner.optional() });
    expect(await ask(strict, { a: 1, 'd\u202E': 2 })).toStrictEqual({
      error: 'Unknown argument "d\\u{202e}".',
      code: 'INVALID_ARGUMENT',
      hint: "The tool's arguments are: a, b.",
    });
    const nested = await ask(strict, { a: 1, b: { c: 1, e: 1 } });
    expect(nested.error).toBe('Invalid "b": Unrecognized key: "e".');
  });
});

describe('output', () => {
  const shape = z.object({ n: z.int(), items: z.array(z.object({ name: z.string() })).optional() });
  test.each([
    [{ n: 'x' }, 'n'],
    [{ n: 1, items: [{ name: 'a' }, {}] }, 'items.1.name'],
    [undefined, ''],
    [reply({ n: 'x' }, { more: [textBlock('more')] }), 'n'],
  ])('the wrong answer %j is an internal error, and the log names the field', async (answer, field) => {
    const lines: string[] = [];
    const result = await answering(shape, answer).call(
      {},
      deps,
      context((line) => lines.push(line)),
    );
    expect(result).toStrictEqual({
      content: [textBlock('{"error":"Internal error","code":"INTERNAL"}')],
      isError: true,
      _meta: { 'deskside/correlation_id': 'c-1' },
    });
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      {
        level: 'error',
        message: 'tool answer is invalid',
        tool: 'answer',
        field,
        correlationId: 'c-1',
      },
    ]);
  });

  test('a union of objects is listed as an object schema', async () => {
    const union = z.discriminatedUnion('kind', [
      z.object({ kind: z.literal('one'), n: z.int() }),
      z.object({ kind: z.literal('none') }),
    ]);
    const tool = answering(union, { kind: 'none' });
    expect(tool.list(context()).outputSchema).toMatchObject({
      type: 'object',
      oneOf: [{ type: 'object' }, { type: 'object' }],
    });
    expect(await tool.call({}, deps, context())).toMatchObject({ structuredContent: { kind: 'none' } });
  });
});

test('a discriminated union of objects as input is typed, and listed as an object', async () => {
  const tool = defineTool({
    ...described('pay'),
    input: z.discriminatedUnion('kind', [
      z.object({ kind: z.literal('card'), last4: z.string() }),
      z.object({ kind: z.literal('cash'), cents: z.int() }),
    ]),
    run: (args) => (args.kind === 'card' ? args.last4.padStart(8, '*') : args.cents.toFixed(2)),
  });
  expect(tool.list(context()).inputSchema).toMatchObject({
    type: 'object',
    oneOf: [{ required: ['kind', 'last4'] }, { required: ['kind', 'cents'] }],
  });
  expect(firstText(await tool.call({ kind: 'card', last4: '1234' }, deps, context()))).toBe('****1234');
  expect(firstText(await tool.call({ kind: 'cash', cents: '5' }, deps, context()))).toBe('5.00');
});

const fail = (error: unknown) =>
  defineTool({
    ...described('fail'),
    run: () => {
      throw error;
    },
  });

test.each([
  [
    { error: 'Gone', code: 'NOT_FOUND', hint: 'Look again.' },
    ['{"error":"Gone","code":"NOT_FOUND","hint":"Look again."}'],
  ],
  [
    { exactly: { error: 'Task not found', task_id: 3 }, next: 'List them.' },
    ['{"error":"Task not found","task_id":3}', 'List them.'],
  ],
  [{ exactly: 'Cannot show popup' }, ['Cannot show popup']],
])('the UserError %j is answered with its text blocks', async (failure, blocks) => {
  const answer = await fail(new UserError(failure)).call({}, deps, context());
  expect(answer).toStrictEqual({ content: blocks.map(textBlock), isError: true });
});

test('a UserError of another copy of core is recognized', async () => {
  const foreign = Object.assign(new Error('x'), {
    [Symbol.for('deskside.UserError')]: true,
    failure: { exactly: 'theirs' },
  });
  expect(await fail(foreign).call({}, deps, context())).toMatchObject({ content: [textBlock('theirs')] });
});

test.each([new Error('SELECT secret FROM /etc'), 'a string', undefined])(
  'the unexpected error %s is hidden from the model and logged',
  async (defect) => {
    const lines: string[] = [];
    const answer = await fail(defect).call(
      {},
      deps,
      context((line) => lines.push(line)),
    );
    expect(answer).toStrictEqual({
      content: [textBlock('{"error":"Internal error","code":"INTERNAL"}')],
      isError: true,
      _meta: { 'deskside/correlation_id': 'c-1' },
    });
    expect(JSON.parse(lines.join(''))).toMatchObject({ level: 'error', tool: 'fail', correlationId: 'c-1' });
    if (defect instanceof Error) expect(lines.join('')).toContain('SELECT secret');
  },
);
