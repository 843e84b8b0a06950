import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { root } from '../workspace.ts';

test("the lockfile names no registry, so that it installs from anyone's", () => {
  const lines = readFileSync(join(root, 'pnpm-lock.yaml'), 'utf8').split('\n');
  expect(lines.filter((line) => /https?:\/\/|tarball:/.test(line))).toEqual([]);
});
