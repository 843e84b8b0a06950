import { globSync, readFileSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { expect, test } from 'vitest';
import { products, root, servers } from '../workspace.ts';
import { folderCircles } from './circles.ts';
import { sources } from './sources.ts';

const MAX_LINES = 400;
/** Exclusive. */
const MAX_CLI_LINES = 15;
const MAX_DOMAIN_FOLDERS = 6;

const OTHER_FOLDERS = new Set(['commands', 'prompts', 'resources', 'testing', 'tools']);

const fromSrc = (path: string) => path.slice(path.indexOf('/src/') + '/src/'.length);

test('the scan finds sources of every product', () => {
  const owners = new Set(sources.map(({ owner }) => owner.name));
  expect([...owners]).toEqual(products.map(({ name }) => name));
  expect(servers.map(({ name }) => name)).toContain('@deskside/ui-toast');
});

test(`no product source has more than ${MAX_LINES} lines`, () => {
  const long = sources.filter(({ lines }) => lines > MAX_LINES);
  expect(long.map(({ path, lines }) => `${path}: ${lines}`)).toEqual([]);
});

test.each(products)('the folders of $name are layers without circles', ({ name }) => {
  const own = sources.filter(({ owner }) => owner.name === name);
  const modules = own.map(({ path, imports }) => ({
    path: fromSrc(path),
    imports: imports.filter((target) => target.includes('/src/')).map(fromSrc),
  }));
  expect(folderCircles(modules).join('\n')).toBe('');
});

/** A server has a tool and what it computes under one name, in two folders. */
const named = products.filter(
  ({ name }) => name !== '@deskside/toaster' && !servers.some((one) => one.name === name),
);

function exportedTypes(path: string): string[] {
  const text = readFileSync(join(root, path), 'utf8');
  return [...text.matchAll(/^export (?:abstract )?(?:interface|type|class) (\w+)/gm)].map(
    ([, name]) => name ?? '',
  );
}

function repeated(names: readonly string[]): string[] {
  return names.filter((name, index) => names.indexOf(name) !== index);
}

test.each(named)('a file and an exported type of $name have a name of their own', ({ name }) => {
  const own = sources.filter(({ owner }) => owner.name === name).map(({ path }) => path);
  const files = own.map((path) => basename(path)).filter((file) => file !== 'index.ts');
  expect(repeated(files)).toEqual([]);
  expect(repeated(own.flatMap(exportedTypes))).toEqual([]);
});

test.each(servers)('$name has tools, few domain folders and a short cli.ts', ({ directory }) => {
  const folders = globSync('src/*/', { cwd: directory }).map((folder) => basename(folder));
  expect(folders).toContain('tools');
  const domain = folders.filter((folder) => !OTHER_FOLDERS.has(folder));
  expect(domain.slice(MAX_DOMAIN_FOLDERS)).toEqual([]);
  const cli = sources.find(({ path }) => path === relative(root, join(directory, 'src/cli.ts')));
  expect(cli?.lines).toBeLessThan(MAX_CLI_LINES);
});

/** As the formatter writes them: a block that has only a comment is longer. */
const SILENT = /\.catch\(\(\) => (?:undefined|\{\})\)|\bcatch (?:\(\w+\) )?\{\}/;
const COMMENT = /\/\/|\*\//;
/** `now` is a clock's function or its `Date`: a number would not say on which clock, and in which unit. */
const NUMERIC_NOW =
  /\bnow\??(?:\(\))?: (?:\(\) => )?number|\bnow(?:: number)? = (?:\(\) => )?(?:Date|performance)\.now\b/;

test('each silent catch has a comment that says why, and nothing that is called now is a number', () => {
  const found = sources.flatMap(({ path }) =>
    readFileSync(join(root, path), 'utf8')
      .split('\n')
      .flatMap((line, index, lines) => {
        const isSilent = SILENT.test(line) && !COMMENT.test(line) && !COMMENT.test(lines[index - 1] ?? '');
        return isSilent || NUMERIC_NOW.test(line) ? [`${path}:${index + 1}: ${line.trim()}`] : [];
      }),
  );
  expect(found).toEqual([]);
});
