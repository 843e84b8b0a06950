import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import { temporaryFolder } from '@deskside/core/testing';
import { parseSync } from 'oxc-parser';
import { expect, test } from 'vitest';
import { mutable } from './mutants.ts';

const SOURCE = `
export function first(texts: readonly string[], limit: 3 | 4 = 3): string {
  if (texts.length > limit) throw new Error('too many');
  for (const text of texts) {
    if (!text.startsWith('a') && text !== '') continue;
    console.log(text);
    return text ?? 'none';
  }
  return texts.map((text) => (text === '' ? 'empty' : text)).join();
}
`;

const { mutants, points, instrumented } = mutable('first.ts', SOURCE);

test('a mutant is valid, differs in one place, and names it', () => {
  expect(mutants.map(({ line, change }) => `${line} ${change}`)).toEqual([
    '2 3 becomes 4',
    '3 negated: texts.length > limit',
    '3 > becomes >=',
    '3 > becomes <=',
    "3 dropped: throw new Error('too many');",
    "5 negated: !text.startsWith('a') && text !== ''",
    '5 && becomes ||',
    '5 ! removed',
    '5 !== becomes ===',
    '5 dropped: continue;',
    '6 dropped: console.log(text);',
    "7 returns undefined: text ?? 'none'",
    '7 ?? becomes &&',
    "9 returns undefined: texts.map((text) => (text === '' ? 'empty' : text)).join()",
    "9 returns undefined: (text === '' ? 'empty' : text)",
    "9 negated: text === ''",
    '9 === becomes !==',
  ]);
  for (const { code } of mutants) {
    expect(code()).not.toBe(SOURCE);
    expect(parseSync('first.ts', code()).errors).toEqual([]);
  }
});

test('the instrumented source does the same and reports each statement and branch that runs', async () => {
  const code = stripTypeScriptTypes(instrumented((point) => `globalThis.hit(${point})`));
  const hits: number[] = [];
  Object.assign(globalThis, { hit: (point: number) => hits.push(point) });
  const { first } = (await import(`data:text/javascript,${encodeURIComponent(code)}`)) as {
    first: (texts: string[]) => string;
  };
  expect(first([])).toBe('');
  expect(hits).toEqual([0, 1, 2, 3]);
  expect(first(['b'])).toBe('b');
  // Not reached: the error, the log, the first return, and the texts 'none' and 'empty'.
  expect(new Set(hits).size).toBe(points - 5);
});

test('a file whose functions do not run is only loaded', () => {
  const { called, points } = mutable(
    'limits.ts',
    'const LIMIT = 3;\nexport const isLong = (n: number) => n > LIMIT;\n',
  );
  expect(points).toBe(3);
  expect(called).toEqual([2]);
});

test('a thread runs the replaced source of a module and reports each point once', async () => {
  using folder = temporaryFolder();
  const module = join(import.meta.dirname, 'mutants.ts');
  const source = 'const points: number[] = [7, 8, 7]; for (const point of points) globalThis.hit(point);';
  writeFileSync(join(folder.path, 'run.json'), JSON.stringify({ sources: { [module]: source } }));
  const preload = pathToFileURL(join(import.meta.dirname, 'preload.ts'));
  preload.searchParams.set('folder', folder.path);
  const thread = new Worker(module, { execArgv: ['--import', preload.href] });
  expect(await once(thread, 'exit')).toEqual([0]);
  expect(readFileSync(join(folder.path, 'hits'), 'utf8')).toBe('7\n8\n');
});
