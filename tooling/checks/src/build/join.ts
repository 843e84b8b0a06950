import { globSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { lazyBuiltins } from './lazy-builtins.ts';
import { buildModules } from './modules.ts';

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
  await buildModules(directory, {
    entries: entries.map((entry) => entry.replace(/^\.\/dist\/(.*)\.js$/, 'src/$1.ts')),
    shared: SHARED,
    packages: 'external',
    plugins: [lazyBuiltins],
  });
  const kept = new Set(entries.map((entry) => join(directory, entry)));
  for (const file of globSync('**/*.js', { cwd: dist, exclude: [`${SHARED}/**`] })) {
    if (!kept.has(join(dist, file))) rmSync(join(dist, file));
  }
}
