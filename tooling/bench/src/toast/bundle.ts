import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import type { ToastSubject } from './subjects.ts';

export interface Bundle {
  readonly script: string;
  readonly style: string;
}

/** Minified, for one target, as a page would load it. */
export async function bundle({ source }: ToastSubject, external: readonly string[] = []): Promise<Bundle> {
  const { outputFiles } = await build({
    stdin: { contents: source, resolveDir: import.meta.dirname },
    outdir: 'out',
    bundle: true,
    minify: true,
    format: external.length === 0 ? 'iife' : 'esm',
    target: 'chrome123',
    define: { 'process.env.NODE_ENV': '"production"' },
    external: [...external],
    legalComments: 'none',
    write: false,
  });
  const textOf = (extension: string) => outputFiles.find(({ path }) => path.endsWith(extension))?.text ?? '';
  return { script: textOf('.js'), style: textOf('.css') };
}

/** Bytes, gzipped, of what the library adds to a page. */
export async function gzippedSize(subject: ToastSubject): Promise<number> {
  const { script, style } = await bundle(subject, subject.given);
  return gzipSync(script, { level: 9 }).length + (style === '' ? 0 : gzipSync(style, { level: 9 }).length);
}
