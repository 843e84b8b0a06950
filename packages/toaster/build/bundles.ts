import { build, type BuildOptions, type Plugin, transform } from 'esbuild';
import { readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type CompressOptions, minify, type MinifyOptions } from 'terser';
import manifest from '../package.json' with { type: 'json' };
import { cardStyle } from '../src/card/style.ts';
import { viewStyle } from '../src/view/style.ts';

const target = ['chrome123', 'firefox125', 'safari17.5'];

/**
 * Members of internal classes and objects. The build shortens them, here because the bundler of a page cannot know that they
 * are internal. A test compares them with the names that pages use. None may be a method of a browser that the
 * element calls.
 */
export const INTERNAL_MEMBERS =
  'announce announceChange announcer arrange assertive closeFocused closeIfEmpty endTouch forget hasFocus hasAt isAway ' +
  'isBlocked isHeld isInside isOpen isShown isSteady isUnread layer markMoved nodes note ' +
  'onAction onClose onMore onRecord onShow onUnread paused pauses polite raise reachFor record recover redraw ' +
  'rescue restart restore setMore showWaiting stacks stateOf toggleFocus wasError weight';

const mangleProps = new RegExp(`^(?:${INTERNAL_MEMBERS.replaceAll(' ', '|')})$`);

/** Builds the element with its adapters as one classic script, for pages without a bundler. */
export async function buildScript(): Promise<string> {
  return bundle(import.meta.resolve('./deskside-toaster.ts'), { format: 'iife' });
}

/** Bundles the built element as a page does, to measure it. */
export async function bundleElement(dist: string): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [join(dist, 'index.js')],
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'browser',
    write: false,
    logLevel: 'warning',
  });
  return outputFiles.map(({ text }) => text).join('');
}

/** Builds the MCP App view as one HTML file that fetches nothing. */
export async function buildPage() {
  const style = await minifyStyle(cardStyle + viewStyle);
  const script = await bundle(import.meta.resolve('../src/view/main.ts'), { format: 'esm', charset: 'utf8' });
  // The tags that HTML lets authors omit are omitted.
  const toast = `<!doctype html><html lang=en><meta charset=utf-8><title>Notification</title><style>${style}</style><script type=module>${script}</script>`;
  return { toast };
}

/**
 * Builds the modules that the package exports. They contain what they use of @deskside/core, so that a page does not
 * install it. Their styles are minified and their statements are compressed, which few bundlers of pages do.
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
    mangleProps,
    platform: 'browser',
    external: ['react'],
    write: false,
    logLevel: 'warning',
    plugins: [minifiedStyles],
  });
  const modules = outputFiles.map(async ({ path, text }) => ({
    path: relative(folder, path),
    text: await compress(text, { mangle: false, format: { beautify: true } }, { reduce_funcs: false }),
  }));
  return Promise.all(modules);
}

async function bundle(entry: string, options: Pick<BuildOptions, 'format' | 'charset'>): Promise<string> {
  const { outputFiles } = await build({
    ...options,
    entryPoints: [fileURLToPath(entry)],
    bundle: true,
    target,
    mangleProps,
    platform: 'browser',
    legalComments: 'none',
    write: false,
    logLevel: 'warning',
    plugins: [minifiedStyles],
  });
  const script = outputFiles.map(({ text }) => text).join('');
  return compress(script, { format: { ascii_only: options.charset !== 'utf8' } });
}

/** Terser's result is smaller than that of esbuild. The directive `use client` stays. */
async function compress(
  script: string,
  options: MinifyOptions = {},
  more: CompressOptions = {},
): Promise<string> {
  // No getter of ours has an effect, and no function that uses neither `this` nor `new` is called with `new`.
  const compressed = { passes: 3, directives: false, pure_getters: true, unsafe_arrows: true, ...more };
  const { code = '' } = await minify(script, { module: true, ecma: 2020, compress: compressed, ...options });
  return code;
}

async function minifyStyle(style: string): Promise<string> {
  const { code } = await transform(style, { loader: 'css', minify: true, charset: 'utf8', target });
  // The values of custom properties keep their blanks.
  return code.trim().replaceAll(/([,:]) /g, '$1');
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
