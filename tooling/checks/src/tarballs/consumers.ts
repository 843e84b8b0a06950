import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { connectStdio } from '@deskside/testkit';
import { type CheckResult, command, commandResult, resultOf } from '../check.ts';
import { isForPages, type Manifest, publicExports, root, type WorkspacePackage } from '../workspace.ts';
import { installFor, type Tarball } from './install.ts';

/** Optional peers, and the declarations that a user of a subpath has installed. */
const PEERS = {
  react: '@types/react/index.d.ts',
  '@modelcontextprotocol/client': '@modelcontextprotocol/client/dist/index.d.mts',
};

/** The compiler of this repository: TypeScript 5, which reads declarations here, has a `tsc` too. */
const TSC = join(root, 'node_modules/.bin/tsc');

/**
 * Type-checks a program that imports the installed package, and all declarations that it reaches. With optional peers,
 * two: one imports the main entry without them, the other one the subpaths.
 */
export async function checkConsumers(product: WorkspacePackage, folder: string): Promise<CheckResult[]> {
  const { name, directory, manifest } = product;
  const subpaths = Object.keys(publicExports(manifest))
    .filter((path) => !['.', './package.json'].includes(path))
    .map((path) => join(name, path));
  const peers = Object.entries(PEERS).filter(([peer]) => peer in (manifest.peerDependencies ?? {}));
  if (peers.length === 0) return [await check('types', [name, ...subpaths], folder, {})];
  const modules = join(directory, 'node_modules');
  const paths = Object.fromEntries(peers.map(([peer, file]) => [peer, [join(modules, file)]]));
  // The consumer of a browser entry has the DOM.
  const options = { lib: ['es2024', 'esnext.disposable', 'dom', 'dom.iterable'], paths };
  return [
    await check('types', [name], folder, isForPages(product) ? options : {}),
    await check('types of its subpaths', subpaths, folder, options),
  ];
}

async function check(
  label: string,
  specifiers: readonly string[],
  folder: string,
  options: object,
): Promise<CheckResult> {
  const lines = specifiers.map(
    (name, index) => `import * as entry${index} from '${name}'; void entry${index};`,
  );
  writeFileSync(join(folder, 'consumer.ts'), ['export {};', ...lines, ''].join('\n'));
  const compilerOptions = {
    noEmit: true,
    strict: true,
    skipLibCheck: false,
    target: 'es2023',
    lib: ['es2024', 'esnext.disposable'],
    module: 'nodenext',
    types: ['node'],
    typeRoots: [join(root, 'node_modules/@types')],
    ...options,
  };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['consumer.ts'] }));
  return commandResult(label, command(TSC, ['-p', folder]));
}

/** With two versions of zod in one program, the compiler runs out of memory after minutes: zod is a peer of core. */
const COMPILE_TIMEOUT_MS = 300_000;

/** Follows docs/core.md beside the lowest zod that the package accepts: all tests run with the newest. */
export async function checkOwnServer(
  { name }: WorkspacePackage,
  { path }: Tarball,
  folder: string,
): Promise<CheckResult> {
  const file = join(folder, 'node_modules', name, 'package.json');
  const { peerDependencies = {} } = JSON.parse(readFileSync(file, 'utf8')) as Manifest;
  const [zod] = /\d+\.\d+\.\d+/.exec(peerDependencies['zod'] ?? '') ?? [];
  const faults = await ownServerFaults(path, `zod@${zod}`, join(folder, 'own-server'));
  return resultOf(`the server of docs/core.md beside zod ${zod}`, faults);
}

async function ownServerFaults(tarball: string, zod: string, folder: string): Promise<string[]> {
  const page = readFileSync(join(root, 'docs/core.md'), 'utf8');
  const code = (pattern: RegExp) => {
    const [, found] = pattern.exec(page) ?? [];
    if (found === undefined) throw new Error(`docs/core.md has nothing like ${pattern}`);
    return found;
  };
  const server = code(/<!-- example\/server\.ts -->\s*```ts\n([^]*?)```/);
  const call = code(/^echo '(.*)' \| node cli\.ts$/m);
  await installFor(folder, [tarball, zod, 'typescript', '@types/node']);
  writeFileSync(join(folder, 'tsconfig.json'), code(/```json\n([^]*?)```/));
  writeFileSync(join(folder, 'server.ts'), server);
  writeFileSync(join(folder, 'cli.ts'), code(/<!-- example\/cli\.ts -->\s*```ts\n([^]*?)```/));

  const compiler = join(folder, 'node_modules/.bin/tsc');
  const compiled = await command(compiler, [], { cwd: folder, timeout: COMPILE_TIMEOUT_MS });
  if (compiled.failed) return [compiled.shortMessage ?? '', compiled.all];

  const program = { command: process.execPath, args: [join(folder, 'cli.ts')] };
  await using peer = await connectStdio(program, { era: 'legacy' });
  const { params } = JSON.parse(call) as { params: { name: string; arguments: Record<string, unknown> } };
  const answers = JSON.stringify([
    await peer.listTools(),
    await peer.callTool(params.name, params.arguments),
  ]);
  // With two versions of zod, descriptions are lost.
  const descriptions = Array.from(server.matchAll(/\.describe\('([^']+)'\)/g), ([, text]) =>
    JSON.stringify(text),
  );
  if (descriptions.length === 0) return ['server.ts of docs/core.md describes no parameter'];
  const wanted = [...descriptions, '"truncation":{"truncated":true,"returnedCount":3,"totalAvailable":5}'];
  return wanted
    .filter((part) => !answers.includes(part))
    .map((part) => `does not answer ${part}: ${answers}`);
}
