import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, transform } from 'esbuild';

const target = ['chrome123', 'firefox125', 'safari17.5'];
/** A report loads nothing: it contains the design. */
const FRAME = 'body{margin:0;padding:20px;background:var(--page)}main{max-width:1200px;margin:auto}';

const { outputFiles } = await build({
  entryPoints: [fileURLToPath(import.meta.resolve('../src/view/browser/main.ts'))],
  bundle: true,
  minify: true,
  format: 'esm',
  charset: 'utf8',
  target,
  platform: 'browser',
  legalComments: 'none',
  write: false,
});
const script = outputFiles.map(({ text }) => text.trim()).join('');
const design = [
  import.meta.resolve('@deskside/look/tokens.css'),
  import.meta.resolve('@deskside/look/day.css'),
].map((url) => readFileSync(fileURLToPath(url), 'utf8'));
const { code } = await transform(design.join('') + FRAME, { loader: 'css', minify: true, target });
const file = join(import.meta.dirname, '../dist/view.json');
mkdirSync(dirname(file), { recursive: true });
// A process that reads the file in parallel sees all of the old file or all of the new one.
writeFileSync(`${file}.${process.pid}`, JSON.stringify({ script, style: code.trim() }));
renameSync(`${file}.${process.pid}`, file);
