import { join } from 'node:path';
import { build } from 'esbuild';

const directory = join(import.meta.dirname, '..');

/** The query thread in one file, over the one of tsc: it starts sooner, and without Zod it takes 30 MB less. */
await build({
  absWorkingDir: directory,
  entryPoints: ['src/queries/worker.ts'],
  outfile: 'dist/queries/worker.js',
  allowOverwrite: true,
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node22.18',
  external: ['better-sqlite3'],
  legalComments: 'none',
  logLevel: 'warning',
});
