import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { root, type WorkspacePackage } from '@deskside/repo';
import { resultOf, type CheckResult } from '../check.ts';
import { command } from '../command.ts';

const compilerOptions = {
  noEmit: true,
  strict: true,
  skipLibCheck: false,
  target: 'es2023',
  lib: ['es2024', 'esnext.disposable'],
  module: 'nodenext',
  types: ['node'],
  typeRoots: [join(root, 'node_modules/@types')],
};

/** Libraries that are a package's own affair: its public types must not need them. */
const privateLibraries = ['drizzle-orm'];

/** Type-checks a program that imports the installed package, with all the declarations it reaches. */
export async function checkConsumer(
  name: string,
  product: WorkspacePackage,
  folder: string,
): Promise<CheckResult> {
  await writeFile(
    join(folder, 'consumer.ts'),
    `import * as product from '${product.name}';\nvoid product;\n`,
  );
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['consumer.ts'] }));
  const { failed, stdout } = await command('tsc', ['-p', folder, '--listFiles']);
  const lines = stdout.split('\n');
  const leaked = privateLibraries.filter((library) => lines.some((line) => line.includes(`/${library}/`)));
  const errors = failed ? lines.filter((line) => !/\.[cm]?ts$/.test(line)) : [];
  return resultOf(name, [...leaked.map((library) => `public types name ${library}`), ...errors]);
}
