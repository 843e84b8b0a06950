import { globSync, readFileSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { packages } from '../workspace.ts';

/** How esbuild names what several entries share, and what is loaded later. */
const HASHED = /-[A-Z\d]{8}\.js$/;

/** Removes the files of other builds that a restored build was written over: nothing names them. */
export function removeOtherBuilds(directory: string): void {
  const files = globSync('dist/**/*.js', { cwd: directory }).map((file) => join(directory, file));
  const unused = new Set(files.filter((file) => HASHED.test(file)));
  const read = (file: string) => {
    const code = readFileSync(file, 'utf8');
    for (const other of unused) {
      if (code.includes(basename(other)) && unused.delete(other)) read(other);
    }
  };
  files.filter((file) => !HASHED.test(file)).forEach(read);
  for (const file of unused) rmSync(file);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const { directory } of packages) removeOtherBuilds(directory);
}
