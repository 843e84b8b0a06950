import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from '@deskside/core/program';
import { expect, test } from 'vitest';
import { type RunOptions, runCommand, SELF } from '../testing/commands.ts';
import { userHome } from '../testing/user-home.ts';
import { apply } from './apply.ts';
import { doctor } from './doctor.ts';
import { program } from './index.ts';

const homeFolder = () => userHome().folder;

/** @param words for example `['todo', 'add']` */
async function find([word = '', ...rest]: readonly string[]): Promise<Command> {
  let found = await program(SELF).commands[word]?.load();
  for (const next of rest) {
    if (found === undefined || !('commands' in found)) throw new Error(`${word} has no commands`);
    found = await found.commands[next]?.load();
  }
  if (found === undefined || 'commands' in found) throw new Error(`${word} is no command`);
  return found;
}

const todo = async (name: string, options: RunOptions) =>
  (await runCommand(await find(['todo', name]), options)).stdout;

test.each([
  ['', 'config/deskside/deskside.toml'],
  [' that DESKSIDE_CONFIG names', 'named.toml'],
])('deskside todo uses the database of the deskside.toml%s, and a variable before it', async (_, name) => {
  const home = homeFolder();
  const [file, fromFile] = [join(home, name), join(home, 'file.sqlite')];
  writeFileSync(file, `[mounts.todo]\ndatabase = "${fromFile}"\n`);
  const named = name === 'named.toml' ? { DESKSIDE_CONFIG: file } : {};
  await runCommand(apply, { flags: { yes: true }, env: named });
  const env = { ...named, TODO_DATABASE_URL: join(home, 'env.sqlite') };
  await todo('add', { operands: ['in the file'], env: named });
  await todo('add', { operands: ['in the variable'], env });
  expect(await todo('list', { env: named })).toMatch(/in the file/);
  const ofFile = await todo('list', { flags: { database: fromFile } });
  expect(ofFile).toContain('in the file');
  expect(ofFile).not.toContain('variable');
  expect(await todo('list', { env })).toMatch(/in the variable/);
});

test('deskside send writes to the file that deskside.toml names, and doctor names deskside.toml as the source', async () => {
  const home = homeFolder();
  const file = join(home, 'sent.jsonl');
  writeFileSync(join(home, 'config/deskside/deskside.toml'), `[mounts.log]\nfile = "${file}"\n`);
  await runCommand(apply, { flags: { yes: true } });
  await runCommand(await find(['send']), { operands: ['of a shell'] });
  expect(readFileSync(file, 'utf8')).toContain('of a shell');
  const { stdout } = await runCommand(doctor(SELF), { flags: { mounts: 'log', all: true } });
  expect(stdout).toContain(`file ${file} from the configuration file`);
});

test.each([
  [['ask'], 'deskside ask "Which'],
  [['notify', 'tail'], 'deskside notify tail'],
  [['send'], 'deskside send --level warn'],
  [['todo', 'token', 'list'], 'deskside todo token list'],
])('deskside %j shows examples that a person can type', async (words, example) => {
  const { examples } = await find(words);
  expect(examples.join('\n')).toContain(example);
  expect(examples.filter((line) => line.includes('deskside-'))).toStrictEqual([]);
});

test('errors of a forwarded command name programs that the person has, and titles stay as they are', async () => {
  homeFolder();
  const create = await find(['todo', 'token', 'create']);
  await runCommand(create, { operands: ['laptop'] });
  expect((await runCommand(create, { operands: ['laptop'] })).stderr).toBe(
    'A token "laptop" exists. Use "deskside todo token rotate laptop" to replace it.\n',
  );
  await todo('add', { operands: ['Ask deskside-todo list why'] });
  expect(await todo('list', {})).toContain('Ask deskside-todo list why');
});

test('a forwarded doctor gives advice with programs that the person has', async () => {
  const path = join(homeFolder(), 'config/deskside/log-notify.toml');
  writeFileSync(path, 'filter = 7', { mode: 0o600 });
  const { stdout } = await runCommand(await find(['notify', 'doctor']));
  expect(stdout).toContain('\n    Run deskside notify check to see them.\n');
  expect(stdout).toContain('deskside-log-notify ');
});

test('doctor runs the doctors of all mounts: it names display, browsers, theme and services', async () => {
  homeFolder();
  const env = { XDG_RUNTIME_DIR: '/nowhere', DISPLAY: '' };
  const ran = await runCommand(doctor(SELF), { flags: { all: true }, env });
  expect(ran.stdout).toMatch(/^ {2}Display +not found/m);
  for (const label of ['chromium', 'firefox', 'Theme', 'Database', 'file', 'desktop'])
    expect(ran.stdout).toMatch(new RegExp(`^ {2}${label} +\\S`, 'm'));
  expect(ran.stdout).toContain('  ✗ popup: No display was found.');
  expect(ran.code).toBe(1);
  const brief = await runCommand(doctor(SELF), { flags: {}, env });
  expect(brief.stdout).toContain('  ✗ popup: No display was found.');
  expect(brief.stdout).toMatch(/^Mount popup +/m);
  expect(brief.stdout).not.toMatch(/^ {2}Display/m);
  expect(brief.stdout).toMatch(/\n--all shows \d+ more\.\n$/);
});

test.each<[string, string, string, object]>([
  ['token', '', 'it is empty; delete it to get a new token', { mode: 0o600 }],
  ['tokens.json', '{"tokens":[]}', 'chmod 600', { mode: 0o644 }],
  ['secret', 'a b', 'its content is not a valid secret', { mode: 0o600 }],
])(
  'doctor names the file %s with the content %j that a desk cannot use: %s',
  async (name, text, problem, mode) => {
    const data = join(homeFolder(), 'data/deskside');
    mkdirSync(data, { recursive: true, mode: 0o700 });
    writeFileSync(join(data, name), text, mode);
    const ran = await runCommand(doctor(SELF), { flags: { mounts: 'log' } });
    expect(ran).toMatchObject({ code: 1, stdout: expect.stringContaining(problem) });
    expect(ran.stdout.match(/^ {2}✗ .*$/gm)).toStrictEqual([expect.stringContaining(join(data, name))]);
  },
);

test('doctor creates neither a token nor a secret', async () => {
  const home = homeFolder();
  const flags = { mounts: 'log' };
  expect(await runCommand(doctor(SELF), { flags })).toMatchObject({ code: 0 });
  for (const name of ['token', 'secret', 'tokens.json'])
    expect(existsSync(join(home, 'data/deskside', name))).toBe(false);
});

test('doctor passes on advice of a mount that works in the desk', async () => {
  const path = join(homeFolder(), 'todo.sqlite');
  writeFileSync(path, 'Dear diary', { mode: 0o600 });
  const env = { TODO_DATABASE_URL: path };
  const { stdout } = await runCommand(doctor(SELF), { flags: { mounts: 'todo' }, env });
  const remedy =
    'Correct the cause, or choose another file with database under [mounts.todo] in deskside.toml.';
  expect(stdout).toContain(`\n    ${remedy}\n`);
});
