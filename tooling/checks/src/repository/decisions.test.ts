import { execFileSync } from 'node:child_process';
import { globSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { root } from '../workspace.ts';

test('each page of a decision is named by the source file that it explains, and no other is named', () => {
  const pages = globSync('[0-9]*.md', { cwd: join(root, 'docs/decisions') }).map((name) => name.slice(0, 4));
  const args = ['grep', '--untracked', '-hoE', 'docs/decisions/[0-9]{4}', '--', '*.ts', '*.js', '*.mjs'];
  const named = execFileSync('git', args, { cwd: root, encoding: 'utf8' }).match(/\d{4}$/gm);
  expect(pages.toSorted()).toEqual([...new Set(named)].toSorted());
});
