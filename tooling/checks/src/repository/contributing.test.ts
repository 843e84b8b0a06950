import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { root } from '../workspace.ts';

/** From the root or from a package; `<name>` is any name. */
const PATH = /`([\w.<>-]+\/[\w./<>-]+\.(?:ts|json|md))`/g;

test.each(['AGENTS.md', 'CONTRIBUTING.md'])('each file that %s names exists', (page) => {
  const named = [...readFileSync(join(root, page), 'utf8').matchAll(PATH)].map(([, path = '']) => path);
  expect(named.length).toBeGreaterThan(1);
  const missing = named.filter((path) => {
    const pattern = path.replaceAll(/<[\w-]+>/g, '*');
    return globSync([pattern, `{packages,apps}/*/${pattern}`], { cwd: root }).length === 0;
  });
  expect(missing).toEqual([]);
});
