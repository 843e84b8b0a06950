import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

const INSTALL_TIMEOUT_MS = 20 * 60_000;

/**
 * Installs packages of npm that are not dependencies of the repository, such as hosts and servers of other people: once
 * per machine, and again if the list has changed.
 *
 * @param specs names, with or without versions
 * @param folder contains nothing else afterwards
 * @param runsScripts false: without their install scripts, some of which load a browser
 */
export async function installPackages(
  specs: readonly string[],
  folder: string,
  runsScripts: boolean,
): Promise<void> {
  const list = specs.join('\n');
  const installed = join(folder, 'installed.txt');
  if (existsSync(installed) && readFileSync(installed, 'utf8') === list) return;
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{"private":true}');
  const scripts = runsScripts ? [] : ['--ignore-scripts'];
  const args = ['install', '--prefer-offline', '--no-audit', '--no-fund', ...scripts, ...specs];
  await promisify(execFile)('npm', args, { cwd: folder, timeout: INSTALL_TIMEOUT_MS });
  writeFileSync(installed, list);
}

/**
 * @param spec name and exact version
 * @param bin the program of the package
 * @returns its path
 */
export async function installedProgram(spec: string, bin: string, cache: string): Promise<string> {
  const folder = join(cache, spec.replace(/^@.*\//, '').replace('@', '-'));
  const program = join(folder, 'node_modules/.bin', bin);
  if (!existsSync(program)) await installPackages([spec], folder, true);
  return program;
}
