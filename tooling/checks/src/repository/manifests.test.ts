import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { isForPages, isShortName, packages, publicExports, published, root } from '../workspace.ts';

describe.each(published)('$name', (product) => {
  const { manifest, server } = product;
  const readme = readFileSync(join(product.directory, 'README.md'), 'utf8');

  test('has the manifest of a published package for Node.js 22.18 and newer, or for pages', () => {
    expect(manifest).toMatchObject({
      keywords: expect.arrayContaining(['mcp']),
      license: 'MIT',
      type: 'module',
      files: expect.arrayContaining(['CHANGELOG.md']),
      publishConfig: { access: 'public' },
    });
    expect(manifest.engines).toEqual(isForPages(product) ? undefined : { node: '>=22.18' });
    if (isForPages(product)) expect(manifest.dependencies).toBeUndefined();
  });

  test('describes itself with the same name and words in its manifests and at the start of its README', () => {
    const paragraph = readme
      .split('\n\n')[1]
      ?.replaceAll('\n', ' ')
      .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1');
    expect(paragraph?.startsWith(`${manifest.description}.`), paragraph).toBe(true);
    expect(server?.description).toBe(server && manifest.description);
    expect(manifest.mcpName).toBe(server?.name);
    // The MCP registry accepts at most 100 characters.
    expect(manifest.description?.length).toBeLessThanOrEqual(100);
  });

  test.skipIf(isShortName(product))('publishes what it exports from its sources', () => {
    const { exports, bin } = manifest.publishConfig ?? {};
    expect(Object.keys(exports ?? {})).toEqual(Object.keys(publicExports(manifest)));
    expect(Object.keys(bin ?? {})).toEqual(Object.keys(manifest.bin ?? {}));
  });

  test('makes its users install no types', () => {
    const { dependencies, optionalDependencies, peerDependencies } = manifest;
    const installed = Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies });
    expect(installed.filter((name) => name.startsWith('@types/'))).toEqual([]);
  });

  test.runIf(manifest.bin)('has a README from the installation to the removal', () => {
    expect(readme).toMatch(new RegExp(`npx (?:-y )?${product.name}(?![\\w/-])`));
    const last = [...readme.matchAll(/^## (.*)$/gm)].slice(-3).map(([, title]) => title);
    expect(last).toStrictEqual(['If something does not work', 'Data and removal', 'Platform support']);
  });
});

test.each(packages)('$name takes its versions from the workspace and its catalog', ({ manifest }) => {
  const { dependencies, devDependencies, optionalDependencies, peerDependencies } = manifest;
  const own = { ...dependencies, ...devDependencies, ...optionalDependencies };
  const specifiers = { ...own, ...('zod' in (peerDependencies ?? {}) ? peerDependencies : {}) };
  const other = Object.entries(specifiers).filter(([, range]) => !/^(?:catalog:|workspace:\^)$/.test(range));
  expect(other).toEqual([]);
});

test("the lockfile names no registry, so that it installs from anyone's", () => {
  const lines = readFileSync(join(root, 'pnpm-lock.yaml'), 'utf8').split('\n');
  expect(lines.filter((line) => /https?:\/\/|tarball:/.test(line))).toEqual([]);
});

test('the lockfile has the binaries of every library for Linux, macOS and Windows', () => {
  const [, ...rests] = readFileSync(join(root, 'pnpm-lock.yaml'), 'utf8').split('optionalDependencies:\n');
  const lists = rests.map((rest) => rest.slice(0, rest.indexOf('\n\n')));
  const binaries = lists.filter((names) => /linux[^]*linux/.test(names));
  expect(binaries.filter((names) => !/darwin[^]*win(?:32|dows)/.test(names))).toStrictEqual([]);
  expect(binaries.length).toBeGreaterThan(5);
});

test('the root tsconfig type-checks every folder that can be', () => {
  const { references } = JSON.parse(readFileSync(join(root, 'tsconfig.json'), 'utf8')) as {
    references: readonly { path: string }[];
  };
  const checked = new Set(references.map(({ path }) => `${path}/tsconfig.json`));
  const found = globSync('{packages,apps,tooling}/*/tsconfig.json', { cwd: root });
  expect(found.filter((file) => !checked.has(file))).toEqual([]);
});
