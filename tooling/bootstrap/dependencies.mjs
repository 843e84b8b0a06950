import { readFileSync } from 'node:fs';
import { prepare } from './processes.mjs';

export async function installDependencies() {
  const installed = 'node_modules/.pnpm/lock.yaml';
  if (read(installed) === read('pnpm-lock.yaml')) return;
  await prepare('Installing the dependencies', 'pnpm', ['install', '--frozen-lockfile']);
}

/** @param {string} path */
function read(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
