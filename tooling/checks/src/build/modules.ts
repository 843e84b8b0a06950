import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { build, type BuildOptions } from 'esbuild';

interface Modules extends Pick<BuildOptions, 'packages' | 'plugins' | 'legalComments'> {
  readonly entries: readonly string[];
  /** Folder of `dist` with what several entries share. */
  readonly shared: string;
}

/** Writes modules of a library, from `src` to the same places of `dist`. */
export async function buildModules(
  directory: string,
  { entries, shared, ...options }: Modules,
): Promise<void> {
  rmSync(join(directory, 'dist', shared), { recursive: true, force: true });
  if (entries.length === 0) return;
  await build({
    ...options,
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
  });
}
