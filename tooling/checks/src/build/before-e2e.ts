import { execFileSync } from 'node:child_process';

/** The tests of the project `e2e` start the built programs. turbo builds only what has changed since. */
export function setup(): void {
  execFileSync('pnpm', ['run', 'build'], { stdio: ['ignore', 'ignore', 'inherit'] });
}
