import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';

const CACHE = resolve(import.meta.dirname, '../../../.cache/bench');

/**
 * Installs a package of npm that is only compared with, outside of the repository's dependencies, without its scripts.
 *
 * @param spec name and exact version
 * @returns the URL of its entry module
 */
export async function installed(spec: string): Promise<string> {
  const folder = join(CACHE, spec.replaceAll(/[^\w.-]/g, '_'));
  const name = spec.slice(0, spec.lastIndexOf('@'));
  if (!existsSync(join(folder, 'node_modules', name))) {
    await mkdir(folder, { recursive: true });
    const args = ['install', '--prefix', folder, '--ignore-scripts', '--no-audit', '--no-fund', spec];
    await promisify(execFile)('npm', args);
  }
  return pathToFileURL(createRequire(join(folder, 'entry.js')).resolve(name)).href;
}
