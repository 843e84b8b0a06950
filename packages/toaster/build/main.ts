import { globSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { buildModules, buildPage, buildScript } from './bundles.ts';

const dist = join(import.meta.dirname, '../dist');

const [script, page] = await Promise.all([buildScript(), buildPage()]);
write('script/deskside-toaster.js', script);
write('page.json', JSON.stringify(page, undefined, 2));
// One of them contains the page.
const modules = await buildModules(dist);
for (const { path, text } of modules) write(path, text);
const current = new Set(modules.map(({ path }) => path));
for (const path of globSync('inlined/*', { cwd: dist })) if (!current.has(path)) rmSync(join(dist, path));

/** A process that reads the file in parallel sees all of the old file or all of the new one. */
function write(path: string, text: string): void {
  const file = join(dist, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(`${file}.${process.pid}`, text);
  renameSync(`${file}.${process.pid}`, file);
}
