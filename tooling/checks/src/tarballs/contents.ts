import { existsSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { published, type WorkspacePackage } from '@deskside/repo';
import { resultOf, type CheckResult } from '../check.ts';
import type { Tarball } from './pack.ts';

const needed = ['LICENSE', 'README.md', 'package.json', 'dist/index.js', 'dist/index.d.ts'];
const unwanted = /^src\/|\.test\.|\/testing\/|\.tsbuildinfo$|\.map$/;

export function checkContents(
  name: string,
  { directory }: WorkspacePackage,
  { files }: Tarball,
): CheckResult {
  return resultOf(name, [
    ...[...needed, ...servedFiles(directory)]
      .filter((file) => !files.includes(file))
      .map((file) => `lacks ${file}`),
    ...files.filter((file) => unwanted.test(file)).map((file) => `holds ${file}`),
    ...files.filter((file) => isStale(file)).map((file) => `holds ${file}, whose source is gone`),
  ]);
}

/** What content delivery networks hand out for a package's bare name; its other entries are publint's to check. */
function servedFiles(directory: string): string[] {
  const manifest: unknown = JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8'));
  const { unpkg, jsdelivr } = manifest as { readonly unpkg?: string; readonly jsdelivr?: string };
  const paths = [unpkg, jsdelivr].filter((path) => path !== undefined);
  return [...new Set(paths.map((path) => posix.normalize(path)))];
}

/** A file may come from a package that is bundled: what it reads at run time comes along. */
function isStale(file: string): boolean {
  const [, path] = /^dist\/(?!bin\/)(.*)\.js$/.exec(file) ?? [];
  if (path === undefined) return false;
  const sources = ['ts', 'tsx', 'js'].map((type) => `src/${path}.${type}`);
  return !published.some(({ directory }) => sources.some((source) => existsSync(join(directory, source))));
}
