import { existsSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runProgram } from '@deskside/core/program';
import { listen } from '@deskside/testkit';
import { expect, onTestFinished, test, vi } from 'vitest';
import { runCommand, SELF } from '../testing/commands.ts';
import { foreignServer } from '@deskside/gateway/testing/foreign-server';
import { userHome } from '../testing/user-home.ts';
import { add } from './add.ts';
import { apply } from './apply.ts';
import { program } from './index.ts';
import { list } from './list.ts';
import { remove } from './remove.ts';

const dryRun = { flags: { 'dry-run': true } };

const TOOLS = [{ name: 'read', description: 'Reads.', inputSchema: { type: 'object' } }] as const;
const listed = async () =>
  (await runCommand(list(SELF), { flags: { 'no-mounts': 'popup,log,toast,manictime' } })).stdout;

const FILE = `# my desk
[mounts.todo]   # tasks
user =   "ada"

[mcpServers.other]
url = 'https://other.example/mcp'
`;

test('add starts a server, shows what it offers, and adds it without changing anything else', async () => {
  const { file, text, edit } = userHome();
  edit(FILE);
  const foreign = await foreignServer(TOOLS, 'Read first.');
  const operands = ['docs', foreign.url];
  const flags = { header: 'Authorization=Bearer ${env:KEY}\nX-List: a, b' };
  const env = { KEY: 'k3y' };
  const declined = await runCommand(add, { operands, flags, env, typed: 'n\n' });
  expect(declined).toMatchObject({ code: 1, stderr: '' });
  expect(declined.stdout).toBe(
    `docs offers:\n  When an agent calls docs\n      asks you first (effect unknown): read\n  Foreign 1.0.0, MCP 2026-07-28\n      /name: foreign\n  instructions: Read first.\n  tool read (effect unknown): Reads.\n      /inputSchema/type: object\nAdd the server docs to ${file}? [y/N] Nothing was added.\n`,
  );
  expect(text()).toBe(FILE);
  expect(foreign.requests).toContain('Bearer k3y');

  const added = await runCommand(add, { operands, flags, env, typed: 'y\n' });
  expect(added.code).toBe(0);
  const waiting = `${file} has changed; the accepted copy is in use. Run "deskside apply".`;
  expect(added.stdout).toMatch(/\nAdd the server docs to .*Added docs\. A running desk has it now\.\n.*\n$/);
  expect(added.stdout.trimEnd().split('\n').at(-1)).toBe(waiting);
  expect(text()).toBe(
    `${FILE}\n[mcpServers.docs]\nurl = "${foreign.url}"\n\n[mcpServers.docs.headers]\nAuthorization = "Bearer \${env:KEY}"\nX-List = "a, b"\n`,
  );
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(await listed()).toMatch(/^docs +url +ready +1 tool +Foreign$/m);
  // Everything else of the file still waits.
  expect(await listed()).toMatch(/^todo +own +ready .*\n(?!other)/m);
  expect((await runCommand(apply, dryRun)).stdout).toContain('2 changes wait for "deskside apply".');
  expect((await runCommand(apply)).stdout).not.toContain('docs');
  expect((await runCommand(remove, { operands: ['docs'] })).stdout).toBe(`Removed docs.\n${waiting}\n`);
});

test('five programs that add at once lose nothing, and one of two with the same name is refused', async () => {
  const { text } = userHome();
  const foreign = await foreignServer(TOOLS);
  const names = ['one', 'two', 'three', 'four', 'five', 'five'];
  const added = await Promise.all(
    names.map((name) => runCommand(add, { operands: [name, foreign.url], flags: { yes: true } })),
  );
  expect(added.filter(({ code }) => code === 0)).toHaveLength(5);
  expect(added.flatMap(({ stderr }) => stderr || [])).toStrictEqual([
    expect.stringContaining('five exists already.'),
  ]);
  for (const name of names) expect(text().split(`[mcpServers.${name}]`)).toHaveLength(2);
  const list = await listed();
  for (const name of names) expect(list).toMatch(new RegExp(`^${name} +url +ready`, 'm'));
});

test('what is changed, accepted and removed while add asks stays so', async () => {
  const { edit, text } = userHome();
  const foreign = await foreignServer(TOOLS);
  const yes = { flags: { yes: true } };
  for (const name of ['docs', 'old']) await runCommand(add, { ...yes, operands: [name, foreign.url] });
  const typed = async () => {
    edit(text().replace('[mcpServers.docs]', '[mcpServers.docs]\nexclude = ["re*"]'));
    expect(await runCommand(apply, yes)).toMatchObject({ code: 0 });
    expect(await runCommand(remove, { operands: ['old'] })).toMatchObject({ code: 0 });
    return 'y\n';
  };
  expect(
    await runCommand(add, { operands: ['newer', foreign.url], flags: { isolation: 'shared' }, typed }),
  ).toMatchObject({ code: 0 });
  expect(await listed()).toMatch(/^docs +url +ready +0 tools/m);
  expect(await listed()).toMatch(/^newer +url +ready +1 tool/m);
  expect(await listed()).not.toMatch(/^old/m);
  expect((await runCommand(apply)).stdout).toContain('Nothing differs');
});

test('apply does not undo what another command has accepted while it asks', async () => {
  const { edit } = userHome();
  edit('[mounts.todo]\nuser = "ada"\n');
  await runCommand(apply, { flags: { yes: true } });
  const foreign = await foreignServer(TOOLS);
  edit('[mounts.todo]\nuser = "ben"\n');
  const typed = async () => {
    await runCommand(add, { operands: ['docs', foreign.url], flags: { yes: true } });
    return 'y\n';
  };
  const applied = await runCommand(apply, { typed });
  expect(applied).toMatchObject({ code: 1, stderr: expect.stringContaining('Run "deskside apply" again.') });
  expect(await listed()).toMatch(/^docs +url +ready +1 tool/m);
});

test('list says why a server of which only invalid tools are known has none', async () => {
  userHome();
  const foreign = await foreignServer([{ name: 'two\nlines', inputSchema: { type: 'object' } }]);
  await runCommand(add, { operands: ['docs', foreign.url], flags: { yes: true } });
  expect(await listed()).toMatch(
    /^docs +url +ready +0 tools +Foreign\n {2}Invalid, so left out: tool two\\u\{a\}lines\.$/m,
  );
});

// One is the name of a property of every object.
test.each(['docs', 'constructor'])('add %s creates deskside.toml, remove takes it away again', async (id) => {
  const { text } = userHome();
  const foreign = await foreignServer(TOOLS);
  const named = { flags: { yes: true }, operands: [id, foreign.url] };
  expect(await runCommand(add, named)).toMatchObject({ code: 0 });
  expect(text()).toBe(`[mcpServers.${id}]\nurl = "${foreign.url}"\n`);
  expect(await listed()).not.toContain('deskside apply');
  expect(await listed()).toMatch(new RegExp(`^${id} +url +ready +1 tool +Foreign$`, 'm'));
  const { stderr } = await runCommand(add, named);
  expect(stderr).toContain(`${id} exists already. Run "deskside remove ${id}" first`);
  const removed = () => runCommand(remove, { operands: [id] });
  expect(await removed()).toStrictEqual({ code: 0, stdout: `Removed ${id}.\n`, stderr: '' });
  expect(text().trim()).toBe('');
  expect(await listed()).not.toContain(id);
  expect((await removed()).stderr).toContain(`has no server "${id}". It has none.`);
});

test('remove keeps comments and reports what named the server', async () => {
  const { file, text, edit } = userHome();
  edit(
    '# first\n[mcpServers.docs]\nurl = "https://a.example"\n[mcpServers.docs.headers]\nA = "b"\n# profiles\n[profiles.work]\nmounts = ["docs"]\n',
  );
  expect(await runCommand(remove, { operands: ['docs'] })).toMatchObject({
    code: 0,
    stdout: expect.stringContaining(`${file}, line 4: profiles.work.mounts: unknown mount "docs".`),
  });
  expect(text()).toBe('# first\n# profiles\n[profiles.work]\nmounts = ["docs"]\n');
  expect((await runCommand(remove, { operands: ['doc'] })).stderr).toContain('has no server "doc".');
});

test.each<readonly [readonly string[], Record<string, string>, string]>([
  [['docs'], {}, 'Pass NAME and a URL, or NAME and a command behind "--". See --help.'],
  [['todo', 'https://a.example'], {}, 'The mount id "todo" is in use. Use another one.'],
  [['My-Docs', 'https://a.example'], {}, 'Invalid mount id "My-Docs". Use 1 to 16 lowercase letters'],
  [['docs', 'https://a.example'], { header: 'Authorization' }, '--header needs NAME=VALUE. See --help.'],
  [['docs', 'x'], { env: 'A=${env:B' }, 'env.A: close the reference with "}"'],
  [
    ['docs', 'https://a.example'],
    { isolation: 'own' },
    '--isolation: use one of shared, per-client. See --help.',
  ],
])('add %j with %j is refused before anything starts: %s', async (operands, flags, message) => {
  userHome();
  expect(await runCommand(add, { operands, flags })).toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringContaining(message),
  });
});

test('add of a server that does not start changes nothing', async () => {
  const { text, edit } = userHome();
  edit('# mine\n');
  const ran = await runCommand(add, {
    operands: ['docs', 'http://127.0.0.1:65535/mcp'],
    flags: { yes: true },
  });
  expect(ran).toMatchObject({ code: 1, stderr: 'Nothing was added.\n' });
  expect(ran.stdout).toBe('docs cannot be started: It cannot be reached (ECONNREFUSED).\n');
  expect(text()).toBe('# mine\n');
});

test('add of a server that starts slowly says how to wait longer, and does', async () => {
  const { text } = userHome();
  await using silent = await listen(() => undefined);
  const flags = { yes: true, 'start-seconds': '1' };
  expect((await runCommand(add, { operands: ['docs', silent.origin], flags })).stdout).toBe(
    'docs cannot be started: It did not start within 1 s. If it needs more, raise its start_seconds in deskside.toml, or add it with --start-seconds.\n',
  );
  const foreign = await foreignServer(TOOLS);
  const longer = { yes: true, 'start-seconds': '90' };
  expect(await runCommand(add, { operands: ['docs', foreign.url], flags: longer })).toMatchObject({
    code: 0,
  });
  expect(text()).toContain('\nstart_seconds = 90\n');
});

test('a file that cannot be changed is reported before the server starts', async () => {
  userHome().edit('mcpServers = { other = { command = "a" } }\n');
  const foreign = await foreignServer(TOOLS);
  const ran = await runCommand(add, { operands: ['docs', foreign.url], flags: { yes: true } });
  expect(ran.stderr).toContain('cannot be changed without changing more. Edit the file yourself.');
  expect(foreign.requests).toStrictEqual([]);
});

test('the options of a command without "--" are not taken for those of add, and nothing is started', async () => {
  const { folder } = userHome();
  const { argv, exitCode } = process;
  const written = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  onTestFinished(() => {
    written.mockRestore();
    Object.assign(process, { argv, exitCode });
  });
  const mark = join(folder, 'started');
  writeFileSync(join(folder, 'run'), `#!/bin/sh\ntouch '${mark}'\n`, { mode: 0o755 });
  process.argv = ['node', 'deskside', 'add', 'files', join(folder, 'run'), '-y', 'server'];
  await runProgram(program(SELF));
  expect(written.mock.calls.join('')).toBe(
    'deskside add: Put "--" in front of the command: deskside add files -- COMMAND.\n',
  );
  expect({ code: process.exitCode, isStarted: existsSync(mark) }).toStrictEqual({
    code: 1,
    isStarted: false,
  });
});
