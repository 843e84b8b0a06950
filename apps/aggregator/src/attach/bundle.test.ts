import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

/** Every kilobyte costs time in each start and memory in each client's process. */
const MAX_BYTES = 21_200;

const bin = join(import.meta.dirname, '../../dist/bin/cli.js');

test('the bundle of an attached client is small and loads only Node.js itself', () => {
  // `pnpm run build` writes it.
  const code = readFileSync(bin, 'utf8');
  expect(code.length).toBeLessThan(MAX_BYTES);
  const imports = [...code.matchAll(/\b(?:from|import)\s*\(?"([^"]+)"/g)].map(([, name]) => name);
  expect(imports).toContain('./main.js');
  expect(imports.filter((name) => !name?.startsWith('node:') && name !== './main.js')).toStrictEqual([]);
});
