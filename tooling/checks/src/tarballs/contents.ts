import { existsSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { type CheckResult, resultOf } from '../check.ts';
import { published, type WorkspacePackage } from '../workspace.ts';
import type { Tarball } from './install.ts';

const needed = ['LICENSE', 'README.md', 'package.json', 'dist/index.js', 'dist/index.d.ts'];
const unwanted = /^src\/|\.test\.|\/testing\/|\.tsbuildinfo$|\.map$/;

export function checkContents(
  name: string,
  { directory }: WorkspacePackage,
  { files }: Tarball,
): CheckResult {
  const served = servedFiles(directory);
  return resultOf(name, [
    ...[...needed, ...served].filter((file) => !files.includes(file)).map((file) => `lacks ${file}`),
    ...files.filter((file) => unwanted.test(file)).map((file) => `holds ${file}`),
    ...files
      .filter((file) => !served.includes(file) && isStale(file))
      .map((file) => `holds ${file}, whose source is gone`),
  ]);
}

/** Files that content delivery networks serve for the package name. publint checks all other entries. */
function servedFiles(directory: string): string[] {
  const manifest: unknown = JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8'));
  const { unpkg, jsdelivr } = manifest as { readonly unpkg?: string; readonly jsdelivr?: string };
  const paths = [unpkg, jsdelivr].filter((path) => path !== undefined);
  return [...new Set(paths.map((path) => posix.normalize(path)))];
}

/** A file may also come from the sources of a bundled package. */
function isStale(file: string): boolean {
  const [, path] = /^dist\/(?!bin\/|inlined\/)(.*)\.js$/.exec(file) ?? [];
  if (path === undefined) return false;
  const sources = ['ts', 'tsx', 'js'].map((type) => `src/${path}.${type}`);
  return !published.some(({ directory }) => sources.some((source) => existsSync(join(directory, source))));
}

type Ranges = Readonly<Record<string, string>>;

/** The manifest as npm installs it, `catalog:` and `workspace:` replaced. */
export interface InstalledManifest {
  readonly dependencies?: Ranges;
  readonly optionalDependencies?: Ranges;
  readonly peerDependencies?: Ranges;
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>;
}

export function readInstalledManifest(folder: string, name: string): InstalledManifest {
  const file = join(folder, 'node_modules', name, 'package.json');
  return JSON.parse(readFileSync(file, 'utf8')) as InstalledManifest;
}

/** An exact version reaches users' trees twice and never gets a security patch; types are for developers. */
export function checkManifest(label: string, manifest: InstalledManifest): CheckResult {
  const { dependencies, optionalDependencies, peerDependencies } = manifest;
  const entries = Object.entries({ ...peerDependencies, ...optionalDependencies, ...dependencies });
  return resultOf(label, [
    ...entries
      .filter(([, range]) => !/^(?:\^|>=)\d/.test(range))
      .map(([name, range]) => `${name}: "${range}" is not a range`),
    ...entries
      .filter(([name]) => name.startsWith('@types/'))
      .map(([name]) => `${name} is a dependency of a published package`),
  ]);
}
