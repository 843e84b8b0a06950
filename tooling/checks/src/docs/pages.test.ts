import { execFileSync } from 'node:child_process';
import { globSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { publicExports, products, root } from '../workspace.ts';

const page = ['docs/core.md', 'docs/core-reference.md']
  .map((file) => readFileSync(join(root, file), 'utf8'))
  .join('');
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

test('a page names every entry of core, and each function, class and constant of all but /internal', () => {
  const core = products.find(({ name }) => name === '@deskside/core');
  const subpaths = Object.keys(core === undefined ? {} : publicExports(core.manifest));
  expect(entries.map(({ entry }) => entry)).toEqual(
    subpaths.filter((path) => path !== './package.json').map((path) => join('@deskside/core', path)),
  );
  expect(entries.filter(({ entry }) => !page.includes(`\`${entry}\``))).toEqual([]);
  const names = entries.flatMap((each) => (each.entry === '@deskside/core/internal' ? [] : each.names));
  expect(names.length).toBeGreaterThan(100);
  expect(names.filter((name) => !hasWord(prose, name))).toEqual([]);
});

const MAX_WORDS = 900;
const MAX_RECORDING_BYTES = 1_500_000;
const README = readFileSync(join(root, 'README.md'), 'utf8');

test(`README has at most ${MAX_WORDS} words, and no placeholder of a name`, () => {
  expect(README.split(/\s+/).length).toBeLessThanOrEqual(MAX_WORDS);
  expect(README).not.toMatch(/OWNER|NAME\b/);
});

test('README begins with a sentence, a recording and the specifications', () => {
  const [, , recording = '', specifications = ''] = README.split('\n\n');
  const files = [...recording.matchAll(/docs\/pictures\/[\w-]+\.webp/g)].map(([path]) => path);
  expect(files).toHaveLength(2);
  for (const file of files) expect(statSync(join(root, file)).size).toBeLessThanOrEqual(MAX_RECORDING_BYTES);
  expect(specifications).toContain('(docs/conformance.md)');
});

test('each page of a decision is named by the source file that it explains, and no other is named', () => {
  const pages = globSync('[0-9]*.md', { cwd: join(root, 'docs/decisions') }).map((name) => name.slice(0, 4));
  const args = ['grep', '--untracked', '-hoE', 'docs/decisions/[0-9]{4}', '--', '*.ts', '*.js', '*.mjs'];
  const named = execFileSync('git', args, { cwd: root, encoding: 'utf8' }).match(/\d{4}$/gm);
  expect(pages.toSorted()).toEqual([...new Set(named)].toSorted());
});
