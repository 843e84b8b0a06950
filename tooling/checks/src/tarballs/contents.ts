import { lstatSync, readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { type CheckResult, resultOf } from '../check.ts';
import { isShortName, type WorkspacePackage } from '../workspace.ts';
import type { Tarball } from './install.ts';

const always = ['LICENSE', 'README.md', 'package.json'];
const library = ['dist/index.js', 'dist/index.d.ts'];
const unwanted = /^src\/|\.test\.|\/testing\/|\.tsbuildinfo$|\.map$/;

export function checkContents(name: string, product: WorkspacePackage, { files }: Tarball): CheckResult {
  const { directory } = product;
  const needed = [...always, ...(isShortName(product) ? ['cli.js'] : library)];
  const served = servedFiles(directory);
  return resultOf(name, [
    ...[...needed, ...served].filter((file) => !files.includes(file)).map((file) => `lacks ${file}`),
    ...files.filter((file) => unwanted.test(file)).map((file) => `holds ${file}`),
  ]);
}

/** Files that content delivery networks serve for the package name. publint checks all other entries. */
function servedFiles(directory: string): string[] {
  const manifest: unknown = JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8'));
  const { unpkg, jsdelivr } = manifest as { readonly unpkg?: string; readonly jsdelivr?: string };
  const paths = [unpkg, jsdelivr].filter((path) => path !== undefined);
  return [...new Set(paths.map((path) => posix.normalize(path)))];
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

/** What a server and all that it depends on take, in megabytes; sharp, which is optional, has 20 of them. */
const MAX_INSTALLED_MB: Readonly<Record<string, number>> = {
  '@deskside/aggregator': 125,
  deskside: 125,
  '@deskside/log-notify': 25,
  // 0.5 MB above the target of 80.
  '@deskside/manictime': 81,
  '@deskside/notify-popup': 25,
  '@deskside/todo': 50,
};

export function checkSize(label: string, name: string, folder: string): CheckResult {
  const entries = readdirSync(join(folder, 'node_modules'), { recursive: true, withFileTypes: true });
  const bytes = entries.map((entry) => lstatSync(join(entry.parentPath, entry.name)).size);
  const megabytes = bytes.reduce((sum, size) => sum + size, 0) / 1e6;
  const limit = MAX_INSTALLED_MB[name] ?? Number.POSITIVE_INFINITY;
  return resultOf(label, megabytes > limit ? [`${megabytes.toFixed(1)} MB instead of ${limit}`] : []);
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
