import { execFile } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

/**
 * Installs a package of npm that is not a dependency of the repository, such as a host, if the cache does not have it.
 *
 * @param spec name and exact version
 * @param bin the program of the package
 * @returns its path
 */
export async function installedProgram(spec: string, bin: string, cache: string): Promise<string> {
  const folder = join(cache, spec.replace(/^@.*\//, '').replace('@', '-'));
  const program = join(folder, 'node_modules/.bin', bin);
  if (existsSync(program)) return program;
  mkdirSync(folder, { recursive: true });
  const args = ['install', '--prefix', folder, '--no-audit', '--no-fund', '--no-save', spec];
  await promisify(execFile)('npm', args, { cwd: folder });
  return program;
}
