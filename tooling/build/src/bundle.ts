import { chmodSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build, type BuildOptions, type Metafile } from 'esbuild';
import { copyAssets } from './assets.ts';
import { readExternals } from './externals.ts';
import { collectNotices } from './notices.ts';

const requireForCommonJs = [
  "import { createRequire as createBundleRequire } from 'node:module';",
  'const require = createBundleRequire(import.meta.url);',
].join('\n');

/**
 * Bundles a package's `src/cli.ts` into `dist/bin`, in chunks: one file would hoist the static imports of every
 * lazily imported module to the start. A package's version comes from
 * `import manifest from '../package.json' with { type: 'json' }`, which holds in the sources and under `dist`,
 * and is copied into the bundle.
 */
export async function bundle(directory: string): Promise<void> {
  const options = {
    absWorkingDir: directory,
    entryPoints: ['src/cli.ts'],
    outdir: 'dist/bin',
    chunkNames: '[name]-[hash]',
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node22.18',
    external: readExternals(directory),
    legalComments: 'eof',
    logLevel: 'warning',
    metafile: true,
  } satisfies BuildOptions;

  rmSync(join(directory, 'dist/bin'), { recursive: true, force: true });
  const { metafile } = await build({ ...options, write: false });
  await build(requiresAtRunTime(metafile) ? { ...options, banner: { js: requireForCommonJs } } : options);
  copyAssets(directory);
  chmodSync(join(directory, 'dist/bin/cli.js'), 0o755);
  writeFileSync(join(directory, 'dist/bin/NOTICES.txt'), collectNotices(directory, metafile));
}

function requiresAtRunTime({ outputs }: Metafile): boolean {
  return Object.values(outputs).some(({ imports }) => imports.some(({ kind }) => kind === 'require-call'));
}
