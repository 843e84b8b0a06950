import { expect, test } from 'vitest';
import { packages, products } from './workspace.ts';

const servers = products
  .map(({ name }) => name)
  .filter((name) => !['@deskside/core', '@deskside/aggregator'].includes(name));

/** What a product may depend on within the workspace; a server may depend on core alone. */
const mayDependOn: Readonly<Record<string, readonly string[]>> = {
  '@deskside/core': [],
  '@deskside/aggregator': ['@deskside/core', ...servers],
};

test.each(products)('$name depends in the one direction there is', ({ name, manifest }) => {
  const inside = Object.keys(manifest.dependencies ?? {}).filter((dependency) =>
    dependency.startsWith('@deskside/'),
  );
  const allowed = mayDependOn[name] ?? ['@deskside/core'];
  expect(inside.filter((dependency) => !allowed.includes(dependency))).toEqual([]);
});

test.each(packages)('$name takes its versions from the workspace and its catalog', ({ manifest }) => {
  const specifiers = { ...manifest.dependencies, ...manifest.devDependencies };
  expect(
    Object.entries(specifiers).filter(([, range]) => !/^(?:catalog:|workspace:\^)$/.test(range)),
  ).toEqual([]);
});
