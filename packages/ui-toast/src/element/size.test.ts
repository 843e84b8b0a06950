import { expect, test } from 'vitest';
import { scriptFile } from '../../build/bundles.ts';
import { gzippedBytes, SIZE_LIMITS } from '../../build/sizes.ts';

test('the element with everything is at most 12 kB', async () => {
  expect(gzippedBytes(await scriptFile())).toBeLessThanOrEqual(SIZE_LIMITS.script);
});
