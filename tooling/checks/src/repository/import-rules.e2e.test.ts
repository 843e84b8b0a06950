import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { command } from '../check.ts';
import { root, servers } from '../workspace.ts';

/** Lints one file in an empty repository with the rules of this one, and returns the restricted imports. */
async function restrictedImports(path: string, text: string): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'deskside-lint-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  cpSync(join(root, 'oxlint.config.ts'), join(folder, 'oxlint.config.ts'));
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  for (const server of servers) {
    const source = join(folder, 'packages', basename(server.directory), 'src');
    mkdirSync(source, { recursive: true });
    writeFileSync(join(source, 'server.ts'), '');
  }
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text);
  const { stdout } = await command('oxlint', ['--format=json', path], { cwd: folder });
  const { diagnostics, number_of_files } = JSON.parse(stdout) as {
    readonly diagnostics: readonly { readonly code: string; readonly message: string }[];
    readonly number_of_files: number;
  };
  expect(number_of_files).toBe(1);
  return diagnostics
    .filter(({ code }) => code.includes('no-restricted'))
    .map(({ message }) => /'([^']+)'/.exec(message)?.[1] ?? message)
    .toSorted();
}

const importsOf = (...specifiers: readonly string[]) =>
  specifiers.map((specifier, index) => `export * as e${index} from '${specifier}';\n`).join('');

test('a server imports neither tooling, test support, another server nor the SDK', async () => {
  const forbidden = [
    '@deskside/manictime',
    '@deskside/testkit',
    '@modelcontextprotocol/server',
    './testing/rows.ts',
  ];
  const allowed = ['@deskside/core', '@deskside/core/cli', '@deskside/core/text', './store/store.ts', 'zod'];
  const text = importsOf(...forbidden, ...allowed);
  expect(await restrictedImports('packages/todo/src/todo.ts', text)).toEqual(forbidden.toSorted());
});

test.each([
  ['a type import', "import type { Peer } from '@deskside/testkit';\nexport type P = Peer;\n"],
  ['a dynamic import', "export const kit = await import('@deskside/testkit');\n"],
])('%s of tooling in a server is restricted', async (_form, text) => {
  expect(await restrictedImports('packages/todo/src/todo.ts', text)).toEqual(['@deskside/testkit']);
});

test('a domain folder imports of core only /text, /errors, /dates, /base and /app, and nothing that uses the domain', async () => {
  const forbidden = [
    '../options.ts',
    '../todo.ts',
    '../tools/index.ts',
    '@deskside/core',
    '@deskside/core/cli',
  ];
  const allowed = [
    '@deskside/core/app',
    '@deskside/core/base',
    '@deskside/core/dates',
    '@deskside/core/errors',
    '@deskside/core/text',
    '../validation/title.ts',
  ];
  const text = importsOf(...forbidden, ...allowed);
  expect(await restrictedImports('packages/todo/src/store/store.ts', text)).toEqual(forbidden);
});

test('only the aggregator and the folders of notify-popup that share a screen import /desk of core', async () => {
  const text = importsOf('@deskside/core/desk');
  const allowed = ['desktop/shared-desk', 'window/news-holder'].map(
    (path) => `packages/notify-popup/src/${path}.ts`,
  );
  for (const path of [...allowed, 'apps/aggregator/src/attach/client.ts']) {
    expect(await restrictedImports(path, text), path).toEqual([]);
  }
  const forbidden = ['todo/src/todo', 'todo/src/store/store', 'todo/src/tools/tool', 'todo/src/cli'];
  for (const path of [...forbidden, 'notify-popup/src/service/inbox', 'toaster/src/element/toaster']) {
    expect(await restrictedImports(`packages/${path}.ts`, text), path).toEqual(['@deskside/core/desk']);
  }
});

test('tools may import core, but not the SDK', async () => {
  const text = importsOf('@deskside/core', '../todo.ts', '@modelcontextprotocol/server');
  const path = 'packages/todo/src/tools/add-task.ts';
  expect(await restrictedImports(path, text)).toEqual(['@modelcontextprotocol/server']);
});

test('core imports no other package of the family', async () => {
  expect(await restrictedImports('packages/core/src/index.ts', importsOf('@deskside/todo'))).toEqual([
    '@deskside/todo',
  ]);
});

test('the aggregator imports the public index of servers and the client of the SDK', async () => {
  const forbidden = ['@deskside/testkit', '@deskside/todo/store', '@modelcontextprotocol/server'];
  const text = importsOf(
    ...forbidden,
    '@deskside/todo',
    '@deskside/core/cli',
    '@modelcontextprotocol/client',
  );
  expect(await restrictedImports('apps/aggregator/src/server.ts', text)).toEqual(forbidden);
});

test('toaster imports only those parts of core that its build inlines', async () => {
  const forbidden = ['@deskside/core', '@deskside/core/base', '@deskside/core/errors', '@deskside/ui-toast'];
  const text = importsOf(...forbidden, '@deskside/core/app', '@deskside/core/text', './card.ts');
  expect(await restrictedImports('packages/toaster/src/element/toaster.ts', text)).toEqual(forbidden);
});

test('only bins use the process', async () => {
  const text = 'export const id = process.pid;\n';
  expect(await restrictedImports('packages/todo/src/todo.ts', text)).toHaveLength(1);
  expect(await restrictedImports('packages/todo/src/cli.ts', text)).toEqual([]);
});
