import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Manifest } from '../workspace.ts';
import { build, type BuildOptions, type Plugin } from 'esbuild';

interface Modules extends Pick<BuildOptions, 'packages' | 'legalComments'> {
  readonly plugins?: readonly Plugin[];
  readonly entries: readonly string[];
  /** Folder of `dist` with what several entries share. */
  readonly shared: string;
}

/** Writes modules of a library, from `src` to the same places of `dist`. */
export async function buildModules(directory: string, modules: Modules): Promise<void> {
  rmSync(join(directory, 'dist', modules.shared), { recursive: true, force: true });
  if (modules.entries.length > 0) await build(outputOptions(directory, modules));
}

export function outputOptions(directory: string, { entries, shared, plugins = [], ...options }: Modules) {
  return {
    ...options,
    plugins: [...plugins],
    absWorkingDir: directory,
    entryPoints: [...entries],
    outbase: 'src',
    outdir: 'dist',
    chunkNames: `${shared}/[name]-[hash]`,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node22.18',
    logLevel: 'warning',
    allowOverwrite: true,
  } satisfies BuildOptions;
}

export function readManifest(directory: string): Manifest {
  return JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8')) as Manifest;
}
