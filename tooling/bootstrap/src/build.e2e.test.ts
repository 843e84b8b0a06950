import { rmSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { CleanFolder } from './testing/clean-folder.ts';

const PROGRAM = 'apps/aggregator/dist/bin/cli.js';
const INSTALLED = 'node_modules/.pnpm/lock.yaml';
const SOURCE = 'packages/core/src/index.ts';

/** A clone that has been built once. */
async function builtClone(): Promise<CleanFolder> {
  const folder = new CleanFolder();
  folder.addProgram('pnpm', '12.0.0');
  folder.write('pnpm-adds', `#!/bin/sh\nmkdir -p $(dirname ${PROGRAM}); echo built > ${PROGRAM}\n`, 0o755);
  const files = ['package.json', 'pnpm-lock.yaml', 'tsconfig.base.json', 'turbo.json', '.toolchain/lock.1'];
  for (const file of [
    ...files,
    SOURCE,
    INSTALLED,
    'packages/core/README.md',
    'tooling/checks/src/build/cli.ts',
  ]) {
    folder.write(file, '');
  }
  folder.write('apps/aggregator/package.json', '');
  const built = folder.run(`const { build } = await load('build'); await build();`);
  expect(await built.exited).toBe(0);
  return folder;
}

async function isBuilt(folder: CleanFolder): Promise<string> {
  const asked = folder.run(`const { isBuilt } = await load('build'); console.log(isBuilt());`);
  expect(await asked.exited).toBe(0);
  return asked.stdout().trim();
}

test('a clone in which nothing has changed is not built again', async () => {
  const folder = await builtClone();
  expect(folder.calls()).toBe('pnpm run build\n');
  expect(await isBuilt(folder)).toBe('true');
  folder.write('packages/core/README.md', 'changed');
  folder.write('packages/core/dist/index.js', 'changed');
  expect(await isBuilt(folder)).toBe('true');
});

test.each<[string, (folder: CleanFolder) => void]>([
  ['a changed source', (folder) => folder.write(SOURCE, 'changed')],
  ['a source of another day', (folder) => utimesSync(join(folder.path, SOURCE), 1, 1)],
  ['a new source', (folder) => folder.write('packages/core/src/new.ts', '')],
  ['a changed lock file', (folder) => folder.write('pnpm-lock.yaml', 'changed')],
  ['a program of another build', (folder) => folder.write(PROGRAM, 'changed')],
  ['a program without its dependencies', (folder) => rmSync(join(folder.path, INSTALLED))],
])('%s is built again', async (_, change) => {
  const folder = await builtClone();
  change(folder);
  expect(await isBuilt(folder)).toBe('false');
});

test('a clone that was never built is built', async () => {
  expect(await isBuilt(new CleanFolder())).toBe('false');
});
