import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { publicExports, products, root } from '../workspace.ts';
import { exampleFiles } from './examples.ts';

const page = readFileSync(join(root, 'docs/core.md'), 'utf8');
const code = [...page.matchAll(/^```ts\n([^]*?)^```/gm)].map(([, text]) => text).join('\n');
const prose = page.replaceAll(/^```[^]*?^```/gm, '');

/** The exports of each entry, from the file that a test compares with the declarations. */
const entries = readFileSync(join(root, 'tooling/checks/exports/core.txt'), 'utf8')
  .split(/^## /m)
  .slice(1)
  .map((section) => ({
    entry: section.slice(0, section.indexOf('\n')),
    names: [...section.matchAll(/^export (?:(?:const|function|class|type|interface) )?(\w+)/gm)].map(
      ([line, name = '']) => ({ name, isType: /^export (?:type|interface) /.test(line) }),
    ),
  }));

function hasWord(text: string, word: string): boolean {
  return new RegExp(`(?<![\\w$])${word}(?![\\w$])`).test(text);
}

test('the exports of every entry are found', () => {
  const core = products.find(({ name }) => name === '@deskside/core');
  const subpaths = Object.keys(core === undefined ? {} : publicExports(core.manifest));
  expect(entries.map(({ entry }) => entry)).toEqual(
    subpaths.filter((path) => path !== './package.json').map((path) => join('@deskside/core', path)),
  );
  expect(entries.flatMap(({ names }) => names).length).toBeGreaterThan(100);
});

/** For two programs of the family: named, without a reference. */
const INTERNAL = '@deskside/core/desk';

/** For programs of the family: named in the reference, without examples. */
const WITHOUT_EXAMPLES = new Set(['@deskside/core/base', INTERNAL]);

describe.each(entries)('$entry', ({ entry, names }) => {
  test('docs/core.md names the entry', () => {
    expect(page).toContain(`\`${entry}\``);
  });

  test.skipIf(entry === INTERNAL)('the text of docs/core.md names every export', () => {
    expect(names.filter(({ name }) => !hasWord(prose, name)).map(({ name }) => name)).toEqual([]);
  });

  test.skipIf(WITHOUT_EXAMPLES.has(entry))(
    'an example in docs/core.md uses every function, class and constant',
    () => {
      const values = names.filter(({ isType }) => !isType);
      expect(values.filter(({ name }) => !hasWord(code, name)).map(({ name }) => name)).toEqual([]);
    },
  );
});

test('docs/core.md shows every file of tooling/examples/src, and no other', () => {
  const shown = [...page.matchAll(/^<!-- ([^/\s]+\.ts) -->$/gm)].flatMap(([, name]) => name ?? []);
  expect(shown.toSorted()).toEqual(exampleFiles);
  expect(exampleFiles.length).toBeGreaterThan(10);
});
