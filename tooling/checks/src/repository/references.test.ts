import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { root } from '../workspace.ts';

test('the root tsconfig type-checks every folder that can be', () => {
  const { references } = JSON.parse(readFileSync(join(root, 'tsconfig.json'), 'utf8')) as {
    references: readonly { path: string }[];
  };
  const folders = globSync('{packages,apps,tooling}/*/tsconfig.json', { cwd: root }).map((path) =>
    dirname(path),
  );
  const checked = new Set(references.map(({ path }) => path));
  expect(folders.filter((folder) => !checked.has(folder))).toEqual([]);
});
