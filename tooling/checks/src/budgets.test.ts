import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { temporaryFolder } from '@deskside/testkit';
import { expect, test } from 'vitest';
import { budgets, excess, sizesOf } from './budgets.ts';
import { root } from './workspace.ts';

test('a package over its budget is named; tests and other files do not count', () => {
  const folder = temporaryFolder();
  const write = (path: string, lines: number, line = 'x') => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), `${line}\n`.repeat(lines));
  };
  execFileSync('git', ['init', '--quiet'], { cwd: folder });
  write('packages/todo/src/a.ts', 5000);
  write('packages/todo/src/a.test.ts', 5000);
  write('packages/todo/src/testing/b.ts', 5000);
  write('packages/todo/README.md', 5000);
  expect(excess(sizesOf(folder))).toStrictEqual([]);

  write('packages/todo/drizzle/embed.sql', 5000);
  write('apps/aggregator/src/c.css', 1300, 'x'.repeat(111));
  expect(excess(sizesOf(folder))).toStrictEqual([
    `todo has 10000 lines. Its budget is ${budgets.find(({ name }) => name === 'todo')?.allowed}.`,
    '1300 lines of products have more than 110 characters. 1255 may.',
  ]);
});

test('each budget counts files of this repository, and is not below its ceiling', () => {
  const { linesOf } = sizesOf(root);
  for (const { name, counts, allowed, ceiling } of budgets) {
    expect(linesOf(counts), name).toBeGreaterThan(0);
    expect(allowed, name).toBeGreaterThanOrEqual(ceiling);
  }
});
