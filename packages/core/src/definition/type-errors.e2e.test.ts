import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

const folder = join(import.meta.dirname, '../../.cache/type-errors');
const { resolve } = createRequire(import.meta.url);
// The build of this package names its compiler by path: `tsc` is the one of TypeScript 5 here.
const compilers = { 'TypeScript 5.9': 'typescript-5', 'TypeScript 7': 'typescript' };
const declarations = join(import.meta.dirname, '../../dist/index.d.ts');

const prelude = `
import { defineServer, reply, toolDefiner } from '@deskside/core';
import { z } from 'zod';
const defineTool = toolDefiner<{ readonly names: string[] }>();
const annotations = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false };
const common = { name: 'a', title: 'A', description: 'A', annotations, input: z.object({ id: z.int() }) };
`;

/** One wrong program per line, and what the first line of its error contains. */
const programs: readonly (readonly [mistake: string, code: string, message: string])[] = [
  [
    'a result of the SDK',
    `export const t = defineTool({ ...common, run: () => ({ content: [{ type: 'text', text: 'x' }] }) });`,
    'A tool without an output schema returns a text or an array of content blocks.',
  ],
  [
    'a missing field in one branch',
    `export const t = defineTool({ ...common, output: z.object({ n: z.int(), s: z.string() }), run: ({ id }) => (id > 1 ? { n: 1 } : { n: 2, s: 'x' }) });`,
    'The answer lacks the field s.',
  ],
  [
    'a literal that the schema does not have',
    `export const t = defineTool({ ...common, output: z.object({ s: z.enum(['a']) }), run: () => ({ s: 'b' }) });`,
    'Type \'"b"\' is not assignable to type \'"a"\'.',
  ],
  [
    'a missing field in a member of a union',
    `export const t = defineTool({ ...common, output: z.discriminatedUnion('kind', [z.object({ kind: z.literal('ok'), n: z.int() }), z.object({ kind: z.literal('none') })]), run: () => ({ kind: 'ok' }) });`,
    'The answer lacks the field n.',
  ],
  [
    'an output schema of a text',
    `export const t = defineTool({ ...common, output: z.string(), run: () => 'x' });`,
    'The output must be an object schema, a union of object schemas or an array schema. Omit it for texts and images.',
  ],
  [
    'an input schema of a text',
    `export const t = defineTool({ ...common, input: z.string(), run: () => 'x' });`,
    'The input must be an object schema, such as z.object({}), or a discriminated union of them.',
  ],
  [
    'an input schema of Zod 3',
    `import { z as old } from 'zod/v3'; export const t = defineTool({ ...common, input: old.object({ a: old.string() }), run: () => 'x' });`,
    'The schema is of another version of Zod. Install one for all packages: npm install zod@^4.',
  ],
  [
    'an output schema of a second copy of Zod 4',
    `import { z as old } from 'zod-3/v4'; export const t = defineTool({ ...common, output: old.object({ a: old.string() }), run: () => ({ a: 'x' }) });`,
    'The schema is of another version of Zod. Install one for all packages: npm install zod@^4.',
  ],
  [
    'a misspelt argument',
    `export const t = defineTool({ ...common, run: ({ idd }) => String(idd) });`,
    "Property 'idd' does not exist on type '{ id: number; }'.",
  ],
  [
    'missing annotations',
    `export const t = defineTool({ ...common, annotations: { readOnlyHint: true }, run: () => 'x' });`,
    "is missing the following properties from type 'ToolAnnotations': destructiveHint, idempotentHint, openWorldHint",
  ],
  [
    'a missing part of the dependencies',
    `export const s = defineServer({ name: 's', version: '1', deps: { name: '' }, tools: [defineTool({ ...common, run: () => 'x' })] });`,
    "is not assignable to type 'Tool<",
  ],
];

const right = `
const at = z.codec(z.iso.datetime(), z.date(), { decode: (text) => new Date(text), encode: (date) => date.toISOString() });
const seats = z.array(z.object({ row: z.literal('A') })).optional();
const booking = z.object({ status: z.enum(['booked', 'cancelled']), seats });
const readOnly: readonly { readonly row: 'A' }[] = [{ row: 'A' }];
export const t = [
  defineTool({ ...common, run: () => 'x' }),
  defineTool({ ...common, run: () => [{ type: 'text', text: 'x' }] }),
  defineTool({ ...common, output: z.object({ at, n: z.int() }), run: async () => ({ at: new Date(), n: 1, extra: true }) }),
  defineTool({ ...common, output: z.object({ n: z.int(), s: z.enum(['a', 'b']).default('a') }), run: () => ({ n: 1 }) }),
  defineTool({ ...common, output: z.array(z.object({ n: z.int() })), run: () => [{ n: 1 }] }),
  defineTool({
    ...common,
    output: booking,
    async run({ id }) {
      if (id === 1) return { status: 'cancelled' };
      return id > 1 ? reply({ status: 'booked' }, {}) : { status: 'booked', seats: [{ row: 'A' }] };
    },
  }),
  defineTool({ ...common, output: booking, run: () => ({ status: 'booked', seats: readOnly }) }),
];
export const server = defineServer({ name: 's', version: '1', deps: { names: [] }, tools: t });
const a = toolDefiner<{ readonly a: string }>()({ ...common, name: 'a', run: (_, { a }) => a });
const b = toolDefiner<{ readonly b: number }>()({ ...common, name: 'b', run: (_, { b }) => String(b) });
export const parts = defineServer({ name: 's', version: '1', deps: { a: '', b: 1 }, tools: [a, b] });
export const chosen = defineServer({ name: 's', version: '1', deps: { a: '', b: 1 }, tools: ({ b: n }) => (n > 0 ? [a, b] : [a]) });
`;

beforeAll(() => {
  mkdirSync(folder, { recursive: true });
  const files = [...programs.map(([, code]) => code), right];
  for (const [index, code] of files.entries()) writeFileSync(join(folder, `${index}.ts`), prelude + code);
  const compilerOptions = {
    noEmit: true,
    strict: true,
    exactOptionalPropertyTypes: true,
    skipLibCheck: true,
    target: 'es2023',
    lib: ['es2024', 'esnext.disposable'],
    module: 'nodenext',
    types: ['node'],
    // The declarations as they are published.
    paths: { '@deskside/core': [declarations] },
  };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.ts'] }));
});

afterAll(() => rmSync(folder, { recursive: true }));

describe.each(Object.entries(compilers))('%s', (_, library) => {
  let output = '';
  beforeAll(() => {
    const tsc = join(dirname(resolve(`${library}/package.json`)), 'bin/tsc');
    ({ stdout: output } = spawnSync(process.execPath, [tsc, '-p', folder, '--pretty', 'false'], {
      encoding: 'utf8',
    }));
  });

  const linesOf = (index: number) =>
    output.split('\n').filter((line) => new RegExp(String.raw`(?:^|[/\\])${index}\.ts\(`).test(line));

  test.each(programs.map(([mistake, , message], index) => [mistake, message, index] as const))(
    'the first line of the error names %s',
    (_mistake, message, index) => {
      expect(linesOf(index)[0]).toContain(message);
    },
  );

  test('right programs compile', () => {
    expect(linesOf(programs.length)).toStrictEqual([]);
  });
});
