import { cpSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { temporaryFolder } from '@deskside/testkit';
import { expect, test } from 'vitest';
import { command } from '../check.ts';
import { root, servers } from '../workspace.ts';

/** What a file may import, and what not. */
type Rule = readonly [file: string, allowed: readonly string[], forbidden: readonly string[]];

const INTERNAL = '@deskside/core/internal';
const SDK = '@modelcontextprotocol/server';
const usesProcess = 'process.pid';

const RULES: readonly Rule[] = [
  // A server.
  [
    'packages/todo/src/todo.ts',
    ['@deskside/core', '@deskside/core/program', '@deskside/core/text', './store/store.ts', 'zod'],
    ['@deskside/manictime', '@deskside/testkit', SDK, INTERNAL, './testing/rows.ts', usesProcess],
  ],
  ['packages/todo/src/cli.ts', [INTERNAL, usesProcess], ['@deskside/testkit']],
  ['packages/todo/src/tools/add-task.ts', ['@deskside/core', '../todo.ts'], [SDK, INTERNAL]],
  // A domain folder knows no MCP, and nothing that uses the domain.
  [
    'packages/todo/src/store/store.ts',
    ['app', 'base', 'dates', 'errors', 'text']
      .map((name) => `@deskside/core/${name}`)
      .concat('../validation/title.ts'),
    [
      '../options.ts',
      '../todo.ts',
      '../tools/index.ts',
      '@deskside/core',
      '@deskside/core/program',
      INTERNAL,
    ],
  ],
  ['packages/notify-popup/src/service/x.ts', ['@deskside/desktop'], [INTERNAL]],
  ['packages/core/src/index.ts', ['./serving/serve.ts'], ['@deskside/todo', '@deskside/desktop']],
  // The kernel of core, what serves it, and a program around that.
  [
    'packages/core/src/definition/tool.ts',
    ['../errors/index.ts', SDK],
    ['../serving/serve.ts', '../program/program.ts', 'hono', '@modelcontextprotocol/client'],
  ],
  ['packages/core/src/truncation.ts', ['zod'], ['./serving/serve.ts']],
  ['packages/core/src/serving/serve.ts', ['../definition/tool.ts'], ['../program/program.ts']],
  ['packages/core/src/program/program.ts', ['../serving/serve.ts', '../definition/tool.ts'], []],
  [
    'packages/desktop/src/index.ts',
    ['@deskside/core', INTERNAL],
    ['@deskside/todo', '@deskside/testkit', SDK],
  ],
  [
    'apps/aggregator/src/open-desk.ts',
    ['@deskside/todo', '@deskside/core/program', '@deskside/gateway/servers'],
    ['@deskside/testkit', '@deskside/todo/store', '@modelcontextprotocol/client', SDK],
  ],
  [
    'packages/gateway/src/server.ts',
    ['@deskside/desktop', '@deskside/core/program', '@modelcontextprotocol/client'],
    ['@deskside/todo', '@deskside/connect', SDK],
  ],
  ['apps/aggregator/src/attach/client.ts', [INTERNAL], []],
  // Its build inlines these parts of core.
  [
    'packages/toaster/src/element/toaster.ts',
    ['@deskside/core/app', '@deskside/core/text', './card.ts'],
    ['@deskside/core', '@deskside/core/base', INTERNAL, '@deskside/core/errors', '@deskside/ui-toast'],
  ],
];

const line = (use: string, index: number) =>
  use === usesProcess ? `export const id = ${use};\n` : `export * as e${index} from '${use}';\n`;

/** Types and dynamic imports, too. */
const OTHER = ['packages/todo/src/other.ts', ['@deskside/testkit', '@deskside/testkit']] as const;

interface Report {
  readonly diagnostics: readonly {
    readonly code: string;
    readonly message: string;
    readonly filename: string;
  }[];
  readonly number_of_files: number;
}

test('the linter restricts exactly these imports, and the process', async () => {
  const folder = temporaryFolder();
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  };
  for (const { directory } of servers) write(`packages/${basename(directory)}/server.json`, '{}');
  for (const [file, allowed, forbidden] of RULES)
    write(file, [...allowed, ...forbidden].map((use, index) => line(use, index)).join(''));
  write(
    OTHER[0],
    "import type { Peer } from '@deskside/testkit';\nexport type P = Peer;\nexport const kit = await import('@deskside/testkit');\n",
  );
  cpSync(join(root, 'oxlint.config.ts'), join(folder, 'oxlint.config.ts'));
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  const { stdout } = await command('oxlint', ['--format=json', 'packages', 'apps'], { cwd: folder });
  const { diagnostics, number_of_files: linted } = JSON.parse(stdout) as Report;
  const found = diagnostics
    .filter(({ code }) => code.includes('no-restricted'))
    .map(({ filename, message }) => `${filename} ${/'([^']+)'/.exec(message)?.[1] ?? message}`);
  const wanted = [...RULES.map(([file, , forbidden]) => [file, forbidden] as const), OTHER].flatMap(
    ([file, forbidden]) => forbidden.map((use) => `${file} ${use === usesProcess ? 'process' : use}`),
  );
  expect(linted).toBe(RULES.length + 1);
  expect(found.toSorted()).toEqual(wanted.toSorted());
});
