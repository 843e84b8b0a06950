import { cpSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { temporaryFolder } from '@deskside/core/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { command } from '../check.ts';
import { root, servers } from '../workspace.ts';

interface Rule {
  readonly title: string;
  readonly files: readonly string[];
  readonly forbidden?: readonly string[];
  readonly allowed?: readonly string[];
  /** Instead of an export of each. */
  readonly text?: string;
}

const DESK = '@deskside/core/desk';
const usesProcess = 'export const id = process.pid;\n';

const RULES: readonly Rule[] = [
  {
    title: 'a server imports neither tooling, test support, another server nor the SDK',
    files: ['packages/todo/src/todo.ts'],
    forbidden: [
      '@deskside/manictime',
      '@deskside/testkit',
      '@modelcontextprotocol/server',
      './testing/rows.ts',
    ],
    allowed: ['@deskside/core', '@deskside/core/cli', '@deskside/core/text', './store/store.ts', 'zod'],
  },
  {
    title: 'a type import and a dynamic import of tooling in a server are restricted',
    files: ['packages/todo/src/other.ts'],
    text: "import type { Peer } from '@deskside/testkit';\nexport type P = Peer;\nexport const kit = await import('@deskside/testkit');\n",
    forbidden: ['@deskside/testkit', '@deskside/testkit'],
  },
  {
    title: 'a domain folder imports of core only what knows no MCP, and nothing that uses the domain',
    files: ['packages/todo/src/store/store.ts'],
    forbidden: [
      '../options.ts',
      '../todo.ts',
      '../tools/index.ts',
      '@deskside/core',
      '@deskside/core/cli',
      DESK,
    ],
    allowed: ['app', 'base', 'dates', 'errors', 'text']
      .map((name) => `@deskside/core/${name}`)
      .concat('../validation/title.ts'),
  },
  {
    title:
      'programs, the aggregator and the folders of notify-popup that share a screen import /desk of core',
    files: [
      'packages/notify-popup/src/desktop/shared-desk.ts',
      'packages/notify-popup/src/window/news-holder.ts',
      'apps/aggregator/src/attach/client.ts',
      'packages/todo/src/cli.ts',
    ],
    allowed: [DESK],
  },
  {
    title: 'everything else imports no /desk of core',
    files: [
      'todo/src/x',
      'todo/src/tools/x',
      'todo/src/y',
      'notify-popup/src/service/x',
      'toaster/src/x',
    ].map((path) => `packages/${path}.ts`),
    forbidden: [DESK],
  },
  {
    title: 'tools may import core, but not the SDK',
    files: ['packages/todo/src/tools/add-task.ts'],
    forbidden: ['@modelcontextprotocol/server'],
    allowed: ['@deskside/core', '../todo.ts'],
  },
  {
    title: 'core imports no other package of the family',
    files: ['packages/core/src/index.ts'],
    forbidden: ['@deskside/todo'],
  },
  {
    title: 'the aggregator imports the public index of servers and the client of the SDK',
    files: ['apps/aggregator/src/server.ts'],
    forbidden: ['@deskside/testkit', '@deskside/todo/store', '@modelcontextprotocol/server'],
    allowed: ['@deskside/todo', '@deskside/core/cli', '@modelcontextprotocol/client'],
  },
  {
    title: 'toaster imports only those parts of core that its build inlines',
    files: ['packages/toaster/src/element/toaster.ts'],
    forbidden: ['@deskside/core', '@deskside/core/base', '@deskside/core/errors', '@deskside/ui-toast'],
    allowed: ['@deskside/core/app', '@deskside/core/text', './card.ts'],
  },
  {
    title: 'a server uses no process',
    files: ['packages/todo/src/id.ts'],
    text: usesProcess,
    forbidden: ['process'],
  },
  { title: 'a bin uses the process', files: ['packages/manictime/src/cli.ts'], text: usesProcess },
];

const importsOf = (specifiers: readonly string[]) =>
  specifiers.map((specifier, index) => `export * as e${index} from '${specifier}';\n`).join('');

/** Messages about restricted imports and globals, by file. */
const restricted = new Map<string, string[]>();
let linted = 0;
const folder = temporaryFolder();
afterAll(() => folder[Symbol.dispose]());

function write(path: string, text: string): void {
  mkdirSync(dirname(join(folder.path, path)), { recursive: true });
  writeFileSync(join(folder.path, path), text);
}

/** Lints all files in an empty repository with the rules of this one. */
beforeAll(async () => {
  for (const server of servers) write(`packages/${basename(server.directory)}/src/server.ts`, '');
  for (const { files, forbidden = [], allowed = [], text } of RULES)
    for (const file of files) write(file, text ?? importsOf([...forbidden, ...allowed]));
  cpSync(join(root, 'oxlint.config.ts'), join(folder.path, 'oxlint.config.ts'));
  symlinkSync(join(root, 'node_modules'), join(folder.path, 'node_modules'));
  const { stdout } = await command('oxlint', ['--format=json', 'packages', 'apps'], { cwd: folder.path });
  const { diagnostics, number_of_files } = JSON.parse(stdout) as {
    readonly diagnostics: readonly {
      readonly code: string;
      readonly message: string;
      readonly filename: string;
    }[];
    readonly number_of_files: number;
  };
  linted = number_of_files;
  for (const { code, message, filename } of diagnostics)
    if (code.includes('no-restricted'))
      restricted.set(filename, [
        ...(restricted.get(filename) ?? []),
        /'([^']+)'/.exec(message)?.[1] ?? message,
      ]);
});

test('every file is linted', () => {
  expect(linted).toBe(servers.length + RULES.flatMap(({ files }) => files).length);
});

test.each(RULES)('$title', ({ files, forbidden = [] }) => {
  for (const file of files)
    expect(restricted.get(file)?.toSorted() ?? [], file).toEqual(forbidden.toSorted());
});
