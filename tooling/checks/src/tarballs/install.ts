import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { published, type WorkspacePackage } from '@deskside/repo';
import type { CheckResult } from '../check.ts';
import { command, commandResult } from '../command.ts';
import type { Tarball } from './pack.ts';

/** Installs a product as npm would for a user, its siblings from their tarballs. */
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
