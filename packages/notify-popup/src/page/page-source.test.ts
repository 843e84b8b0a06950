import { expect, test } from 'vitest';
import { pageSource as sourcesOfPage } from '../../build/page-source.ts';
import { pageSource } from '../loopback/page-source.ts';

test('the page that is served is the one that its sources make', async () => {
  expect(pageSource).toStrictEqual(await sourcesOfPage());
});
