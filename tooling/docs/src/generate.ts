// Rewrites the generated sections of the READMEs. With --check it writes nothing and fails where one is stale.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { published, root } from '@deskside/repo';
import { replaceSections, type Sections } from './sections.ts';
import { settingsOf } from './settings.ts';
import { optionsTable, packagesTable, toolsTable } from './tables.ts';

const pages: readonly (readonly [string, Sections])[] = [
  [join(root, 'README.md'), { packages: () => packagesTable(published) }],
  ...published.map((product): readonly [string, Sections] => [
    join(product.directory, 'README.md'),
    {
      example: () => example(join(product.directory, 'src/testing/readme-example.ts')),
      options: () => optionsTable(settingsOf(product.name)),
      tools: () => toolsTable(product),
    },
  ]),
];

const stale = pages
  .filter(([file]) => existsSync(file))
  .flatMap(([file, sections]) => {
    const before = readFileSync(file, 'utf8');
    const after = replaceSections(before, sections);
    return before === after ? [] : [{ file, after }];
  });

if (!process.argv.includes('--check')) {
  for (const { file, after } of stale) writeFileSync(file, after);
} else if (stale.length > 0) {
  console.error(`Stale: ${stale.map(({ file }) => relative(root, file)).join(', ')}. Run \`pnpm run docs\`.`);
  process.exitCode = 1;
}

/** A program that the tests compile and run, as it stands. */
function example(file: string): string {
  return `\`\`\`ts\n${readFileSync(file, 'utf8').trim()}\n\`\`\``;
}
