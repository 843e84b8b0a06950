import { join } from 'node:path';
import { build, type BuildOptions, transform } from 'esbuild';
import { cardStyle } from '../src/card/card-style.ts';
import { viewStyle } from '../src/view/view-style.ts';

const directory: string = join(import.meta.dirname, '..');
const target = ['chrome123', 'firefox125', 'safari17.5'];

/** The element with its adapters as one classic script: `<script src="deskside-toaster.js"></script>`. */
export async function scriptFile(): Promise<string> {
  return bundled('src/script/deskside-toaster.ts', { format: 'iife', globalName: 'deskside' });
}

/** The MCP App view as one HTML file that fetches nothing. */
export async function viewPage(): Promise<string> {
  const { code: style } = await transform(cardStyle + viewStyle, {
    loader: 'css',
    minify: true,
    charset: 'utf8',
    target,
  });
  const script = await bundled('src/view/main.ts', { format: 'esm', charset: 'utf8' });
  return [
    '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Notification</title>',
    `<style>${style.trim()}</style></head><body><script type="module">${script.trim()}</script></body></html>`,
  ].join('');
}

async function bundled(
  entry: string,
  options: Pick<BuildOptions, 'format' | 'globalName' | 'charset'>,
): Promise<string> {
  const { outputFiles } = await build({
    ...options,
    absWorkingDir: directory,
    entryPoints: [entry],
    bundle: true,
    minify: true,
    target,
    platform: 'browser',
    legalComments: 'none',
    write: false,
    logLevel: 'warning',
  });
  return outputFiles.map(({ text }) => text).join('');
}
