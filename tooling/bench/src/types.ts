import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '@deskside/checks/src/workspace.ts';
import type { Benchmark } from './benchmark.ts';

const TOOLS = 80;
const folder = join(import.meta.dirname, '../.cache/types');

/** Seven fields, nested, with a union. */
const schema = `z.object({ id: z.int(), name: z.string(), tags: z.array(z.string()), due: z.iso.date().optional(),
  state: z.enum(['open', 'done']), owner: z.object({ name: z.string(), mail: z.email().optional() }),
  kind: z.union([z.object({ type: z.literal('a'), a: z.string() }), z.object({ type: z.literal('b'), b: z.number() })]) })`;
const args = '{ id, name, tags, state, owner, kind }';
const answer = '{ id, name, tags, state, owner: { name: owner.name }, kind }';
const annotations =
  '{ readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false }';
const about = `title: 'T', description: 'D', annotations: ${annotations}`;

const programs = {
  core: `import { toolDefiner } from '@deskside/core';
import { z } from 'zod';
const defineTool = toolDefiner<object>();
export const tools = [
${repeated((name) => `defineTool({ name: '${name}', ${about}, input: ${schema}, output: ${schema}, run: (${args}) => (${answer}) }),`)}
];`,
  sdk: `import { McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';
export const server = new McpServer({ name: 's', version: '1' });
${repeated(
  (
    name,
  ) => `server.registerTool('${name}', { ${about}, inputSchema: ${schema}, outputSchema: ${schema} }, (${args}) => {
  const structuredContent = ${answer};
  return { content: [{ type: 'text', text: JSON.stringify(structuredContent) }], structuredContent };
});`,
)}`,
};

export const types: Benchmark = {
  name: 'types',
  title: 'A check of types',
  method: `${TOOLS} tools with the same input and the same output of seven fields, with \`toolDefiner\` and with \`registerTool\` of \`McpServer\`. \`tsc --noEmit --skipLibCheck\`, its own count.`,
  async run() {
    mkdirSync(folder, { recursive: true });
    const core = instantiationsOf('core');
    const sdk = instantiationsOf('sdk');
    rmSync(folder, { recursive: true });
    const target = { atMost: 1.3 };
    return {
      numbers: { 'core, instantiations': core, 'the SDK, instantiations': sdk },
      ratios: [{ title: 'core to the SDK, instantiations', value: core / sdk, target }],
    };
  },
};

function repeated(lineOf: (name: string) => string): string {
  return Array.from({ length: TOOLS }, (_, index) => lineOf(`tool_${index}`)).join('\n');
}

/** @throws Error if the program does not compile */
function instantiationsOf(name: keyof typeof programs): number {
  writeFileSync(join(folder, `${name}.ts`), programs[name]);
  const compilerOptions = {
    noEmit: true,
    strict: true,
    skipLibCheck: true,
    target: 'es2023',
    lib: ['es2024', 'esnext.disposable'],
    module: 'nodenext',
    types: ['node'],
    // The declarations as they are published.
    paths: { '@deskside/core': [join(root, 'packages/core/dist/index.d.ts')] },
  };
  const config = join(folder, `${name}.json`);
  writeFileSync(config, JSON.stringify({ compilerOptions, files: [`${name}.ts`] }));
  const tsc = join(root, 'node_modules/typescript/bin/tsc');
  const printed = execFileSync(process.execPath, [tsc, '-p', config, '--extendedDiagnostics'], {
    encoding: 'utf8',
  });
  return Number(/^Instantiations:\s+(\d+)/m.exec(printed)?.[1]);
}
