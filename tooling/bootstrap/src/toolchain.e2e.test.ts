import { expect, test } from 'vitest';

import { aggregatorArguments, nodePackage } from '../toolchain.mjs';
import { CleanFolder } from './testing/clean-folder.ts';

const USE = `const { useToolchain } = await load('toolchain'); await useToolchain();`;
/** The version of the machine's Node. */
const OLD = `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.20.2' } });`;

function machine(node: string, pnpm: string, npmExit = 0): CleanFolder {
  const folder = new CleanFolder();
  folder.addProgram('node', node);
  folder.addProgram('pnpm', pnpm);
  folder.addProgram('npm', '10.0.0', npmExit);
  return folder;
}

test.each([
  { node: 'v24.0.0', pnpm: '12.0.0', before: '', fetched: '' },
  { node: 'v26.1.0', pnpm: '13.0.0', before: '', fetched: '' },
  { node: 'v24.0.0', pnpm: '11.9.0', before: '', fetched: 'pnpm@12' },
  { node: 'v20.20.2', pnpm: '12.0.0', before: OLD, fetched: `${nodePackage('24')} pnpm@12` },
])(
  'npm start with node $node and pnpm $pnpm on the machine fetches "$fetched"',
  async ({ node, pnpm, before, fetched }) => {
    const folder = machine(node, pnpm);
    const step = folder.run(`${before}${USE}`);
    expect(await step.ended).toBe(0);
    const install = 'npm install --prefix .toolchain --no-save --no-audit --no-fund';
    expect(folder.calls()).toBe(fetched === '' ? '' : `${install} ${fetched}\n`);
  },
);

test('programs in .toolchain are preferred to those of the machine', async () => {
  const folder = machine('v20.20.2', '9.0.0');
  for (const [name, version] of [
    ['node', 'v24.1.0'],
    ['pnpm', '12.2.0'],
  ]) {
    folder.write(`.toolchain/node_modules/.bin/${name}`, `#!/bin/sh\necho ${version}\n`, 0o755);
  }
  expect(await folder.run(`${OLD}${USE}`).ended).toBe(0);
  expect(folder.calls()).toBe('');
});

test('a step that fails ends the program and prints the output and the command of the step', async () => {
  const folder = machine('v24.0.0', '11.0.0', 7);
  const step = folder.run(`${USE} console.log('went on');`);
  expect(await step.ended).toBe(1);
  expect(step.output()).toContain('said by npm');
  expect(step.output()).toContain('Fetching pnpm@12 failed: npm install');
  expect(step.output()).not.toContain('went on');
});

const INSTALL = `const { installDependencies } = await load('toolchain'); await installDependencies();`;

test.each([
  { condition: 'none are installed', installed: undefined, called: true },
  { condition: 'those of another lock file are installed', installed: 'lockfileVersion: 8', called: true },
  { condition: 'those of this lock file are installed', installed: 'lockfileVersion: 9', called: false },
])('installing the dependencies if $condition', async ({ installed, called }) => {
  const folder = machine('v24.0.0', '12.0.0');
  folder.write('pnpm-lock.yaml', 'lockfileVersion: 9');
  if (installed !== undefined) folder.write('node_modules/.pnpm/lock.yaml', installed);
  expect(await folder.run(INSTALL).ended).toBe(0);
  expect(folder.calls()).toBe(called ? 'pnpm install --frozen-lockfile\n' : '');
});

test.each([
  [[], ['http']],
  [
    ['--port', '3334'],
    ['http', '--port', '3334'],
  ],
  [
    ['token', 'show'],
    ['token', 'show'],
  ],
])('npm start -- %j starts the aggregator with %j', (args, started) => {
  expect(aggregatorArguments(args)).toStrictEqual(started);
});
