import { build, type BuildOptions, type Plugin, transform } from 'esbuild';
import { readFile } from 'node:fs/promises';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import manifest from '../package.json' with { type: 'json' };
import { cardStyle } from '../src/card/style.ts';
import { viewStyle } from '../src/view/style.ts';

const target = ['chrome123', 'firefox125', 'safari17.5'];

/** Builds the element with its adapters as one classic script, for pages without a bundler. */
export async function buildScript(): Promise<string> {
  return bundle(import.meta.resolve('./deskside-toaster.ts'), { format: 'iife' });
}

/** Builds the element alone, to measure it. */
export async function buildElement(): Promise<string> {
  return bundle(import.meta.resolve('../src/index.ts'), { format: 'esm' });
}

/** Builds the MCP App view as one HTML file that fetches nothing. */
export async function buildPage() {
  const style = await minifyStyle(cardStyle + viewStyle);
  const script = await bundle(import.meta.resolve('../src/view/main.ts'), { format: 'esm', charset: 'utf8' });
  const toast = [
    '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Notification</title>',
    `<style>${style}</style></head><body><script type="module">${script.trim()}</script></body></html>`,
  ].join('');
  return { toast };
}

/**
 * Builds the modules that the package exports. They contain what they use of @deskside/core, so that a page does not
 * install it, and their styles are minified, which a page's bundler does not do.
 *
 * @returns files with their paths below `folder`
 */
export async function buildModules(folder: string): Promise<{ path: string; text: string }[]> {
  const sources = Object.values(manifest.exports).filter((path) => /^\.\/src\/(?!testing\/)/.test(path));
  const { outputFiles } = await build({
    entryPoints: sources.map((path) => fileURLToPath(import.meta.resolve(`../${path}`))),
    outbase: fileURLToPath(import.meta.resolve('../src')),
    outdir: folder,
    chunkNames: 'inlined/[name]-[hash]',
    bundle: true,
    splitting: true,
    format: 'esm',
    charset: 'utf8',
    target,
    platform: 'browser',
    external: ['react'],
    write: false,
    logLevel: 'warning',
    plugins: [minifiedStyles],
  });
  return outputFiles.map(({ path, text }) => ({ path: relative(folder, path), text }));
}

async function bundle(entry: string, options: Pick<BuildOptions, 'format' | 'charset'>): Promise<string> {
  const { outputFiles } = await build({
    ...options,
    entryPoints: [fileURLToPath(entry)],
    bundle: true,
    minify: true,
    target,
    platform: 'browser',
    legalComments: 'none',
    write: false,
    logLevel: 'warning',
    plugins: [minifiedStyles],
  });
  return outputFiles.map(({ text }) => text).join('');
}

async function minifyStyle(style: string): Promise<string> {
  const { code } = await transform(style, { loader: 'css', minify: true, charset: 'utf8', target });
  return code.trim();
}

/** Minifies the style sheets, which are template literals in files named style.ts. */
const minifiedStyles: Plugin = {
  name: 'minified-styles',
  setup({ onLoad }) {
    onLoad({ filter: /[/\\]style\.ts$/ }, async ({ path }) => {
      const source = await readFile(path, 'utf8');
      const [, before = '', style = '', after = ''] = /^(.*= )`([^`]*)`(;.*)$/s.exec(source) ?? [];
      return { loader: 'ts', contents: before + JSON.stringify(await minifyStyle(style)) + after };
    });
  },
};
