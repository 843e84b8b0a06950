import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { products } from './workspace.ts';

const CODE = /\.(?:tsx?|m?js|css|html)$/;
const TESTS = /\.test\.|\/testing\//;
const PAGES =
  /^(?:(?:README|CONTRIBUTING|AGENTS|PRIVACY)\.md|docs\/.*\.md|(?:packages|apps)\/[^/]+\/README\.md)$/;

/** The size of the repository in one line: products without tests, tooling and test support with tests, and pages. */
export function weight(root: string): string {
  const args = ['ls-files', '--cached', '--others', '--exclude-standard', '--deduplicate'];
  let listed: string;
  try {
    listed = execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  } catch {
    // No git, no clone, or a clone of another user: the size only informs.
    return 'Weight: unknown, because git does not list the files';
  }
  const files = listed.split('\n').filter((file) => existsSync(join(root, file)));
  const total = (matches: (file: string) => boolean, unit: RegExp) =>
    files
      .filter(matches)
      .reduce((sum, file) => sum + (readFileSync(join(root, file), 'utf8').match(unit)?.length ?? 0), 0)
      .toLocaleString('en-US');
  const lines = (folders: readonly string[], without?: RegExp) =>
    total(
      (file) =>
        CODE.test(file) && !without?.test(file) && folders.some((folder) => file.startsWith(`${folder}/`)),
      /\n/g,
    );
  const sources = products.map(({ directory }) => relative(root, join(directory, 'src')));
  return [
    `Weight: ${lines(sources, TESTS)} lines of product`,
    `${lines(['tooling'])} lines of tooling`,
    `${lines(['packages/testkit'])} lines of test support`,
    `${total((file) => PAGES.test(file), /\S+/g)} words of pages`,
  ].join(', ');
}
