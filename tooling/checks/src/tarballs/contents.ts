import { lstatSync, readdirSync } from 'node:fs';
import { join, posix } from 'node:path';
import { type CheckResult, resultOf } from '../check.ts';
import { isShortName, type WorkspacePackage } from '../workspace.ts';
import type { Tarball } from './install.ts';

const UNWANTED = /^src\/|\.test\.|\/testing\/|\.tsbuildinfo$|\.map$/;

export function checkContents(name: string, product: WorkspacePackage, { files }: Tarball): CheckResult {
  const { unpkg, jsdelivr } = product.manifest;
  // Content delivery networks serve these for the package name. publint checks all other entries.
  const served = [unpkg, jsdelivr].flatMap((path) => (path === undefined ? [] : posix.normalize(path)));
  const code = isShortName(product) ? ['cli.js'] : ['dist/index.js', 'dist/index.d.ts'];
  const needed = ['LICENSE', 'README.md', 'package.json', ...code, ...served];
  return resultOf(name, [
    ...needed.filter((file) => !files.includes(file)).map((file) => `lacks ${file}`),
    ...files.filter((file) => UNWANTED.test(file)).map((file) => `holds ${file}`),
  ]);
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
