import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { temporaryFolder } from './temporary-folder.ts';

const isNeeded = (path: string) => !/\.node$|[\\/](?:deps|src|testing)$|\.test\./.test(path);

/**
 * Installs a built package without the native part of better-sqlite3, as a virus scanner or an incomplete copy leaves it.
 *
 * @param folder of the package
 * @returns the path of its program
 */
export function installedWithoutNativeParts(folder: string): string {
  const root = temporaryFolder();
  const library = dirname(dirname(createRequire(join(folder, 'package.json')).resolve('better-sqlite3')));
  cpSync(join(folder, 'dist'), join(root, 'dist'), { recursive: true, filter: isNeeded });
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Record<
    'publishConfig',
    object
  >;
  // As published: its own files are those in dist.
  writeFileSync(join(root, 'package.json'), JSON.stringify({ ...manifest, ...manifest.publishConfig }));
  cpSync(library, join(root, 'node_modules/better-sqlite3'), { recursive: true, filter: isNeeded });
  return join(root, 'dist/bin/cli.js');
}
