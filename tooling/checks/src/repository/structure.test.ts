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
