import { build } from 'esbuild';

/**
 * Bundles a module for a page.
 *
 * @param resolveDir folder in which its imports are resolved
 */
export async function pageScript(
  contents: string,
  resolveDir: string,
  mode: 'production' | 'development' = 'production',
): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir, loader: 'ts' },
    bundle: true,
    format: 'iife',
    define: { 'process.env.NODE_ENV': JSON.stringify(mode) },
    write: false,
  });
  return outputFiles.map(({ text }) => text).join('');
}
