import { execFileSync } from 'node:child_process';
import { basename } from 'node:path';
import { expect, test } from 'vitest';
import { root, servers } from '../workspace.ts';

const MAX_FILES = 9;

/** Files outside of a server's own package that name it. Pages, changesets and the lockfile do not count. */
function filesNaming(server: string): readonly string[] {
  const left = ['docs', '.changeset', '*.md', 'pnpm-lock.yaml', `packages/${server}`].map(
    (path) => `:!${path}`,
  );
  const names = execFileSync('git', ['grep', '--untracked', '-lwF', server, '--', ...left], {
    cwd: root,
    encoding: 'utf8',
  });
  return names.trim().split('\n');
}

/**
 * A list of all servers must be changed for each new one: derive it from the workspace, or from the aggregator's list of
 * mounts. A file that names some servers uses them.
 */
test(`at most ${MAX_FILES} files list all servers`, () => {
  const [first = [], ...others] = servers.map(({ directory }) => filesNaming(basename(directory)));
  const lists = first.filter((file) => others.every((files) => files.includes(file)));
  expect(lists).toContain('apps/aggregator/src/mounts/built-in.ts');
  expect(lists.length, lists.join('\n')).toBeLessThanOrEqual(MAX_FILES);
});
