// Runs in a new clone before the dependencies are installed: plain JavaScript for Node 18 and newer.
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, isBuilt, servers } from './build.mjs';
import { handOver, withLock } from './processes.mjs';
import {
  aggregatorArguments,
  installDependencies,
  nodeProgram,
  preferToolchain,
  useToolchain,
} from './toolchain.mjs';

const AGGREGATOR = 'apps/aggregator/dist/bin/cli.js';
const CHECKS = 'tooling/checks/src/main.ts';

const [name = '', ...args] = process.argv.slice(2);
const [server = '', ...serverArguments] = args;
/** @type {Record<string, readonly string[]>} */
const programs = {
  start: [AGGREGATOR, ...aggregatorArguments(args)],
  deskside: [AGGREGATOR, ...args],
  server: [`packages/${server}/dist/bin/cli.js`, ...serverArguments],
  example: ['apps/example/src/cli.ts', ...args],
  test: [CHECKS, 'test', ...args],
  proof: [CHECKS, 'proof', ...args],
};
const program = programs[name];
if (program === undefined) {
  console.error(`Usage: node bootstrap.mjs ${Object.keys(programs).join('|')} [arguments]`);
  process.exit(1);
}

const folder = process.cwd();
process.chdir(fileURLToPath(new URL('../..', import.meta.url)));
const [file = '', ...rest] = program;
const path = resolve(file);
const needsBuild = file !== CHECKS;
if (needsBuild && isBuilt()) preferToolchain();
else {
  await withLock('.toolchain/lock', async () => {
    await useToolchain();
    await installDependencies();
    if (needsBuild) await build();
  });
}
if (!existsSync(path)) {
  console.error(`Usage: npm run server -- ${servers().join('|')} [options]`);
  process.exit(1);
}
process.chdir(folder);
// As npm does for a script: the program names its commands as this one was typed.
if (name === 'deskside')
  Object.assign(process.env, { npm_lifecycle_event: name, npm_package_name: 'deskside-workspace' });
handOver(nodeProgram(), [path, ...rest]);
