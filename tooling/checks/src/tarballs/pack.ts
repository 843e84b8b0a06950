import type { WorkspacePackage } from '@deskside/repo';
import { command } from '../command.ts';

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
