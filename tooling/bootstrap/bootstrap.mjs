// Runs in a new clone before the dependencies are installed: plain JavaScript for Node 18 and newer.
import { fileURLToPath } from 'node:url';
import { handOver, prepare, withLock } from './processes.mjs';
import { aggregatorArguments, installDependencies, nodeProgram, useToolchain } from './toolchain.mjs';

/** @type {Record<string, readonly string[]>} */
const programs = {
  start: ['apps/aggregator/dist/bin/cli.js'],
  test: ['tooling/checks/src/main.ts', 'test'],
  proof: ['tooling/checks/src/main.ts', 'proof'],
};

const [name = '', ...args] = process.argv.slice(2);
const program = programs[name];
if (program === undefined) {
  console.error(`Usage: node bootstrap.mjs ${Object.keys(programs).join('|')} [arguments]`);
  process.exit(1);
}

process.chdir(fileURLToPath(new URL('../..', import.meta.url)));
await withLock('.toolchain/lock', async () => {
  await useToolchain();
  await installDependencies();
  if (name === 'start') await prepare('Building', 'pnpm', ['run', 'build']);
});
handOver(nodeProgram(), [...program, ...(name === 'start' ? aggregatorArguments(args) : args)]);
