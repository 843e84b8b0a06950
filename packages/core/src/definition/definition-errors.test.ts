import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import * as mini from 'zod/mini';
import * as zod3 from 'zod/v3';
import * as zod4 from 'zod-3/v4';
import { promptDefiner } from './prompt.ts';
import { defineServer, type ServerSpec } from './server.ts';
import { toolDefiner, type ToolOutput } from './tool.ts';
import { described } from '../testing/described.ts';

const defineTool = (given: { name?: string; input?: z.ZodObject; output?: ToolOutput }) =>
  toolDefiner<undefined>()({
    ...described('add'),
    run: (): never => {
      throw new Error('not called');
    },
    ...given,
  });

const definePrompt = (name: string, args: z.ZodObject = z.object({}), complete = {}) =>
  promptDefiner<undefined>()({
    name,
    title: 'Prompt',
    description: 'Prompt',
    arguments: args,
    complete,
    run: () => '',
  });

const serve = (given: Partial<ServerSpec<undefined>>) =>
  defineServer({ name: 'x', version: '1', deps: undefined, ...given });

const JSON_SCHEMA = 'cannot be represented in JSON Schema.';

const ASYNCHRONOUS = 'Asynchronous checks and transforms are not supported.';

describe('toolDefiner rejects an input', () => {
  test.each<[string, z.ZodType, string]>([
    ['a date with a limit', z.date().min(new Date(0)), `Date ${JSON_SCHEMA}`],
    ['z.custom()', z.custom(), `Custom types ${JSON_SCHEMA}`],
    ['a transform without an input schema', z.transform(String), `Transforms ${JSON_SCHEMA}`],
    ['an asynchronous refinement', z.string().refine(async () => true), ASYNCHRONOUS],
    ['an asynchronous transform', z.string().transform(async (id) => id), ASYNCHRONOUS],
    [
      'an asynchronous codec',
      z.codec(z.string(), z.int(), { decode: async () => 1, encode: () => '1' }),
      ASYNCHRONOUS,
    ],
  ])('with %s, and names tool and field', (_, field, problem) => {
    expect(() => defineTool({ input: z.object({ field }) })).toThrow(
      `Tool "add": input "field" cannot work: ${problem}`,
    );
    const inner = z.union([z.int(), z.lazy(() => z.array(z.object({ inner: field.optional() })))]);
    expect(() => defineTool({ input: z.object({ outer: inner }) })).toThrow(
      `Tool "add": input "outer.inner" cannot work: ${problem}`,
    );
  });

  test('that is refined asynchronously, and names the tool', () => {
    const input = z.object({ a: z.string() }).refine(async () => true);
    expect(() => defineTool({ input })).toThrow('Tool "add": input cannot work: Asynchronous');
  });
});

test('toolDefiner rejects an input that is not an object schema', () => {
  // @ts-expect-error -- the types reject it too
  expect(() => defineTool({ input: z.array(z.string()) })).toThrow(
    'Tool "add": input must be an object schema, or a discriminated union of them.',
  );
});

describe('toolDefiner rejects the output', () => {
  test.each([
    ['a string', z.string()],
    ['a record', z.record(z.string(), z.int())],
    ['a union with a string', z.union([z.object({}), z.string()])],
    ['an optional object', z.object({}).optional()],
    ['a read-only array', z.array(z.int()).readonly()],
  ])('%s, and names the tool', (_, output) => {
    // @ts-expect-error -- the types reject it too
    expect(() => defineTool({ output })).toThrow(
      'Tool "add": output must be an object schema, a union of object schemas or an array schema.',
    );
  });

  test.each<[string, z.ZodType, string]>([
    ['a date', z.date(), `Date ${JSON_SCHEMA} Use z.codec(z.iso.datetime()`],
    [
      'a transform',
      z.string().transform(Number),
      'It has a transform without an inverse. Use z.codec(), or change the value in run().',
    ],
    ['a prefault', z.string().prefault('x'), 'It has a prefault'],
    ['a coercion', z.coerce.string(), 'It has a coercion'],
    ['a fallback', z.string().catch('x'), 'It has a fallback'],
    [
      'a union of objects that cannot be told apart',
      z.array(z.union([z.object({ a: z.int() }), z.object({ b: z.int() }).optional()])),
      'A union of objects needs a discriminator or strict members. Use z.discriminatedUnion() or z.strictObject().',
    ],
  ])('with %s, and names the field', (_, field, problem) => {
    expect(() => defineTool({ output: z.array(z.object({ field })) })).toThrow(
      `Tool "add": output "field" cannot work: ${problem}`,
    );
  });
});

test('toolDefiner accepts objects, unions of objects and arrays as output', () => {
  const ok = z.strictObject({ kind: z.literal('ok') });
  const none = z.object({ kind: z.literal('none') });
  for (const output of [
    ok,
    z.array(z.string()),
    z.union([ok, z.strictObject({ kind: z.literal('none') })]),
    z.discriminatedUnion('kind', [ok, z.discriminatedUnion('kind', [none])]),
    ok.refine(() => true).meta({ title: 'Answer' }),
  ] as const) {
    expect(defineTool({ output }).name).toBe('add');
  }
});

describe('names', () => {
  test.each(['', 'two words', 'a/b', 'ä', 'x'.repeat(129), 'a\n'])(
    'the tool and prompt name %j is rejected',
    (name) => {
      const message = 'has an invalid name. Use 1 to 128 letters';
      expect(() => defineTool({ name })).toThrow(`Tool ${JSON.stringify(name)} ${message}`);
      expect(() => definePrompt(name)).toThrow(`Prompt ${JSON.stringify(name)} ${message}`);
      expect(() => serve({ tools: [{ ...defineTool({}), name }] })).toThrow(message);
    },
  );

  test.each(['a', 'A.b-c_9', 'x'.repeat(128)])('the tool and prompt name %j is accepted', (name) => {
    expect(defineTool({ name }).name).toBe(name);
    expect(definePrompt(name).name).toBe(name);
  });

  test('two tools, prompts, resources or templates with one name or URI are rejected', () => {
    const resource = { uri: 'x://1', name: 'one', read: () => '' };
    const template = { uriTemplate: 'x://{id}', name: 'x', read: () => '' };
    const { tools, prompts } = { tools: [defineTool({})], prompts: [definePrompt('ask')] };
    expect(() => serve({ tools: [...tools, ...tools] })).toThrow(
      'Two tools have the name "add". Change one.',
    );
    expect(() => serve({ prompts: [...prompts, ...prompts] })).toThrow('Two prompts have the name "ask".');
    expect(() => serve({ resources: [resource, { ...resource, name: 'two' }] })).toThrow(
      'Two resources have the URI "x://1".',
    );
    expect(() => serve({ templates: [template, template] })).toThrow(
      'Two resource templates have the URI "x://{id}".',
    );
  });

  test.each(['', 'list', '/list', '://x', 'x y://a'])('the resource URI %j is rejected', (uri) => {
    expect(() => serve({ resources: [{ uri, name: 'x', read: () => '' }] })).toThrow(
      `Resource ${JSON.stringify(uri)} has an invalid URI.`,
    );
  });

  test('a resource or template without a name, and a template that cannot be parsed, are rejected', () => {
    expect(() => serve({ resources: [{ uri: 'x://1', name: '', read: () => '' }] })).toThrow(
      'Resource x://1 has no name.',
    );
    expect(() => serve({ templates: [{ uriTemplate: 'x://{id}', name: '', read: () => '' }] })).toThrow(
      'Resource template x://{id} has no name.',
    );
    expect(() => serve({ templates: [{ uriTemplate: 'x://{id', name: 'x', read: () => '' }] })).toThrow(
      'Resource template "x://{id" has an invalid URI.',
    );
  });
});

describe('prompts', () => {
  test('an argument that no string can be is rejected by name', () => {
    expect(() => definePrompt('ask', z.object({ count: z.number().optional() }))).toThrow(
      'Prompt "ask": argument "count" cannot work: it must be of type number, but prompt arguments are strings.',
    );
    expect(() => definePrompt('ask', z.object({ at: z.date() }))).toThrow(
      `Prompt "ask": argument "at" cannot work: Date ${JSON_SCHEMA}`,
    );
    const accepted = z.object({
      count: z.coerce.number().optional(),
      tone: z.enum(['calm', 'loud']),
      size: z.preprocess(Number, z.int()).optional(),
    });
    expect(definePrompt('ask', accepted).arguments).toHaveLength(3);
  });

  test('a completer of an argument or variable that does not exist is rejected by name', () => {
    const complete = { topik: () => [] };
    expect(() => definePrompt('ask', z.object({ topic: z.string() }), complete)).toThrow(
      'Prompt "ask" completes "topik", which it does not have. It has: topic.',
    );
    expect(() =>
      serve({ templates: [{ uriTemplate: 'x://{topic}', name: 'x', read: () => '', complete }] }),
    ).toThrow('Resource template x://{topic} completes "topik", which it does not have. It has: topic.');
  });
});

/** Types refuse them, too. */
const untyped = (schema: unknown) => schema as z.ZodObject;

describe('a schema of another version of Zod is rejected with the version to install', () => {
  const { major, minor } = z.core.version;
  const problem = (version: string) =>
    `cannot work: It is a schema of Zod ${version}. Install one version for all packages: npm install zod@^${major}.${minor}.0.`;
  const three = zod3.object({ when: zod3.string() });
  const copy = zod4.object({ when: zod4.string() });

  test('Zod 3, as the input, as a field, as the output and in a prompt', () => {
    expect(() => defineTool({ input: untyped(three) })).toThrow(`Tool "add": input ${problem('3')}`);
    const field = z.object({ filter: z.object({ when: untyped(zod3.string()) }) });
    expect(() => defineTool({ input: field })).toThrow(`Tool "add": input "filter.when" ${problem('3')}`);
    expect(() => defineTool({ output: untyped(three) })).toThrow(`Tool "add": output ${problem('3')}`);
    expect(() => definePrompt('ask', untyped(three))).toThrow(`Prompt "ask": argument ${problem('3')}`);
  });

  test('a second copy of Zod 4', () => {
    expect(() => defineTool({ input: untyped(copy) })).toThrow(`Tool "add": input ${problem('4.0')}`);
    const field = z.object({ list: z.array(untyped(zod4.string())) });
    expect(() => defineTool({ output: field })).toThrow(`Tool "add": output "list" ${problem('4.0')}`);
  });

  test('zod/mini of the same version is no other version', () => {
    expect(() => defineTool({ input: untyped(mini.object({ when: mini.string() })) })).not.toThrow();
  });

  test.each([undefined, null, 'text', { when: z.string() }])('%j is no schema', (input) => {
    expect(() => defineTool({ input: untyped(input) })).toThrow(
      'Tool "add": input cannot work: It is not a Zod schema.',
    );
  });
});

test('a schema that contains itself is rejected with the field that cannot work', () => {
  const task = z.object({
    get subtasks() {
      return z.array(task).optional();
    },
    due: z.date(),
  });
  expect(() => defineTool({ input: task })).toThrow(
    `Tool "add": input "due" cannot work: Date ${JSON_SCHEMA}`,
  );
});
