import { expect, test } from 'vitest';
import builtPage from '#dist/page.json' with { type: 'json' };
import { buildPage } from '../../build/page.ts';

test('the built page in dist is up to date with its sources', async () => {
  expect(builtPage, 'dist/page.json is out of date: run "pnpm run build"').toStrictEqual(await buildPage());
});
