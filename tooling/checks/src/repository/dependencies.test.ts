import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { packages, products, published, root } from '../workspace.ts';
import { specifiersOf } from './sources.ts';

const tooling = packages.filter(({ directory }) => directory.startsWith(join(root, 'tooling')));

test.each([...products, ...packages.filter(({ name }) => name === '@deskside/testkit')])(
  'no file of $name imports tooling, tests included',
  ({ name, directory, manifest: { dependencies, devDependencies } }) => {
    const inside = Object.keys({ ...dependencies, ...devDependencies });
    expect(tooling.map((each) => each.name).filter((each) => inside.includes(each))).toEqual([]);
    if (name === '@deskside/testkit')
      expect(inside.filter((each) => each.startsWith('@deskside/'))).toEqual(['@deskside/core']);
    const files = globSync('src/**/*.{ts,tsx}', { cwd: directory });
    expect(files.length).toBeGreaterThan(0);
    const imports = files.flatMap((file) =>
      specifiersOf(file, readFileSync(join(directory, file), 'utf8')).map((to) => `${file} imports ${to}`),
    );
    expect(imports.filter((each) => each.includes('/tooling/'))).toEqual([]);
  },
);

test.each(packages)('$name takes its versions from the workspace and its catalog', ({ manifest }) => {
  const { dependencies, devDependencies, optionalDependencies, peerDependencies } = manifest;
  const own = { ...dependencies, ...devDependencies, ...optionalDependencies };
  const specifiers = { ...own, ...('zod' in (peerDependencies ?? {}) ? peerDependencies : {}) };
  expect(
    Object.entries(specifiers).filter(([, range]) => !/^(?:catalog:|workspace:\^)$/.test(range)),
  ).toEqual([]);
});

test.each(published)('$name makes its users install no types', ({ manifest }) => {
  const { dependencies, optionalDependencies, peerDependencies } = manifest;
  const installed = Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies });
  expect(installed.filter((name) => name.startsWith('@types/'))).toEqual([]);
});

test('the catalog holds ranges; only the lock file holds exact versions', () => {
  const [, catalog = ''] = readFileSync(join(root, 'pnpm-workspace.yaml'), 'utf8').split('\ncatalog:\n');
  const entries = catalog.split('\n').filter((line) => line.includes(': '));
  expect(entries.length).toBeGreaterThan(0);
  expect(entries.filter((line) => !/: (?:npm:\S+@)?\^\d/.test(line))).toEqual([]);
});

test("the lockfile names no registry, so that it installs from anyone's", () => {
  const lines = readFileSync(join(root, 'pnpm-lock.yaml'), 'utf8').split('\n');
  expect(lines.filter((line) => /https?:\/\/|tarball:/.test(line))).toEqual([]);
});
