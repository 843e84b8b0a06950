// Rewrites the generated sections of READMEs and docs, version and settings in each server.json, and the versions of the plugin and the gateway. With --check it writes nothing,
// and exits with code 1 if a file is stale.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { published, root } from '../workspace.ts';
import { replaceSections, type Sections } from './sections.ts';
import { serverJson } from './server-json.ts';
import {
  clientsTable,
  commonSettings,
  optionsList,
  settingsOf,
  stdioOptionsOf,
  toolsList,
} from './tables.ts';

type Rewrite = (text: string) => string;

const codeOf = (file: string) => `\`\`\`ts\n${readFileSync(join(root, file), 'utf8').trim()}\n\`\`\``;
const exampleSections: Sections = {
  'example/server.ts': () => codeOf('apps/example/src/server.ts'),
  'example/cli.ts': () => codeOf('apps/example/src/cli.ts'),
  'testing.test.ts': () => `\`testing.test.ts\`\n\n${codeOf('tooling/examples/src/testing.test.ts')}`,
};

const files: readonly (readonly [string, Rewrite])[] = [
  [join(root, 'docs/clients.md'), withSections({ clients: clientsTable })],
  // What the aggregator contains says its version.
  ...['plugins/deskside/.claude-plugin/plugin.json', 'packages/gateway/package.json'].map(
    (file): readonly [string, Rewrite] => [
      join(root, file),
      (text) => text.replace(/(?<="version": )"[^"]*"/, JSON.stringify(versionOf('@deskside/aggregator'))),
    ],
  ),
  [join(root, 'docs/core.md'), withSections(exampleSections)],
  ...['core.md', 'core-reference.md'].map((page): readonly [string, Rewrite] => [
    join(root, 'packages/core/docs', page),
    () => packaged(withSections(exampleSections)(readFileSync(join(root, 'docs', page), 'utf8'))),
  ]),
  [
    join(root, 'docs/aggregator.md'),
    withSections({
      library: () => codeOf('apps/aggregator/src/testing/readme-example.ts'),
      module: () => codeOf('apps/aggregator/src/testing/weather.ts'),
    }),
  ],
  ...published.flatMap((product): (readonly [string, Rewrite])[] => [
    [
      join(product.directory, 'README.md'),
      withSections({
        example: () => codeOf('apps/example/src/server.ts'),
        options: () => optionsList(settingsOf(product.name)),
        settings: () => optionsList(commonSettings()),
        tools: () => toolsList(product),
      }),
    ],
    [
      join(product.directory, 'server.json'),
      (text) => serverJson(text, product.manifest.version ?? '', stdioOptionsOf(product.name)),
    ],
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

function versionOf(product: string): string | undefined {
  return published.find(({ name }) => name === product)?.manifest.version;
}

/** A page of the guide as it is in the package, which has no other files of the repository: their links become texts. */
function packaged(page: string): string {
  return page
    .replaceAll(/^Examples?: \[[^\n]*\n\n?/gm, '')
    .replaceAll(/\s*\(\[decision \d+\]\([^)]*\)\)/g, '')
    .replaceAll(/\[([^\]]+)\]\((?!https:|#|core(?:-reference)?\.md)[^)]*\)/g, '$1');
}

function withSections(sections: Sections): Rewrite {
  return (text) => replaceSections(text, sections);
}
