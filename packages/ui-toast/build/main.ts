import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { buildPage, buildScript } from './bundles.ts';

const [script, page] = await Promise.all([buildScript(), buildPage()]);
write('script/deskside-toaster.js', script);
write('page.json', JSON.stringify(page, undefined, 2));

/** A process that reads the file in parallel sees all of the old file or all of the new one. */
function write(name: string, text: string): void {
  const file = join(import.meta.dirname, '../dist', name);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(`${file}.${process.pid}`, text);
  renameSync(`${file}.${process.pid}`, file);
}
