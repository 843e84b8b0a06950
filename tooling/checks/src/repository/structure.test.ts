import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, test } from 'vitest';
import { products, root, servers } from '../workspace.ts';
import { folderCircles } from './circles.ts';
import { sources } from './sources.ts';

test.each(products)('the folders of $name are layers without circles', ({ name }) => {
  const own = sources.filter(({ owner }) => owner.name === name);
  expect(folderCircles(own).join('\n')).toBe('');
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
