import { globSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { lazyBuiltins } from './lazy-builtins.ts';

/** Folder of `dist` with what several entries share. */
const SHARED = 'chunks';

/**
 * Writes a library as one file per entry and a few shared ones, because Node.js loads many small files slowly. The
 * dependencies stay imports. See docs/decisions/0067.
 *
 * @param exported its published files, such as `./dist/text/index.js`
 */
export async function joinModules(directory: string, exported: readonly string[]): Promise<void> {
  const entries = exported.filter((file) => file.endsWith('.js'));
  const dist = join(directory, 'dist');
  rmSync(join(dist, SHARED), { recursive: true, force: true });
  await build({
    absWorkingDir: directory,
    entryPoints: entries.map((entry) => entry.replace(/^\.\/dist\/(.*)\.js$/, 'src/$1.ts')),
    outbase: 'src',
    outdir: 'dist',
    chunkNames: `${SHARED}/[name]-[hash]`,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node22.18',
    packages: 'external',
    plugins: [lazyBuiltins],
    logLevel: 'warning',
  });
  const kept = new Set(entries.map((entry) => join(directory, entry)));
  for (const file of globSync('**/*.js', { cwd: dist, exclude: [`${SHARED}/**`] })) {
    if (!kept.has(join(dist, file))) rmSync(join(dist, file));
  }
}
