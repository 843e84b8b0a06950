import { mkdirSync, readFileSync, realpathSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startProgram } from '@deskside/testkit';
import { expect, test } from 'vitest';
import { runCommand, SELF } from '../testing/commands.ts';
import { deskHome } from '../testing/desk-home.ts';
import { userHome } from '../testing/user-home.ts';
import { add } from './add.ts';
import { list } from './list.ts';
import { remove } from './remove.ts';

const FILES = fileURLToPath(import.meta.resolve('@modelcontextprotocol/server-filesystem/dist/index.js'));
const MEMORY = fileURLToPath(import.meta.resolve('@modelcontextprotocol/server-memory/dist/index.js'));

/** Variables that a program needs. */
const env = () => ({ PATH: process.env['PATH'] ?? '', HOME: '/' });

test('add proposes a separate process per client for a server that asks for roots, and the answer decides', async () => {
  const { folder, text } = userHome();
  const work = join(realpathSync(folder), 'work');
  mkdirSync(work);
  const operands = ['files', process.execPath, FILES, work];
  const declined = await runCommand(add, { operands, env: env(), typed: 'n\ny\n' });
  expect(declined).toMatchObject({ code: 0, stderr: '' });
  expect(declined.stdout).toContain(
    'files asks its client for its folders (roots). A shared server cannot ask.\n' +
      'Give each client a separate one (isolation = "per-client")? If not, all share one. [y/N] files offers:\n',
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

test('the program takes a command behind "--" and values with commas', async () => {
  const { home, command } = deskHome();
  const flags = ['--yes', '--env', 'A=1, 2', '--env', 'B=${env:KEY}', '--isolation', 'shared'];
  const args = ['add', 'memory', ...flags, '--', process.execPath, MEMORY, '--yes'];
  await using program = startProgram(command(args, { KEY: 'k3y' }));
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
