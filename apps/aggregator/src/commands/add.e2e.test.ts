import { existsSync, mkdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createLog, silentLog } from '@deskside/core';
import { testContext } from '@deskside/core/testing';
import { cleanEnvironment, firstText, startProgram, temporaryFolder } from '@deskside/testkit';
import { expect, test } from 'vitest';
import { openDesk } from '../open-desk.ts';
import { runCommand, SELF } from '../testing/commands.ts';
import { type UserHome, userHome } from '../testing/user-home.ts';
import { add } from './add.ts';
import { apply } from './apply.ts';
import { list } from './list.ts';
import { remove } from './remove.ts';

const CLI = join(import.meta.dirname, '../../dist/bin/cli.js');
const FILES = fileURLToPath(import.meta.resolve('@modelcontextprotocol/server-filesystem/dist/index.js'));
const MEMORY = fileURLToPath(import.meta.resolve('@modelcontextprotocol/server-memory/dist/index.js'));

/** Variables that a program needs. */
const env = () => ({ PATH: process.env['PATH'] ?? '', HOME: '/' });

async function callOnce(name: string, args: Readonly<Record<string, unknown>>): Promise<string> {
  const settings = { mounts: ['memory'], noMounts: [] };
  await using desk = await openDesk(settings, { env: env(), log: silentLog });
  const result = await desk.aggregator.definition.callTool(name, args, testContext());
  return result === undefined ? 'unknown tool' : firstText(result as never);
}

test('add proposes a separate process per client for a server that asks for roots, and the answer decides', async () => {
  const { folder, text } = userHome();
  const work = join(realpathSync(folder), 'work');
  mkdirSync(work);
  const operands = ['files', process.execPath, FILES, work];
  const declined = await runCommand(add, { operands, env: env(), typed: 'n\ny\n' });
  expect(declined).toMatchObject({ code: 0, stderr: '' });
  expect(declined.stdout).toContain(
    'files asks its client for its folders (roots). A shared server cannot ask.\n' +
      'Give each client a separate one (isolation = "per-client")? [y/N] files offers:\n',
  );
  expect(declined.stdout).toContain(
    '  tool read_text_file (reads only):\n      Read the complete contents of a file',
  );
  expect(text()).not.toContain('isolation');
  await runCommand(remove, { operands: ['files'] });

  expect(await runCommand(add, { operands, env: env(), typed: 'y\ny\n' })).toMatchObject({ code: 0 });
  expect(text()).toBe(
    `[mcpServers.files]\ncommand = "${process.execPath}"\nargs = [ "${FILES}", "${work}" ]\nisolation = "per-client"\n`,
  );
  const listed = await runCommand(list(SELF), { flags: { mounts: 'files' }, env: env() });
  expect(listed.stdout).toMatch(/^files +command +ready +\d+ tools/);
});

/** A server that leaves a file behind when it runs. */
function memoryServer({ folder }: UserHome, marker: string): string {
  const script = join(folder, 'start.sh');
  writeFileSync(script, `touch "$1"\nexec "${process.execPath}" "${MEMORY}"\n`);
  return `[mcpServers.memory]\ncommand = "sh"\nargs = ["${script}", "${marker}"]\nenv = { MEMORY_FILE_PATH = "${join(folder, 'memory.jsonl')}" }\n`;
}

test('a command that is new or changed in deskside.toml runs only after apply', async () => {
  const home = userHome();
  const [first, second] = [join(home.folder, 'first'), join(home.folder, 'second')];
  home.edit(memoryServer(home, first));
  expect(await callOnce('memory_read_graph', {}).catch(({ message }: Error) => message)).toContain(
    'Unknown mount "memory".',
  );
  expect(existsSync(first)).toBe(false);
  expect(await runCommand(apply, { flags: { yes: true }, env: env() })).toMatchObject({ code: 0 });
  expect(existsSync(first)).toBe(true);
  expect(await callOnce('memory_read_graph', {})).toContain('"entities"');

  home.edit(memoryServer(home, second));
  expect(await callOnce('memory_read_graph', {})).toContain('"entities"');
  expect(existsSync(second)).toBe(false);
  await runCommand(apply, { flags: { yes: true }, env: env() });
  expect(existsSync(second)).toBe(true);
});

test('what a server writes to stderr is logged without its secrets', async () => {
  const home = userHome();
  const script = join(home.folder, 'start.sh');
  writeFileSync(script, `echo "my token is $TOKEN" >&2\nexec "${process.execPath}" "${MEMORY}"\n`);
  const file = join(home.folder, 'memory.jsonl');
  home.edit(
    `[mcpServers.memory]\ncommand = "sh"\nargs = ["${script}"]\nenv = { TOKEN = "\${env:SECRET}", MEMORY_FILE_PATH = "${file}" }\n`,
  );
  const variables = { ...env(), SECRET: 's3cret-token' };
  await runCommand(apply, { flags: { yes: true }, env: variables });
  const { promise, resolve } = Promise.withResolvers<string>();
  const log = createLog({
    level: 'debug',
    write(line) {
      if (line.includes('my token is')) resolve(line);
    },
  });
  await using desk = await openDesk({ mounts: ['memory'], noMounts: [] }, { env: variables, log });
  await desk.aggregator.definition.callTool('memory_read_graph', {}, testContext());
  expect(await promise).toContain('my token is <hidden>');
});

test('the program takes a command behind "--" and values with commas', async () => {
  const home = temporaryFolder();
  const words = [
    'add',
    'memory',
    '--yes',
    '--env',
    'A=1, 2',
    '--env',
    'B=${env:KEY}',
    '--isolation',
    'shared',
  ];
  await using program = startProgram({
    command: process.execPath,
    args: [CLI, ...words, '--', process.execPath, MEMORY, '--yes'],
    env: { ...cleanEnvironment(home), KEY: 'k3y' },
  });
  const code = await program.exited;
  expect({ code, stderr: program.stderr() }).toStrictEqual({ code: 0, stderr: '' });
  expect(program.stdout()).toContain('  tool read_graph');
  expect(readFileSync(join(home, 'config/deskside/deskside.toml'), 'utf8')).toBe(
    `[mcpServers.memory]\ncommand = "${process.execPath}"\nargs = [ "${MEMORY}", "--yes" ]\nisolation = "shared"\n\n[mcpServers.memory.env]\nA = "1, 2"\nB = "\${env:KEY}"\n`,
  );
});

test('--cwd is a folder of the shell', async () => {
  const { folder, text } = userHome();
  const operands = ['memory', process.execPath, MEMORY];
  const flags = { cwd: relative(process.cwd(), folder) };
  expect(await runCommand(add, { operands, flags, env: env(), typed: 'y\n' })).toMatchObject({ code: 0 });
  expect(text()).toContain(`cwd = "${folder}"`);
});
