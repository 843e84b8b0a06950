import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { publicExports, products, root } from '../workspace.ts';
import { exampleFiles } from './examples.ts';

const first = readFileSync(join(root, 'docs/core.md'), 'utf8');
const page = first + readFileSync(join(root, 'docs/core-reference.md'), 'utf8');
const prose = page.replaceAll(/^```[^]*?^```/gm, '');

/** The exports of each entry, from the file that a test compares with the declarations. */
const entries = readFileSync(join(root, 'tooling/checks/exports/core.txt'), 'utf8')
  .split(/^## /m)
  .slice(1)
  .map((section) => ({
    entry: section.slice(0, section.indexOf('\n')),
    names: [...section.matchAll(/^export (?:(?:const|function|class) )?(?!type |interface )(\w+)/gm)].flatMap(
      ([, name]) => name ?? [],
    ),
  }));

function hasWord(text: string, word: string): boolean {
  return new RegExp(`(?<![\\w$])${word}(?![\\w$])`).test(text);
}

test('each link of README and guide leads to a file of the package', () => {
  const core = join(root, 'packages/core');
  const broken = ['README.md', 'docs/core.md', 'docs/core-reference.md'].flatMap((file) => {
    const links = readFileSync(join(core, file), 'utf8').matchAll(/\]\((?!https:|#)([^)#]+)[^)]*\)/g);
    const targets = [...links].map(([, target = '']) => join(file, '..', target));
    return targets.filter((target) => !/^docs\/[^/]+$/.test(target) || !existsSync(join(core, target)));
  });
  expect(broken).toEqual([]);
});

test('the exports of every entry are found', () => {
  const core = products.find(({ name }) => name === '@deskside/core');
  const subpaths = Object.keys(core === undefined ? {} : publicExports(core.manifest));
  expect(entries.map(({ entry }) => entry)).toEqual(
    subpaths.filter((path) => path !== './package.json').map((path) => join('@deskside/core', path)),
  );
  expect(entries.flatMap(({ names }) => names).length).toBeGreaterThan(100);
});

/** For two programs of the family: named, without a reference. */
const INTERNAL = '@deskside/core/internal';

describe.each(entries)('$entry', ({ entry, names }) => {
  test('a page names the entry', () => {
    expect(page).toContain(`\`${entry}\``);
  });

  test.skipIf(entry === INTERNAL)('a page names every function, class and constant', () => {
    expect(names.filter((name) => !hasWord(prose, name))).toEqual([]);
  });
});

test('the first page has at most 200 lines', () => {
  expect(first.split('\n').length).toBeLessThanOrEqual(200);
});

test('the pages show or link every file of tooling/examples/src, and no other', () => {
  const shown = [...page.matchAll(/^<!-- ([^/\s]+\.ts) -->$|\(\.\.\/tooling\/examples\/src\/([^)]+)\)/gm)];
  expect(shown.map(([, section, link = '']) => section ?? link).toSorted()).toEqual(exampleFiles);
  expect(exampleFiles.length).toBeGreaterThan(5);
});
