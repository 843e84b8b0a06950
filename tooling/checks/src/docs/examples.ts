import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../workspace.ts';

const folder = join(root, 'tooling/examples/src');

/** Files that the pages of core show or link: each file of the folder itself, except the tests of these files. */
export const exampleFiles: readonly string[] = globSync('*.ts', { cwd: folder })
  .filter((name) => !/^(?:examples\.test|.*\.e2e\.test)\.ts$/.test(name))
  .toSorted();

/** The server that docs/core.md is written around. */
const EXAMPLE = ['server.ts', 'cli.ts'];

/** The sections of docs/core.md, by file name. */
export const exampleSections: Readonly<Record<string, () => string>> = Object.fromEntries([
  ...EXAMPLE.map((name) => [`example/${name}`, () => codeOf(join(root, 'apps/example/src', name))]),
  ...exampleFiles.map((name) => [name, () => `\`${name}\`\n\n${codeOf(join(folder, name))}`]),
]);

/** A program that tests compile and run. */
export function codeOf(file: string): string {
  return `\`\`\`ts\n${readFileSync(file, 'utf8').trim()}\n\`\`\``;
}
