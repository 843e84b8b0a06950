// Rewrites the generated sections of the READMEs, and the versions in the manifests for the MCP registry. With --check
// it writes nothing and fails where one is stale.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { published, root } from '@deskside/repo';
import { replaceSections, type Sections } from './sections.ts';
import { settingsOf } from './settings.ts';
import { optionsTable, packagesTable, toolsTable } from './tables.ts';

type Rewrite = (text: string) => string;

const files: readonly (readonly [string, Rewrite])[] = [
  [join(root, 'README.md'), withSections({ packages: () => packagesTable(published) })],
  ...published.flatMap((product): (readonly [string, Rewrite])[] => [
    [
      join(product.directory, 'README.md'),
      withSections({
        example: () => example(join(product.directory, 'src/testing/readme-example.ts')),
        options: () => optionsTable(settingsOf(product.name)),
        tools: () => toolsTable(product),
      }),
    ],
    [join(product.directory, 'server.json'), withVersion(product.manifest.version ?? '')],
  ]),
];

const stale = files
  .filter(([file]) => existsSync(file))
  .flatMap(([file, rewrite]) => {
    const before = readFileSync(file, 'utf8');
    const after = rewrite(before);
    return before === after ? [] : [{ file, after }];
  });

if (!process.argv.includes('--check')) {
  for (const { file, after } of stale) writeFileSync(file, after);
} else if (stale.length > 0) {
  console.error(`Stale: ${stale.map(({ file }) => relative(root, file)).join(', ')}. Run \`pnpm run docs\`.`);
  process.exitCode = 1;
}

function withSections(sections: Sections): Rewrite {
  return (text) => replaceSections(text, sections);
}

function withVersion(version: string): Rewrite {
  return (text) => text.replaceAll(/"version": "[^"]*"/g, `"version": "${version}"`);
}

/** A program that the tests compile and run, as it stands. */
function example(file: string): string {
  return `\`\`\`ts\n${readFileSync(file, 'utf8').trim()}\n\`\`\``;
}
