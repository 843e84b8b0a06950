import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { delimiter, resolve } from 'node:path';
import { prepare, startable } from './processes.mjs';

const folder = '.toolchain';

/** Prefers the programs of the toolchain to those of the machine. */
export function preferToolchain() {
  process.env['PATH'] = [resolve(folder, 'node_modules/.bin'), process.env['PATH']].join(delimiter);
}

/**
 * Puts Node 24 or newer and pnpm 12 or newer on the PATH. If the machine does not have them, npm installs the versions
 * that the lock files in `toolchains` pin, and verifies their integrity.
 */
export async function useToolchain() {
  preferToolchain();
  if (isComplete()) return;

  const machineHasNode = Number.parseInt(process.versions.node, 10) >= 24;
  const [title, name] = machineHasNode ? ['pnpm', 'pnpm'] : ['Node.js and pnpm', 'node-and-pnpm'];
  rmSync(resolve(folder, 'node_modules'), { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const file of ['package.json', 'package-lock.json']) {
    copyFileSync(new URL(`toolchains/${name}/${file}`, import.meta.url), resolve(folder, file));
  }
  await prepare(`Fetching ${title}`, 'npm', ['install', '--prefix', folder, '--no-audit', '--no-fund']);
  // npm leaves out an optional package without a build for this platform, or with another integrity.
  if (isComplete()) return;
  console.error('npm has no Node.js 24 for this platform. Install Node.js 24 or newer, then try again.');
  process.exit(1);
}

function isComplete() {
  return hasMajor('node', 24) && hasMajor('pnpm', 12);
}

export async function installDependencies() {
  const installed = 'node_modules/.pnpm/lock.yaml';
  if (read(installed) === read('pnpm-lock.yaml')) return;
  await prepare('Installing the dependencies', 'pnpm', ['install', '--frozen-lockfile']);
}

/**
 * @param {string} command
 * @param {number} least
 */
function hasMajor(command, least) {
  const { file, words, shell } = startable(command, ['--version']);
  const { stdout } = spawnSync(file, words, { encoding: 'utf8', shell });
  return Number.parseInt(stdout?.replace('v', '') ?? '', 10) >= least;
}

/** On Windows `node` can be a script of npm, and a shell would split arguments with blanks. */
export function nodeProgram() {
  if (process.platform !== 'win32') return 'node';
  const { file, words, shell } = startable('node', ['-p', 'process.execPath']);
  return spawnSync(file, words, { encoding: 'utf8', shell }).stdout.trim();
}

/** @param {string} path */
function read(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

const OF_THE_PROGRAM = new Set(['--help', '-h', '--version', '-v']);

/**
 * `npm start` serves over HTTP; `npm start -- token show` runs another command, `npm start -- --help` names all.
 * @param {readonly string[]} args
 * @returns {readonly string[]}
 */
export function aggregatorArguments(args) {
  const [first = '-'] = args;
  return first.startsWith('-') && !OF_THE_PROGRAM.has(first) ? ['http', ...args] : args;
}
