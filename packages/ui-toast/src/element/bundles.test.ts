import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { buildPage, buildScript } from '../../build/bundles.ts';

const dist = join(import.meta.dirname, '../../dist');
const built = {
  element: await readFile(join(dist, 'script/deskside-toaster.js'), 'utf8'),
  view: await readFile(join(dist, 'page.json'), 'utf8').then((text) => String(JSON.parse(text).toast)),
};

test('the bundles in dist are built from the present sources', async () => {
  const [element, { toast: view }] = await Promise.all([buildScript(), buildPage()]);
  expect(built, 'dist is out of date: run "pnpm run build"').toStrictEqual({ element, view });
});

// The target of the view is 4000. The rule of @deskside/core/text for hidden characters alone has 700.
test.each([
  ['element', 12_000],
  ['view', 4400],
] as const)('the built %s has at most %i bytes after gzip', (name, maxBytes) => {
  expect(gzipSync(built[name], { level: 9 }).length).toBeLessThanOrEqual(maxBytes);
});

test('the element and <Toaster> can be imported on a server, which has no HTMLElement', async () => {
  const { Toaster } = await import('../react/index.ts');
  const { DesksideToaster } = await import('./index.ts');
  expect([typeof Toaster, typeof DesksideToaster]).toEqual(['object', 'function']);
});
