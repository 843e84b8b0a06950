import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { publicExports, root, type WorkspacePackage } from '@deskside/repo';
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

/** A program that imports the installed package. */
interface Consumer {
  readonly aspect: string;
  readonly specifiers: readonly string[];
  readonly options: object;
}

/** Type-checks programs that import the installed package, with all the declarations they reach. */
export async function checkConsumers(
  label: (aspect: string) => string,
  product: WorkspacePackage,
  folder: string,
): Promise<CheckResult[]> {
  const results: CheckResult[] = [];
  for (const consumer of consumersOf(product)) results.push(await check(label, consumer, folder));
  return results;
}

function consumersOf({ name, directory, manifest }: WorkspacePackage): Consumer[] {
  const subpaths = Object.keys(publicExports(manifest)).filter(
    (path) => !['.', './package.json'].includes(path),
  );
  const server = { aspect: 'types', specifiers: [name], options: {} };
  if (subpaths.length === 0) return [server];
  const specifiers = subpaths.map((path) => `${name}/${path.slice(2)}`);
  const options = {
    // A page's consumer has these, and the types of the peers that it chose.
    lib: [...compilerOptions.lib, 'dom', 'dom.iterable'],
    paths: { react: [join(directory, 'node_modules/@types/react/index.d.ts')] },
  };
  return [server, { aspect: 'types of its subpaths', specifiers, options }];
}

async function check(
  label: (aspect: string) => string,
  { aspect, specifiers, options }: Consumer,
  folder: string,
): Promise<CheckResult> {
  const imports = specifiers.map((specifier, index) => `import * as entry${index} from '${specifier}';`);
  const uses = specifiers.map((_specifier, index) => `void entry${index};`);
  await writeFile(join(folder, 'consumer.ts'), [...imports, ...uses, ''].join('\n'));
  await writeFile(
    join(folder, 'tsconfig.json'),
    JSON.stringify({ compilerOptions: { ...compilerOptions, ...options }, files: ['consumer.ts'] }),
  );
  const { failed, stdout } = await command('tsc', ['-p', folder, '--listFiles']);
  const lines = stdout.split('\n');
  const leaked = privateLibraries.filter((library) => lines.some((line) => line.includes(`/${library}/`)));
  const errors = failed ? lines.filter((line) => !/\.[cm]?ts$/.test(line)) : [];
  return resultOf(label(aspect), [...leaked.map((library) => `public types name ${library}`), ...errors]);
}
