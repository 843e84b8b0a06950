import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { CLIENTS } from '../clients/table.ts';
import { runCommand, SELF } from '../testing/commands.ts';
import { machine } from '../testing/machine.ts';
import { connect } from './connect.ts';
import { tokenList } from './token.ts';

afterEach(() => void vi.unstubAllEnvs());

const CURSOR = `{
    // servers of the team
    "mcpServers": {
        "github": { "url": "https://example.com/mcp", "headers": { "Authorization": "Bearer x" } }, /* do not touch */
    },
    "unknown":   true
}
`;

const CODEX = `# my config
model = "gpt-5"   # best

[mcp_servers.other]   # mine
command = 'other'
`;

const FILES = [
  ['cursor', CURSOR],
  ['claude-desktop', '{"globalShortcut":"Ctrl+Space","mcpServers":{"a":{"command":"a"}}}'],
  ['codex', CODEX],
] as const;

test.each(FILES)(
  'connect %s changes nothing else in its file, and undo restores every byte',
  async (id, text) => {
    const { write, run, home } = machine();
    const file = write(id, text, 0o640);
    const dry = await run(id, { 'dry-run': true });
    expect(dry.stdout).toContain(`Would write to ${file}`);
    expect(readFileSync(file, 'utf8')).toBe(text);
    const ran = await run(id);
    expect(ran).toMatchObject({ code: 0, stderr: '' });
    const after = readFileSync(file, 'utf8');
    for (const line of text.split('\n').filter((each) => /\/\/|#|"unknown"|\/\*/.test(each)))
      expect(after).toContain(line);
    expect(after).toContain('@deskside/aggregator');
    expect(statSync(file).mode & 0o777).toBe(0o640);
    const backup = /The file before is (.*)/.exec(ran.stdout)?.[1] ?? '';
    expect(readFileSync(backup, 'utf8')).toBe(text);
    expect(statSync(backup).mode & 0o777).toBe(0o600);
    expect((await run(id)).stdout).toContain('is connected already');
    expect((await run(id, { undo: true, 'dry-run': true })).stdout).toContain(`Would restore ${file}`);
    expect(readFileSync(file, 'utf8')).toBe(after);
    expect(await run(id, { undo: true })).toMatchObject({ code: 0 });
    expect(readFileSync(file, 'utf8')).toBe(text);
    expect(readdirSync(dirname(file))).toHaveLength(1);
    expect(existsSync(join(home, 'data/deskside/connections.json'))).toBe(false);
  },
);

test('a second connect with another name is undone to the file before the first', async () => {
  const { run, write } = machine();
  const file = write('cursor', CURSOR);
  await run('cursor', { as: 'one' });
  await run('cursor', { as: 'two' });
  expect(readFileSync(file, 'utf8')).toContain('two');
  await run('cursor', { undo: true });
  expect(readFileSync(file, 'utf8')).toBe(CURSOR);
});

test.each([
  ['claude-code', `claude mcp add-json --scope user deskside '{"type":"stdio","command":"npx",`],
] as const)(
  'without the program of %s the command is printed, and nothing is written',
  async (id, command) => {
    const { run, fileOf, home } = machine();
    const { code, stdout } = await run(id);
    expect(code).toBe(1);
    expect(stdout).toContain('Run this where it is installed:');
    expect(stdout).toContain(`  ${command}`);
    expect(existsSync(fileOf(id))).toBe(false);
    expect(existsSync(join(home, 'data/deskside/connections.json'))).toBe(false);
  },
);

test('a file that is read-only, invalid or in an unexpected form is not changed, and the error names it', async () => {
  const { run, write } = machine();
  const file = write('cursor', CURSOR);
  chmodSync(file, 0o444);
  expect((await run('cursor')).stderr).toBe(`${file}: It is read-only.\n`);
  chmodSync(file, 0o644);
  writeFileSync(file, '{\n"mcpServers": }');
  expect((await run('cursor')).stderr).toBe(`${file}: Line 2 is not valid JSON (ValueExpected).\n`);
  writeFileSync(file, '{"mcpServers": []}');
  expect((await run('cursor')).stderr).toBe(`${file}: "mcpServers" is not an object.\n`);
  expect(readFileSync(file, 'utf8')).toBe('{"mcpServers": []}');
});

test('a link to a file of settings stays a link', async () => {
  const { run, fileOf, home } = machine();
  const target = join(home, 'dotfiles/mcp.json');
  mkdirSync(dirname(target));
  writeFileSync(target, CURSOR);
  mkdirSync(dirname(fileOf('cursor')), { recursive: true });
  symlinkSync(target, fileOf('cursor'));
  expect(await run('cursor')).toMatchObject({ code: 0 });
  expect(lstatSync(fileOf('cursor')).isSymbolicLink()).toBe(true);
  expect(readFileSync(target, 'utf8')).toContain('@deskside/aggregator');
});

test('Claude Desktop cannot be connected over HTTP', async () => {
  const { run } = machine();
  expect((await run('claude-desktop', { http: true })).stderr).toBe(
    'Claude Desktop starts its servers itself. Connect it without --http.\n',
  );
});

test('a connect over HTTP that fails leaves no token', async () => {
  const { run, write } = machine();
  write('cursor', '[]');
  expect((await run('cursor', { http: true })).code).toBe(1);
  expect((await runCommand(tokenList)).stdout).toContain('No tokens');
});

test('connect without a client lists those of this machine with the command of each', async () => {
  const { write, home } = machine();
  const list = () =>
    runCommand(connect(SELF), { env: { HOME: home, XDG_CONFIG_HOME: join(home, '.config') } });
  expect((await list()).stdout.split('\n')).toHaveLength(CLIENTS.length + 2);
  write('cursor', '{}');
  write('claude-code', '{}');
  expect((await list()).stdout).toBe(
    [
      'Clients on this machine, and how to connect each:',
      '  Claude Code  deskside connect claude-code',
      '  Cursor       deskside connect cursor',
      '',
    ].join('\n'),
  );
});

test.each([['emacs', `Unknown client "emacs". Clients: ${CLIENTS.map(({ id }) => id).join(', ')}.`]])(
  'connect %s is rejected: %s',
  async (id, message) => {
    const { run } = machine();
    expect((await run(id)).stderr).toBe(`${message}\n`);
  },
);

test('a client that was never started is found by its program', async () => {
  const { home, env } = machine(['claude']);
  const { stdout } = await runCommand(connect(SELF), { env: { ...env, HOME: home } });
  expect(stdout).toContain('Claude Code  deskside connect claude-code');
  expect(stdout).not.toContain('Codex');
});

test('agents may ask and notify without a prompt only after a yes, or with --allow', async () => {
  const { env, fileOf } = machine();
  const text = () => readFileSync(fileOf('codex'), 'utf8');
  const run = (flags: Record<string, boolean>, typed?: string) =>
    runCommand(connect(SELF), { operands: ['codex'], flags, env, ...(typed === undefined ? {} : { typed }) });
  await run({});
  expect(text()).not.toContain('approval_mode');
  expect((await run({}, 'n\n')).stdout).toContain('without a prompt of Codex? [y/N]');
  expect(text()).not.toContain('approval_mode');
  await run({}, 'y\n');
  expect(text()).toContain(
    '[mcp_servers.deskside.tools.popup_notify]\napproval_mode = "approve"\n\n[mcp_servers.deskside.tools.log_notify]\napproval_mode = "approve"\n',
  );
  expect(text().match(/approval_mode/g)).toHaveLength(2);
  await run({ 'no-allow': true }, 'y\n');
  expect(text()).not.toContain('approval_mode');
  await run({ allow: true });
  expect(text()).toContain('approval_mode');
});

test.each([
  ['codex', 'tool_timeout_sec = 86400'],
  ['gemini', '"timeout": 86400000'],
  ['qwen-code', '"timeout": 86400000'],
  ['cline', '"timeout": 86400'],
  ['roo', '"timeout": 3600'],
] as const)('the entry of %s waits for an answer: %s', async (id, field) => {
  const { run, fileOf } = machine();
  await run(id);
  expect(readFileSync(fileOf(id), 'utf8')).toContain(field);
});

test('at least 15 clients are known, each by a title of its own', () => {
  expect(CLIENTS.length).toBeGreaterThanOrEqual(15);
  expect(new Set(CLIENTS.map(({ title }) => title)).size).toBe(CLIENTS.length);
  expect(CLIENTS.filter(({ id, title }) => title === id)).toStrictEqual([]);
});
