import { globSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { type CheckResult, command, commandResult, resultOf } from '../check.ts';
import { isForPages, publicExports, root, type WorkspacePackage } from '../workspace.ts';
import { handshake } from './bins.ts';
import { readInstalledManifest } from './contents.ts';
import type { Tarball } from './install.ts';

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

/** The compiler of this repository: TypeScript 5, which reads declarations here, has a `tsc` too. */
const TSC = join(root, 'node_modules/.bin/tsc');

/** Public types must not need these libraries. */
const privateLibraries = ['better-sqlite3', 'drizzle-orm'];

/** Type-checks programs that import the installed package, including all declarations that they reach. */
export async function checkConsumers(
  label: (aspect: string) => string,
  product: WorkspacePackage,
  folder: string,
): Promise<CheckResult[]> {
  const { name, directory, manifest } = product;
  const subpaths = Object.keys(publicExports(manifest))
    .filter((path) => !['.', './package.json'].includes(path))
    .map((path) => join(name, path));
  const options = {
    // The consumer of a browser entry has the DOM and the types of its peers.
    lib: [...compilerOptions.lib, 'dom', 'dom.iterable'],
    paths: { react: [join(directory, 'node_modules/@types/react/index.d.ts')] },
  };
  if (isForPages(product)) return [await check(label('types'), [name, ...subpaths], folder, options)];
  const { peerDependencies = {}, peerDependenciesMeta = {} } = readInstalledManifest(folder, name);
  // Optional peers, which the author installs. React's types are enough.
  const peers = Object.entries(peerDependencies)
    .filter(([peer]) => peerDependenciesMeta[peer]?.optional === true && peer !== 'react')
    .map(([peer, range]) => `${peer}@${range}`);
  if (peers.length === 0) return [await check(label('types'), [name, ...subpaths], folder)];
  const args = ['install', '--prefer-offline', '--no-audit', '--no-fund', ...peers];
  return [
    await check(label('types without optional peers'), [name], folder),
    await commandResult(label('install peers'), command('npm', args, { cwd: folder })),
    await check(label('types of its subpaths'), subpaths, folder, options),
  ];
}

async function check(
  label: string,
  specifiers: readonly string[],
  folder: string,
  options: object = {},
): Promise<CheckResult> {
  const imports = specifiers.map((specifier, index) => `import * as entry${index} from '${specifier}';`);
  const uses = specifiers.map((_specifier, index) => `void entry${index};`);
  await writeFile(join(folder, 'consumer.ts'), [...imports, ...uses, ''].join('\n'));
  await writeFile(
    join(folder, 'tsconfig.json'),
    JSON.stringify({ compilerOptions: { ...compilerOptions, ...options }, files: ['consumer.ts'] }),
  );
  const { failed, stdout } = await command(TSC, ['-p', folder, '--listFiles']);
  const lines = stdout.split('\n');
  const leaked = privateLibraries.filter((library) => lines.some((line) => line.includes(`/${library}/`)));
  const errors = failed ? lines.filter((line) => !/\.[cm]?ts$/.test(line)) : [];
  return resultOf(label, [...leaked.map((library) => `public types name ${library}`), ...errors]);
}

/** A page installs this package alone, and a server that renders the page can import its modules. */
export async function checkForPages(
  label: (aspect: string) => string,
  { name, manifest }: WorkspacePackage,
  folder: string,
): Promise<CheckResult[]> {
  const installed = globSync('node_modules/{[!@.]*,@*/*}', { cwd: folder });
  const others = installed.filter((path) => path !== join('node_modules', name));
  const imports = Object.keys(publicExports(manifest))
    .filter((subpath) => !['./react', './sonner', './package.json'].includes(subpath))
    .map((subpath) => `await import('${join(name, subpath)}');`);
  const program = command('node', ['--input-type=module', '--eval', imports.join('\n')], { cwd: folder });
  return [
    resultOf(
      label('installs no other package'),
      others.map((path) => `installs ${path}`),
    ),
    await commandResult(label('imports in Node.js'), program),
  ];
}

/** With two versions of zod in one program, the compiler runs out of memory after minutes: zod is a peer of core. */
const COMPILE_TIMEOUT_MS = 60_000;
const START_TIMEOUT_MS = 30_000;

/** Follows docs/core.md in an empty folder, beside the lowest zod that the package accepts and the one developed with. */
export async function checkOwnServer(
  label: (aspect: string) => string,
  product: WorkspacePackage,
  { path }: Tarball,
  folder: string,
): Promise<CheckResult[]> {
  const range = readInstalledManifest(folder, product.name).peerDependencies?.['zod'] ?? '';
  const [lowest] = /\d+\.\d+\.\d+/.exec(range) ?? [];
  if (lowest === undefined) return [resultOf(label('zod'), ['zod is not a peer dependency with a range'])];
  const results: CheckResult[] = [];
  for (const version of new Set([lowest, developedWith(product)])) {
    const aspect = label(`the server of docs/core.md beside zod ${version}`);
    results.push(resultOf(aspect, await ownServerFaults(path, version, join(folder, `zod-${version}`))));
  }
  return results;
}

function developedWith({ directory }: WorkspacePackage): string {
  const manifest: unknown = createRequire(join(directory, 'package.json'))('zod/package.json');
  return (manifest as { readonly version: string }).version;
}

async function ownServerFaults(tarball: string, zod: string, folder: string): Promise<string[]> {
  const page = await readFile(join(root, 'docs/core.md'), 'utf8');
  const [, tsconfig] = /```json\n([^]*?)```/.exec(page) ?? [];
  const [, call] = /^echo '(.*)' \| node cli\.ts$/m.exec(page) ?? [];
  const [server, cli] = ['server', 'cli'].map(
    (name) => new RegExp(`<!-- example/${name}\\.ts -->\\s*\`\`\`ts\\n([^]*?)\`\`\``).exec(page)?.[1],
  );
  if (tsconfig === undefined || call === undefined || server === undefined || cli === undefined) {
    return ['docs/core.md lacks tsconfig.json, server.ts, cli.ts or the call'];
  }
  await mkdir(folder);
  const files = { 'package.json': '{ "type": "module" }', 'tsconfig.json': tsconfig, 'server.ts': server };
  for (const [name, text] of Object.entries({ ...files, 'cli.ts': cli })) {
    await writeFile(join(folder, name), text);
  }
  const packages = [tarball, `zod@${zod}`, 'typescript', '@types/node'];
  const args = ['install', '--prefer-offline', '--no-audit', '--no-fund', ...packages];
  const installed = await command('npm', args, { cwd: folder });
  if (installed.failed) return [installed.all];

  const compiler = join(folder, 'node_modules/.bin/tsc');
  const compiled = await command(compiler, [], { cwd: folder, timeout: COMPILE_TIMEOUT_MS });
  if (compiled.failed) return [compiled.shortMessage ?? '', compiled.all];

  const { stdout, all } = await command('node', ['cli.ts'], {
    cwd: folder,
    input: `${handshake}${call}\n`,
    stdin: 'pipe',
    timeout: START_TIMEOUT_MS,
  });
  // With two versions of zod, descriptions are lost.
  const descriptions = [...server.matchAll(/\.describe\('([^']+)'\)/g)].map(([, text]) =>
    JSON.stringify(text),
  );
  if (descriptions.length === 0) return ['server.ts of docs/core.md describes no parameter'];
  const wanted = [...descriptions, '"truncation":{"truncated":true,"returnedCount":3,"totalAvailable":5}'];
  const missing = wanted.filter((part) => !stdout.includes(part)).map((part) => `does not answer ${part}`);
  return missing.length > 0 ? [...missing, all] : [];
}
