import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const CODE = /\.(?:tsx?|m?js|css|html)$/;
const PRODUCT = /^(?:packages|apps)\/[^/]+\/src\/(?!(?:.*\/)?testing\/)(?!.*\.test\.)/;
const PAGES =
  /^(?:(?:README|CONTRIBUTING|AGENTS|PRIVACY)\.md|docs\/.*\.md|(?:packages|apps)\/[^/]+\/README\.md)$/;

/** The size of the repository in one line: code of products without tests, of tooling with tests, and words of pages. */
export function weight(root: string): string {
  const files = execFileSync(
    'git',
    ['ls-files', '--cached', '--others', '--exclude-standard', '--deduplicate'],
    {
      cwd: root,
      encoding: 'utf8',
    },
  ).split('\n');
  const total = (matches: (file: string) => boolean, unit: RegExp) =>
    files
      .filter(matches)
      .reduce((sum, file) => sum + (readFileSync(join(root, file), 'utf8').match(unit)?.length ?? 0), 0)
      .toLocaleString('en-US');
  const product = total((file) => PRODUCT.test(file) && CODE.test(file), /\n/g);
  const tooling = total((file) => file.startsWith('tooling/') && CODE.test(file), /\n/g);
  const words = total((file) => PAGES.test(file), /\S+/g);
  return `Weight: ${product} lines of product, ${tooling} lines of tooling, ${words} words of pages`;
}
