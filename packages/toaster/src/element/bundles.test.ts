import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { buildElement, buildPage, buildScript } from '../../build/bundles.ts';

const dist = join(import.meta.dirname, '../../dist');
const built = {
  script: await readFile(join(dist, 'script/deskside-toaster.js'), 'utf8'),
  view: await readFile(join(dist, 'page.json'), 'utf8').then((text) => String(JSON.parse(text).toast)),
};

test('the bundles in dist are built from the present sources', async () => {
  const [script, { toast: view }] = await Promise.all([buildScript(), buildPage()]);
  expect(built, 'dist is out of date: run "pnpm run build"').toStrictEqual({ script, view });
});

// The targets are 12000 for the element and 4000 for the view. The rule of @deskside/core/text for hidden characters
// alone has 700. The script is the element with its adapters.
test.each([
  ['element', 12_600],
  ['script', 13_800],
  ['view', 5000],
] as const)('the built %s has at most %i bytes after gzip', async (name, maxBytes) => {
  const text = name === 'element' ? await buildElement() : built[name];
  expect(gzipSync(text, { level: 9 }).length).toBeLessThanOrEqual(maxBytes);
});

test('the element and <Toaster> can be imported on a server, which has no HTMLElement', async () => {
  const { Toaster } = await import('../react/index.ts');
  const { DesksideToaster } = await import('../index.ts');
  expect([typeof Toaster, typeof DesksideToaster]).toEqual(['object', 'function']);
});
