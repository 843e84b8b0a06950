import { existsSync, globSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '../../..');
const servers = globSync('packages/*/src/cli.ts', { cwd: ROOT }).map((file) => dirname(dirname(file)));

/** What a start over stdio loads: the program, and what it imports before the first call. */
const STARTS: readonly (readonly [string, readonly string[]])[] = [
  ...servers.map(
    (folder) =>
      [folder, [entryOf(folder), 'serve-????????.js', 'server-*.js', `${basename(folder)}-*.js`]] as const,
  ),
  ['apps/aggregator', ['main.js', 'stdio-*.js']],
];

/** Found in every bin, so that a test of modules that are absent cannot pass without modules. */
const PRESENT = [
  'zod/v4/core/core.js',
  '@modelcontextprotocol/server/dist/stdio.mjs',
  'core/src/serving/serve.ts',
];

/** Servers whose lists are data. */
const recorded = servers.map((folder) => basename(folder)).filter((id) => id !== 'log-notify');

/** Each of these would cost milliseconds of every start. */
const ABSENT = [
  // All of Zod, as `import { z } from 'zod'` brings it: write `import * as z from 'zod'`.
  /^zod\/v4\/classic\/from-json-schema\.js$/,
  /^zod\/v4\/locales\/(?!en\.js|index\.js)/,
  // The schemas of OAuth messages are in each start until a start no longer loads the SDK.
  /^@modelcontextprotocol\/client/,
  /^(?:hono|@hono|ajv|pg|drizzle-orm|jimp|@jimp|smol-toml|liquidjs|micromark)\b/,
  /^core\/src\/serving\/http\//,
  // What the desk lists of a mount is recorded, if it does not depend on a configuration.
  new RegExp(`^(?:${recorded.join('|')})/src/`),
];

/** One per public subpath, and what they share: Node.js loads many small files slowly. */
const MAX_CORE_FILES = 32;
/** Two entries; the kernel and what serves it, each with and without the SDK; errors, texts, and helpers of the bundler. */
const MAX_CORE_FILES_OF_START = 9;
const coreFolder = join(ROOT, 'packages/core/dist');

/** Modules of Node.js that most starts do not use, see lazy-builtins.ts. */
const LAZY_BUILTINS =
  /^import .*"node:(?:async_hooks|child_process|crypto|events|fs|fs\/promises|http|https|module|net|os|path|process|readline|timers\/promises|url|util)"/m;

/** The first use of the global `performance` loads `node:perf_hooks`. */
const PERFORMANCE = /\bperformance\./;

describe.each(STARTS)('a start of %s', (folder, entries) => {
  const files = filesOfStart(join(ROOT, folder, 'dist/bin'), entries);
  const modules = [...files.values()].flatMap(modulesOf);

  test('contains no module that only HTTP, a later call or another program needs', () => {
    expect(modules).toEqual(expect.arrayContaining(PRESENT));
    expect(modules.filter((module) => ABSENT.some((absent) => absent.test(module)))).toEqual([]);
  });

  test('imports no module of Node.js that it does not use', () => {
    const loading = [...files].filter(([, code]) => LAZY_BUILTINS.test(code)).map(([file]) => file);
    expect(loading).toEqual([]);
  });
});

describe('core as installed', () => {
  const files = filesOfStart(coreFolder, ['index.js', 'serving/index.js']);

  test('is published in few files, of which a server loads even fewer', () => {
    const all = globSync('**/*.js', { cwd: coreFolder });
    expect(all).toContain('index.js');
    expect(all.length).toBeLessThanOrEqual(MAX_CORE_FILES);
    expect(files.size).toBeLessThanOrEqual(MAX_CORE_FILES_OF_START);
  });

  test('loads no module that only requests over HTTP need, and none of Node.js that it does not use', () => {
    const modules = [...files.values()].flatMap(modulesOf);
    expect(modules).toContain('src/serving/serve.ts');
    expect(modules.filter((module) => /http\/(?:endpoint|session|serve-http)/.test(module))).toEqual([]);
    const kernel = [...filesOfStart(coreFolder, ['index.js']).values()].flatMap(modulesOf);
    expect(kernel).toContain('src/truncation.ts');
    expect(kernel.filter((module) => /^src\/(?:serving|program)\//.test(module))).toEqual([]);
    const loading = [...files].filter(([, code]) => LAZY_BUILTINS.test(code) || PERFORMANCE.test(code));
    expect(loading.map(([file]) => file)).toEqual([]);
  });

  test('does not load the schemas of all messages, which only errors need', () => {
    const loading = [...files].filter(([, code]) => code.includes('"@modelcontextprotocol/core"'));
    expect(loading.map(([file]) => file)).toEqual([]);
  });
});

function entryOf(folder: string): string {
  return existsSync(join(ROOT, folder, 'dist/bin/main.js')) ? 'main.js' : 'cli.js';
}

/** Files of a built bin that these entries import statically, with their code. `pnpm run build` writes them. */
function filesOfStart(bin: string, entries: readonly string[]): Map<string, string> {
  const files = new Map<string, string>();
  const read = (file: string) => {
    if (files.has(file)) return;
    const code = readFileSync(join(bin, file), 'utf8');
    files.set(file, code);
    for (const [, imported = ''] of code.matchAll(/^(?:import|export|\}) ?.*"(\.[^"]+)";$/gm))
      read(join(dirname(file), imported));
  };
  for (const entry of entries) {
    const found = globSync(entry, { cwd: bin });
    if (found.length === 0) throw new Error(`${bin} has no ${entry}. Run pnpm run build.`);
    found.forEach(read);
  }
  return files;
}

/** The bundler writes a comment with its path above each module. */
function modulesOf(code: string): string[] {
  return [...code.matchAll(/^\/\/ (\S+\.(?:[jt]s|mjs))$/gm)].map(([, path = '']) =>
    path.replace(/^.*\/node_modules\//, '').replace(/^(?:\.\.\/)+(?:packages\/)?/, ''),
  );
}
