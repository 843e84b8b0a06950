import { execFileSync } from 'node:child_process';
import { globSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { root } from '../workspace.ts';

const pages = globSync('[0-9]*.md', { cwd: join(root, 'docs/decisions') }).map((name) => name.slice(0, 4));

const args = ['grep', '--untracked', '-hoE', 'docs/decisions/[0-9]{4}', '--', '*.ts', '*.js', '*.mjs'];
/** Numbers of the decisions that a source file names, for example `docs/decisions/0042`. */
const linked = execFileSync('git', args, { cwd: root, encoding: 'utf8' })
  .trim()
  .split('\n')
  .map((link) => link.slice(-4));

test('each page of a decision is linked from the source file that it explains', () => {
  expect(pages.length).toBeGreaterThan(0);
  expect(pages.filter((page) => !linked.includes(page))).toEqual([]);
});

test('each decision that a source file names has a page', () => {
  expect(linked.filter((link) => !pages.includes(link))).toEqual([]);
});
