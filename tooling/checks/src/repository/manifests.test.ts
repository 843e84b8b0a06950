import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { isForPages, isShortName, publicExports, published } from '../workspace.ts';

describe.each(published)('$name', (product) => {
  const { manifest, server } = product;
  const bins = Object.keys(manifest.bin ?? {});

  test('has the manifest of a published package', () => {
    expect(manifest).toMatchObject({
      version: expect.stringMatching(/^\d+\.\d+\.\d+/),
      description: expect.stringMatching(/\S/),
      keywords: expect.arrayContaining(['mcp']),
      license: 'MIT',
      type: 'module',
      files: isShortName(product)
        ? ['CHANGELOG.md', 'cli.js']
        : expect.arrayContaining(['CHANGELOG.md', 'dist', '!dist/**/*.test.*']),
      publishConfig: { access: 'public' },
    });
  });

  test('describes itself with the same words in its manifests and at the start of its README', () => {
    const readme = readFileSync(join(product.directory, 'README.md'), 'utf8');
    const paragraph = readme
      .split('\n\n')[1]
      ?.replaceAll('\n', ' ')
      .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1');
    expect(paragraph?.startsWith(`${manifest.description}.`), paragraph).toBe(true);
    expect(server?.description).toBe(server && manifest.description);
    // The MCP registry accepts at most 100 characters.
    expect(manifest.description?.length).toBeLessThanOrEqual(100);
  });

  test('runs on Node.js 22.18 and newer, unless it is for pages', () => {
    expect(manifest.engines).toEqual(isForPages(product) ? undefined : { node: '>=22.18' });
  });

  test('publishes what it exports from its sources', () => {
    const { publishConfig } = manifest;
    if (isShortName(product)) {
      expect(Object.keys(manifest.dependencies ?? {})).toEqual(['@deskside/aggregator']);
      return;
    }
    expect(Object.keys(publishConfig?.exports ?? {})).toEqual(Object.keys(publicExports(manifest)));
    expect(Object.keys(publishConfig?.bin ?? {})).toEqual(bins);
  });

  test('has bins of the family', () => {
    expect(bins.filter((bin) => !/^deskside(?:-[a-z-]+)?$/.test(bin))).toEqual([]);
  });

  test('is known to the MCP registry by one name and version', () => {
    expect(manifest.mcpName).toBe(server?.name);
    expect(server?.version).toBe(server && manifest.version);
    for (const { identifier, version } of server?.packages ?? []) {
      expect({ identifier, version }).toEqual({ identifier: manifest.name, version: manifest.version });
    }
  });
});

test.each(published.filter(({ manifest }) => manifest.bin))(
  '$name has a README from the installation to the removal',
  ({ name, directory }) => {
    const readme = readFileSync(join(directory, 'README.md'), 'utf8');
    expect(readme).toMatch(new RegExp(`npx (?:-y )?${name}(?![\\w/-])`));
    const last = [...readme.matchAll(/^## (.*)$/gm)].slice(-3).map(([, title]) => title);
    expect(last).toStrictEqual(['If something does not work', 'Data and removal', 'Platform support']);
  },
);
