// Runs in a clean clone, before anything is installed: plain JavaScript for any Node from 18.
import { fileURLToPath } from 'node:url';
import { aggregatorArguments } from './aggregator-arguments.mjs';
import { installDependencies } from './dependencies.mjs';
import { withLock } from './lock.mjs';
import { handOver, prepare } from './processes.mjs';
import { useToolchain } from './toolchain.mjs';

/** @type {Record<string, readonly string[]>} */
const programs = {
  start: ['apps/aggregator/dist/bin/cli.js'],
  test: ['tooling/checks/src/main.ts'],
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
handOver('node', [...program, ...(name === 'start' ? aggregatorArguments(args) : args)]);
