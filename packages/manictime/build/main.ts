import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const { outputFiles } = await build({
  entryPoints: [fileURLToPath(import.meta.resolve('../src/view/browser/main.ts'))],
  bundle: true,
  minify: true,
  format: 'esm',
  charset: 'utf8',
  target: ['chrome123', 'firefox125', 'safari17.5'],
  platform: 'browser',
  legalComments: 'none',
  write: false,
});
const script = outputFiles.map(({ text }) => text.trim()).join('');
const file = join(import.meta.dirname, '../dist/view-script.json');
mkdirSync(dirname(file), { recursive: true });
// A process that reads the file in parallel sees all of the old file or all of the new one.
writeFileSync(`${file}.${process.pid}`, JSON.stringify({ script }));
renameSync(`${file}.${process.pid}`, file);
