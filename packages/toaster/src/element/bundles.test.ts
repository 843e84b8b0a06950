import { build } from 'esbuild';
import { globSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, test, vi } from 'vitest';
import { buildPage, buildScript, bundleElement, INTERNAL_MEMBERS } from '../../build/bundles.ts';

const src = join(import.meta.dirname, '..');
const dist = join(src, '../dist');
const built = {
  script: await readFile(join(dist, 'script/deskside-toaster.js'), 'utf8'),
  view: await readFile(join(dist, 'page.json'), 'utf8').then((text) => String(JSON.parse(text).toast)),
};

test('the bundles in dist are built from the present sources', async () => {
  const [script, { toast: view }] = await Promise.all([buildScript(), buildPage()]);
  expect([script === built.script, view === built.view], 'dist is out of date: run "pnpm run build"').toEqual(
    [true, true],
  );
});

// The rule of @deskside/core/text for hidden characters has 500 in it and in the element.
// The script is the element with its adapters.
test.each([
  ['element', 12 * 1024],
  ['script', 14_250],
  ['view', 5000],
] as const)('the built %s has at most %i bytes after gzip', async (name, maxBytes) => {
  const text = name === 'element' ? await bundleElement(dist) : built[name];
  expect(gzipSync(text, { level: 9 }).length).toBeLessThanOrEqual(maxBytes);
});

test('the built module for React is a client component of Next.js', async () => {
  expect(await readFile(join(dist, 'react/index.js'), 'utf8')).toMatch(/^["']use client["'];/);
});

test('the build shortens no name that a page uses', async () => {
  const publicFiles = [
    ...globSync('{index,view/main,{adapters,notification,react}/*}.ts', {
      cwd: src,
      exclude: ['**/*.test.*'],
    }),
    '../../core/src/app/index.ts',
    '../custom-elements.json',
    '../../../tooling/checks/exports/toaster.txt',
  ];
  const texts = await Promise.all(publicFiles.map((path) => readFile(join(src, path), 'utf8')));
  const used = new Set(texts.join('\n').match(/\w+/g));
  expect(INTERNAL_MEMBERS.split(' ').filter((name) => used.has(name))).toEqual([]);
  expect(used).toContain('closeCenter');
});

test.each(['src/index.ts', 'src/react/index.ts', 'dist/index.js', 'dist/react/index.js'])(
  'a bundler keeps an import of %s, which defines the element',
  async (path) => {
    const { outputFiles } = await build({
      stdin: { contents: `import './${path}'`, resolveDir: join(src, '..') },
      bundle: true,
      format: 'esm',
      external: ['react'],
      write: false,
      logLevel: 'silent',
    });
    expect(outputFiles[0]?.text).toContain('customElements');
  },
);

test('sonnerToaster can be called on a server, which has no document', async () => {
  const { sonnerToaster } = await import('../sonner/index.ts');
  const show = vi.fn<() => undefined>();
  const toast = { info: show, success: show, warning: show, error: show, loading: show, dismiss: show };
  expect(sonnerToaster(toast, { onPrompt: show })).toMatchObject({ show: expect.any(Function) });
});
