import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { prepare } from './processes.mjs';

const STAMP = '.toolchain/built';
/** What a build reads. */
const SOURCES = [
  'apps',
  'packages',
  'package.json',
  'pnpm-lock.yaml',
  'tooling/checks/src/build',
  'tsconfig.base.json',
  'turbo.json',
];
const NOT_READ = new Set(['dist', 'node_modules', '.turbo']);
/** What it writes last, and what that needs. */
const RESULTS = ['apps/aggregator/dist/bin/cli.js', 'node_modules/.pnpm/lock.yaml'];

/** Whether the last build has read the files as they are now, and what it wrote is still there. */
export function isBuilt() {
  try {
    return readFileSync(STAMP, 'utf8') === [stateOf(SOURCES), stateOf(RESULTS)].join('\n');
  } catch {
    return false;
  }
}

export async function build() {
  // Before the build: what changes meanwhile is built the next time.
  const sources = stateOf(SOURCES);
  await prepare('Building', 'pnpm', ['run', 'build']);
  writeFileSync(STAMP, [sources, stateOf(RESULTS)].join('\n'));
}

/** Packages with a program. */
export function servers() {
  return readdirSync('packages').filter((name) => existsSync(`packages/${name}/dist/bin/cli.js`));
}

/**
 * A digest of the paths, sizes and times of files, and of those in folders.
 * @param {readonly string[]} paths
 */
function stateOf(paths) {
  const hash = createHash('sha256');
  /** @param {string} path */
  const add = (path) => {
    const { mtimeMs, size } = statSync(path);
    hash.update(`${path} ${mtimeMs} ${size}\n`);
  };
  /** @param {string} folder */
  const addFolder = (folder) => {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      const path = `${folder}/${entry.name}`;
      if (entry.isDirectory() && !NOT_READ.has(entry.name)) addFolder(path);
      else if (entry.isFile() && !entry.name.endsWith('.md')) add(path);
    }
  };
  for (const path of paths) {
    if (statSync(path).isDirectory()) addFolder(path);
    else add(path);
  }
  return hash.digest('hex');
}
