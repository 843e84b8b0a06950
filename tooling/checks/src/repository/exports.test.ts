import { basename, join } from 'node:path';
import { expect, test } from 'vitest';
import { isShortName, publicExports, published } from '../workspace.ts';
import { publicDeclarations } from './declarations.ts';

/** What only programs of this workspace need is in another entry. */
const MAX_LINES_OF_CORE = 320;

// After `pnpm run build`, `vitest run exports -u` writes the files.
test.each(published.filter((product) => !isShortName(product)))(
  'the exports of $name and their types are the ones in tooling/checks/exports',
  async ({ name, directory, manifest }) => {
    const entryFiles = manifest.publishConfig?.exports ?? {};
    const entries = Object.keys(publicExports(manifest)).filter((subpath) => subpath !== './package.json');
    const sections = entries.map((subpath) => {
      const entry = join(directory, entryFiles[subpath]?.replace(/\.js$/, '.d.ts') ?? '');
      return [`## ${join(name, subpath)}`, '', ...publicDeclarations(entry), ''].join('\n');
    });
    const mainLines = sections[0]?.split('\n').length ?? 0;
    // Heading, empty lines, and at least one declaration.
    expect(mainLines).toBeGreaterThan(3);
    if (name === '@deskside/core') expect(mainLines).toBeLessThanOrEqual(MAX_LINES_OF_CORE + 3);
    await expect(sections.join('\n')).toMatchFileSnapshot(`../../exports/${basename(directory)}.txt`);
  },
);
