import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';

const page = join(import.meta.dirname, '../src');
/** The picture of a day behaves as in its report. */
const BARS = '../../../packages/manictime/src/view/browser/bars.ts';

const TARGET = ['chrome123', 'firefox125', 'safari17.5'];

/** The page is one document: a browser that fetches nothing else paints sooner. */
async function bundle(file: string, format: 'esm' | 'iife' = 'esm'): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [join(page, file)],
    bundle: true,
    minify: true,
    format,
    charset: 'utf8',
    target: TARGET,
    platform: 'browser',
    legalComments: 'none',
    write: false,
    logLevel: 'warning',
  });
  return outputFiles.map(({ text }) => text.trim()).join('');
}

/** The source expression that allows an inline part in a Content-Security-Policy. */
function policyHash(part: string): string {
  return `'sha256-${createHash('sha256').update(part).digest('base64')}'`;
}

const [bars, main, style] = await Promise.all([
  bundle(BARS, 'iife'),
  bundle('browser/main.ts'),
  bundle('assets/page.css'),
]);
const script = bars + main;
const icon =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><rect x="1" y="3" width="14" height="10" rx="3" fill="#1f4fbf"/><circle cx="8" cy="8" r="2" fill="#fff"/></svg>';
const head = [
  `<link rel="icon" href="data:image/svg+xml,${encodeURIComponent(icon)}">`,
  `<style>${style}</style>`,
  `<script type="module">${script}</script>`,
].join('');
const html = readFileSync(join(page, 'assets/page.html'), 'utf8').replace('{{head}}', () => head);
const folder = join(import.meta.dirname, '../dist');
const file = join(folder, 'page.json');
mkdirSync(folder, { recursive: true });
const text = JSON.stringify({ html, scriptHash: policyHash(script), styleHash: policyHash(style) });
// A process that reads the file in parallel sees all of the old file or all of the new one.
writeFileSync(`${file}.${process.pid}`, text);
renameSync(`${file}.${process.pid}`, file);
