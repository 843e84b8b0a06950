import { basename, join } from 'node:path';
import { expect, test } from 'vitest';
import { isShortName, publicExports, published } from '../workspace.ts';
import { publicDeclarations } from './declarations.ts';

/** What only programs of this workspace need is in another entry. */
const MAX_LINES_OF_CORE = 320;

test(`the main entry of core is pinned in at most ${MAX_LINES_OF_CORE} lines`, () => {
  const core = published.find(({ name }) => name === '@deskside/core');
  const lines = publicDeclarations(join(core?.directory ?? '', 'dist/index.d.ts'))
    .join('\n')
    .split('\n');
  expect(lines.length).toBeGreaterThan(100);
  expect(lines.length).toBeLessThanOrEqual(MAX_LINES_OF_CORE);
});

// After `pnpm run build`, `vitest run exports -u` writes the files.
test.each(published.filter((product) => !isShortName(product)))(
  'the exports of $name and their types are the ones in tooling/checks/exports',
  async (product) => {
    const { name, directory, manifest } = product;
    const entryFiles = manifest.publishConfig?.exports ?? {};
    const entries = Object.keys(publicExports(manifest)).filter((subpath) => subpath !== './package.json');
    const sections = entries.map((subpath) => {
      const entry = join(directory, entryFiles[subpath]?.replace(/\.js$/, '.d.ts') ?? '');
      const declarations = publicDeclarations(entry);
      // The entry /stdout has effects, but no exports.
      if (subpath === '.') expect(declarations).not.toEqual([]);
      return [`## ${join(name, subpath)}`, '', ...declarations, ''].join('\n');
    });
    expect(sections.length).toBeGreaterThan(0);
    await expect(sections.join('\n')).toMatchFileSnapshot(`../../exports/${basename(directory)}.txt`);
  },
);
