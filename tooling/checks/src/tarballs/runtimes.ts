import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { root } from '@deskside/repo';
import { nodePackage, npmInstall } from '../../../bootstrap/toolchain.mjs';
import { command } from '../command.ts';

/** A folder that holds `node`. */
export interface Runtime {
  readonly label: string;
  readonly folder: string;
}

export interface Runtimes {
  readonly supported: readonly Runtime[];
  readonly tooOld: Runtime;
}

/** The Node that runs this, the oldest that published packages support, and one that they refuse. */
export async function fetchRuntimes(): Promise<Runtimes> {
  const current = { label: `node ${process.versions.node}`, folder: dirname(process.execPath) };
  const [oldest, tooOld] = await Promise.all([fetchNode('22.18'), fetchNode('20')]);
  return { supported: [current, oldest], tooOld };
}

async function fetchNode(version: string): Promise<Runtime> {
  const prefix = join(root, `.toolchain/node-${version}`);
  const folder = join(prefix, 'node_modules/.bin');
  if (!existsSync(join(folder, 'node'))) {
    const { failed, all } = await command('npm', npmInstall(prefix, [nodePackage(version)]));
    if (failed) throw new Error(`Node ${version} can't be fetched\n${all}`);
  }
  return { label: `node ${version}`, folder };
}
