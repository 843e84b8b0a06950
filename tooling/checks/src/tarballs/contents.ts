import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { published } from '@deskside/repo';
import { resultOf, type CheckResult } from '../check.ts';
import type { Tarball } from './pack.ts';

const needed = ['LICENSE', 'README.md', 'package.json', 'dist/index.js', 'dist/index.d.ts'];
const unwanted = /^src\/|\.test\.|\/testing\/|\.tsbuildinfo$|\.map$/;

export function checkContents(name: string, { files }: Tarball): CheckResult {
  return resultOf(name, [
    ...needed.filter((file) => !files.includes(file)).map((file) => `lacks ${file}`),
    ...files.filter((file) => unwanted.test(file)).map((file) => `holds ${file}`),
    ...files.filter((file) => isStale(file)).map((file) => `holds ${file}, whose source is gone`),
  ]);
}

/** A file may come from a package that is bundled: what it reads at run time comes along. */
function isStale(file: string): boolean {
  const [, path] = /^dist\/(?!bin\/)(.*)\.js$/.exec(file) ?? [];
  if (path === undefined) return false;
  const sources = ['ts', 'tsx', 'js'].map((type) => `src/${path}.${type}`);
  return !published.some(({ directory }) => sources.some((source) => existsSync(join(directory, source))));
}
