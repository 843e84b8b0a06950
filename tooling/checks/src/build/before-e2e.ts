import { execFileSync } from 'node:child_process';
import { temporaryFolder } from '@deskside/core/testing';

/**
 * The tests of the project `e2e` start the built programs, and others from their sources. turbo builds only what has
 * changed since. Each file is compiled once for all starts of a run, or of the whole `npm test`.
 *
 * @returns what runs after the tests
 */
export function setup(): (() => void) | undefined {
  if (process.env['DESKSIDE_BUILT'] !== '1')
    execFileSync('pnpm', ['run', 'build'], { stdio: ['ignore', 'ignore', 'inherit'] });
  if (process.env['NODE_COMPILE_CACHE'] !== undefined) return undefined;
  const folder = temporaryFolder();
  process.env['NODE_COMPILE_CACHE'] = folder.path;
  return () => folder[Symbol.dispose]();
}
