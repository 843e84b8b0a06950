import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildPage } from './page.ts';

const folder = join(import.meta.dirname, '../dist');
const file = join(folder, 'page.json');
const text = JSON.stringify(await buildPage(), undefined, 2);

mkdirSync(folder, { recursive: true });
// A process that reads the file in parallel sees all of the old page or all of the new one.
writeFileSync(`${file}.${process.pid}`, text);
renameSync(`${file}.${process.pid}`, file);
