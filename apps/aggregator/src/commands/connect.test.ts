import {
  appendFileSync,
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { DISPLAY_VARIABLES, isObject } from '@deskside/core/base';
import { type Flags, runProgram } from '@deskside/core/program';
import { parse } from 'smol-toml';
import { expect, onTestFinished, test } from 'vitest';
import { CLIENTS, tableInToml } from '@deskside/connect';
import { runCommand, SELF } from '../testing/commands.ts';
import { machine } from '../testing/machine.ts';
import { connect } from './connect.ts';
import { tokenList } from './token.ts';

const CURSOR = `{
    // servers of the team
    "mcpServers": {
        "github": { "url": "https://example.com/mcp", "headers": { "Authorization": "Bearer x" } }, /* do not touch */
    },
    "unknown":   true
}
`;

test('undo after a second connect, and after the person changed the file and the entry, removes the entry alone', async () => {
  const { run, write } = machine();
  const file = write('cursor', CURSOR);
  await run('cursor', { as: 'one' });
  await run('cursor', { as: 'two' });
  expect(readFileSync(file, 'utf8')).toContain('two');
  const [before, after] = ['"unknown":   true', '"unknown":   false // off'] as const;
  writeFileSync(file, readFileSync(file, 'utf8').replace('npx', 'bunx').replace(before, after));
  expect(await run('cursor', { undo: true })).toMatchObject({ code: 0, stderr: '' });
  expect(readFileSync(file, 'utf8')).toBe(CURSOR.replace(before, after));
});

test('undo of an entry that the person removed already forgets it', async () => {
  const { run, write } = machine();
  const file = write('cursor', CURSOR);
  await run('cursor');
  writeFileSync(file, CURSOR);
  expect(await run('cursor', { undo: true })).toMatchObject({ code: 0, stderr: '' });
  expect(readFileSync(file, 'utf8')).toBe(CURSOR);
  expect((await run('cursor', { undo: true })).stderr).toMatch(/^Nothing to undo/);
});

test('connect changes nothing that it cannot record', async () => {
  const { run, write, home } = machine();
  const file = write('cursor', CURSOR);
  writeFileSync(join(home, 'data'), 'stands for a full disk');
  await expect(run('cursor')).rejects.toThrow('ENOTDIR');
  expect(readFileSync(file, 'utf8')).toBe(CURSOR);
});

test('a connect that fails before the entry is written leaves the record of the one before, and no token', async () => {
  const { run, write, home } = machine();
  const file = write('cursor', CURSOR);
  await run('cursor');
  const record = () => readFileSync(join(home, 'data/deskside/connections.json'), 'utf8');
  const before = record();
  chmodSync(file, 0o444);
  expect((await run('cursor', { http: true })).stderr).toBe(`${file}: It is read-only.\n`);
  expect(record()).toBe(before);
  expect((await runCommand(tokenList)).stdout).toContain('No tokens');
});

test('a connect over HTTP that fails after the entry is written leaves its token, and undo takes both back', async () => {
  const { run, home, fileOf } = machine();
  mkdirSync(join(home, '.gemini'));
  writeFileSync(join(home, '.gemini/policies'), 'no folder');
  expect((await run('gemini', { http: true, allow: true })).stderr).toContain('.gemini/policies');
  expect(readFileSync(fileOf('gemini'), 'utf8')).toContain('Bearer deskside_');
  expect((await runCommand(tokenList)).stdout).toContain('gemini');
  expect(await run('gemini', { undo: true })).toMatchObject({ code: 0, stderr: '' });
  expect(existsSync(fileOf('gemini'))).toBe(false);
  expect((await runCommand(tokenList)).stdout).toContain('No tokens');
});

test('undo that cannot revoke the token can be repeated', async () => {
  const { run, home } = machine();
  await run('cursor', { http: true });
  const tokens = join(home, 'data/deskside/tokens.json');
  const text = readFileSync(tokens, 'utf8');
  writeFileSync(tokens, '{');
  expect((await run('cursor', { undo: true })).stderr).toContain('tokens.json');
  writeFileSync(tokens, text);
  expect(await run('cursor', { undo: true })).toMatchObject({ code: 0, stderr: '' });
  expect((await runCommand(tokenList)).stdout).toContain('No tokens');
});

test('without the program of Claude Code the command is printed, and nothing is written', async () => {
  const { run, fileOf, home } = machine();
  const { code, stdout } = await run('claude-code');
  expect(code).toBe(1);
  const command = `claude mcp add-json --scope user deskside '{"type":"stdio","command":"npx",`;
  expect(stdout).toContain(`Run this where it is installed:\n  ${command}`);
  expect(existsSync(fileOf('claude-code'))).toBe(false);
  expect(existsSync(join(home, 'data/deskside/connections.json'))).toBe(false);
});

test('a file that is invalid or in an unexpected form is not changed, and the error names it', async () => {
  const { run, write } = machine();
  const file = write('cursor', '{\n"mcpServers": }');
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

test('connect over HTTP without the program of the client prints no command, and leaves no token', async () => {
  const { run, home } = machine();
  expect(await run('claude-code', { http: true })).toStrictEqual({
    code: 1,
    stdout: '',
    stderr: 'The program "claude" of Claude Code was not found. Install it, or connect without --http.\n',
  });
  expect((await runCommand(tokenList)).stdout).toContain('No tokens');
  expect(existsSync(join(home, 'data/deskside/connections.json'))).toBe(false);
});

test('connect without a client lists those of this machine with the command of each', async () => {
  const { write, home, env, fileOf } = machine();
  const list = () => runCommand(connect(SELF), { env });
  // What is left of a connection that was undone.
  mkdirSync(dirname(fileOf('cursor')), { recursive: true });
  expect((await list()).stdout).toBe(
    'No client was found. To connect one, for example Claude Code: deskside connect claude-code (deskside connect --help names all)\n',
  );
  // One was never started.
  writeFileSync(join(home, 'bin/claude'), '', { mode: 0o755 });
  write('cursor', '{}');
  expect((await list()).stdout).toBe(
    [
      'Clients on this machine, and how to connect each:',
      '  Claude Code  deskside connect claude-code',
      '  Cursor       deskside connect cursor',
      '',
    ].join('\n'),
  );
});

test.each([
  [
    'claude',
    `Unknown client "claude". Did you mean "claude-code"? Clients: ${CLIENTS.map(({ id }) => id).join(', ')}.`,
  ],
  ['emacs', `Unknown client "emacs". Clients: ${CLIENTS.map(({ id }) => id).join(', ')}.`],
])('connect %s is rejected: %s', async (id, message) => {
  const { run } = machine();
  expect((await run(id)).stderr).toBe(`${message}\n`);
});

const ALLOW = '"mcp__deskside__popup_notify",\n      "mcp__deskside__log_notify"';
/** Those of the plugin, too. */
const ALLOW_PLUGIN =
  '"mcp__plugin_deskside_deskside__popup_notify",\n      "mcp__plugin_deskside_deskside__log_notify"';

/** Client, the file of its rule, and what stands there. */
const RULES = [
  [
    'claude-code',
    '.claude/settings.json',
    `{\n  "permissions": {\n    "allow": [\n      ${ALLOW},\n      ${ALLOW_PLUGIN}\n    ]\n  }\n}\n`,
  ],
  ['qwen-code', '.qwen/settings.json', `"permissions": {\n    "allow": [\n      ${ALLOW}\n    ]\n  }`],
  [
    'gemini',
    '.gemini/policies/deskside.toml',
    '[[rule]]\nmcpName = "deskside"\ntoolName = "popup_notify"\ndecision = "allow"\npriority = 100\n\n[[rule]]\nmcpName = "deskside"\ntoolName = "log_notify"\ndecision = "allow"\npriority = 100\n',
  ],
  [
    'zed',
    '.config/zed/settings.json',
    '"tools": {\n        "mcp:deskside:log_notify": {\n          "default": "allow"\n        },\n        "mcp:deskside:popup_notify": {\n          "default": "allow"\n        }\n      }',
  ],
  [
    'codex',
    '.codex/config.toml',
    '[mcp_servers.deskside.tools.popup_notify]\napproval_mode = "approve"\n\n[mcp_servers.deskside.tools.log_notify]\napproval_mode = "approve"\n',
  ],
  [
    'roo',
    '.config/Code/User/globalStorage/rooveterinaryinc.roo-cline/settings/mcp_settings.json',
    '"alwaysAllow": [\n        "popup_notify",\n        "log_notify"\n      ]',
  ],
] as const;

test.each(RULES)(
  'agents may ask and notify without a prompt of %s only after a yes or with --allow, until --no-allow or --undo',
  async (id, path, rule) => {
    const { env, home } = machine(['claude']);
    const text = () => (existsSync(join(home, path)) ? readFileSync(join(home, path), 'utf8') : '');
    const run = (flags: Record<string, boolean>, typed?: string) =>
      runCommand(connect(SELF), { operands: [id], flags, env, ...(typed === undefined ? {} : { typed }) });
    await run({});
    expect(text()).not.toContain('log_notify');
    expect((await run({}, 'n\n')).stdout).toMatch(/without a prompt of .*\? \[y\/N\]/);
    expect(text()).not.toContain('log_notify');
    const dry = await run({ allow: true, 'dry-run': true });
    expect(dry.stdout).toContain(`Would write to ${join(home, path)}`);
    expect(dry.stdout).toContain('log_notify');
    expect(text()).not.toContain('log_notify');
    expect(await run({}, 'y\n')).toMatchObject({ code: 0, stderr: '' });
    expect(text()).toContain(rule);
    expect(text().match(/_notify/g)).toHaveLength(id === 'claude-code' ? 4 : 2);
    for (const again of [await run({}), await run({ allow: true }), await run({}, 'n\n')]) {
      expect(again.stdout).toMatch(/^.* is connected already: .*\n$/);
      expect(text()).toContain(rule);
    }
    await run({ 'no-allow': true }, 'y\n');
    expect(text()).not.toContain('log_notify');
    await run({ allow: true });
    expect(text()).toContain(rule);
    expect(await run({ undo: true })).toMatchObject({ code: 0, stderr: '' });
    expect(text()).not.toContain('deskside');
  },
);

test.each([
  ['claude-code', '.claude/settings.json', 'permissions', '"allow": ["Bash(ls)", /* all */ "WebFetch"]'],
  ['qwen-code', '.qwen/settings.json', 'permissions', '"allow": ["Bash(ls)"], // mine'],
  ['zed', '.config/zed/settings.json', 'agent', '"tool_permissions": { "default": "confirm" }'],
])('the rule of %s leaves the rest of its file, and undo restores it', async (id, path, key, inner) => {
  const { run, home } = machine(['claude']);
  const text = `\uFEFF{\r\n\t// mine\r\n\t"theme": "Ä", /* x */\r\n\t"${key}": {\r\n\t\t${inner}\r\n\t},\r\n}\r\n`;
  const file = join(home, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  expect(await run(id, { allow: true })).toMatchObject({ code: 0, stderr: '' });
  const allowed = readFileSync(file, 'utf8');
  expect(allowed.match(/_notify/g)).toHaveLength(id === 'claude-code' ? 4 : 2);
  for (const part of ['\uFEFF{\r\n', '\t// mine\r\n\t"theme": "Ä", /* x */\r\n', '},\r\n}\r\n'])
    expect(allowed).toContain(part);
  expect(allowed).not.toMatch(/[^\r]\n/);
  await run(id, { undo: true });
  expect(readFileSync(file, 'utf8')).toBe(text);
});

test('--no-allow on a command line allows nothing', async () => {
  const { env } = machine(['claude']);
  const { argv } = process;
  onTestFinished(() => void Object.assign(process, { argv }));
  const read: Flags[] = [];
  const command = { ...connect(SELF), run: async (flags: Flags) => void read.push(flags) };
  const commands = { connect: { summary: 'Connect.', load: async () => command } };
  process.argv = ['node', 'deskside', 'connect', 'claude-code', '--no-allow', '--dry-run'];
  await runProgram({ name: 'deskside', version: '1.0.0', summary: 'Demo.', commands });
  expect(read).toHaveLength(1);
  const [flags = {}] = read;
  const { stdout } = await runCommand(connect(SELF), { operands: ['claude-code'], flags, env });
  expect(stdout).toContain('Would run');
  expect(stdout).not.toContain('_notify');
});

test('without --allow, --no-allow and a yes the rules that the person set for other tools stay', async () => {
  const { run, write, fileOf } = machine();
  const text = () => readFileSync(fileOf('codex'), 'utf8');
  const others = '[mcp_servers.deskside.tools.todo_add_task]\napproval_mode = "approve"\n';
  await run('codex');
  write('codex', `[mcp_servers.deskside]\ncommand = "old"\n\n${others}`);
  await run('codex', { allow: true });
  expect(text()).toContain(others);
  await run('codex', { 'no-allow': true });
  expect(text()).toContain(others);
  expect(text()).not.toContain('_notify');
});

test('a file of rules that cannot be changed stops connect before the first change', async () => {
  const { run, home, fileOf } = machine(['claude']);
  const rules = join(home, '.claude/settings.json');
  mkdirSync(dirname(rules));
  writeFileSync(rules, '{"permissions": {"allow": "all"}}');
  expect((await run('claude-code', { allow: true })).stderr).toBe(
    `${rules}: "permissions.allow" is not a list.\n`,
  );
  expect(existsSync(fileOf('claude-code'))).toBe(false);
});

test('a read-only file of rules stops connect and undo before the first change, and no token is left', async () => {
  const { run, home, fileOf } = machine();
  const rules = join(home, '.gemini/policies/deskside.toml');
  mkdirSync(dirname(rules), { recursive: true });
  writeFileSync(rules, '# mine\n', { mode: 0o444 });
  const refused = `${rules}: It is read-only.\n`;
  expect((await run('gemini', { allow: true, http: true })).stderr).toBe(refused);
  expect(existsSync(fileOf('gemini'))).toBe(false);
  expect((await runCommand(tokenList)).stdout).toContain('No tokens');
  chmodSync(rules, 0o644);
  await run('gemini', { allow: true });
  chmodSync(rules, 0o444);
  const before = readFileSync(fileOf('gemini'), 'utf8');
  expect((await run('gemini', { undo: true })).stderr).toBe(refused);
  expect(readFileSync(fileOf('gemini'), 'utf8')).toBe(before);
});

test.each([
  ['before', '[[rule]]\ntoolName = "shell"\ndecision = "deny"\npriority = 5\n', ''],
  ['behind', '', '\n[[rule]]\n# mine\ntoolName = "shell"\ndecision = "deny"\npriority = 5\n'],
])('rules of the person %s those of Deskside stay in the file of Gemini CLI', async (_, before, after) => {
  const { run, home } = machine();
  const rules = join(home, '.gemini/policies/deskside.toml');
  mkdirSync(dirname(rules), { recursive: true });
  if (before !== '') writeFileSync(rules, before);
  await run('gemini', { allow: true });
  if (after !== '') appendFileSync(rules, after);
  const text = readFileSync(rules, 'utf8');
  expect(text).toContain(before);
  expect(parse(text)).toMatchObject({ rule: { length: 3 } });
  expect((await run('gemini', { allow: true })).stdout).toContain('connected already');
  await run('gemini', { undo: true });
  expect(readFileSync(rules, 'utf8').trim()).toBe((before + after).trim());
});

/** What stands in the entry after the first connect, and what of it stays after the second one, and goes. */
test.each([
  ['codex', '[mcp_servers.deskside]\nurl = "http://a"\ntool_timeout_sec = 30\n', '_sec = 30', 'url'],
  ['gemini', '{"mcpServers": {"deskside": {"url":"http://a", "timeout":7000}}}', '"timeout":7000', 'url'],
  ['copilot-cli', '{"mcpServers":{"deskside":{"tools":["popup_notify"]}}}', '"popup_notify"', '"*"'],
])('connect again leaves what the person set in the entry of %s', async (id, entry, kept, gone) => {
  const { run, write, fileOf } = machine();
  const text = () => readFileSync(fileOf(id), 'utf8');
  await run(id);
  write(id, entry);
  await run(id);
  expect(text()).toContain(kept);
  expect(text()).toContain('stdio');
  expect(text()).not.toContain(gone);
  expect((await run(id)).stdout).toContain('connected already');
});

test('connect again keeps variables that the person hands on to the entry of Codex, and required = true', async () => {
  const { run, write, fileOf } = machine();
  const variables = () => {
    const entry = tableInToml(readFileSync(fileOf('codex'), 'utf8'), 'mcp_servers')['deskside'];
    return isObject(entry) ? entry['env_vars'] : undefined;
  };
  await run('codex');
  write('codex', '[mcp_servers.deskside]\ncommand = "old"\nenv_vars = ["NTFY_TOKEN", "DISPLAY"]\n');
  await run('codex');
  expect(variables()).toStrictEqual([...DISPLAY_VARIABLES, 'NTFY_TOKEN']);
  expect((await run('codex')).stdout).toContain('connected already');
  const required = readFileSync(fileOf('codex'), 'utf8').replace(/^command/m, 'required = true\ncommand');
  write('codex', required.replace('86400', '60'));
  await run('codex', { as: 'other' });
  // Its first turn waits for the tools, and it does not start without Deskside: the person decides.
  expect(readFileSync(fileOf('codex'), 'utf8')).toContain('required = true');
  await run('codex', { http: true });
  // Codex refuses a URL with env_vars.
  expect(variables()).toBeUndefined();
});

test('connect gemini follows GEMINI_CLI_HOME', async () => {
  const { run, home, env } = machine();
  env['GEMINI_CLI_HOME'] = join(home, 'work');
  await run('gemini', { allow: true });
  expect(readFileSync(join(home, 'work/.gemini/settings.json'), 'utf8')).toContain('deskside');
  expect(readFileSync(join(home, 'work/.gemini/policies/deskside.toml'), 'utf8')).toContain('popup_notify');
  expect(existsSync(join(home, '.gemini'))).toBe(false);
});

test.each([
  [['settings.jsonc'], 'settings.jsonc'],
  [['settings.json', 'settings.jsonc'], 'settings.json'],
  [[], 'settings.json'],
])('with the files %j connect amp writes to %s', async (files, written) => {
  const { run, home } = machine();
  const folder = join(home, '.config/amp');
  mkdirSync(folder, { recursive: true });
  for (const file of files) writeFileSync(join(folder, file), '{}');
  await run('amp');
  expect(readFileSync(join(folder, written), 'utf8')).toContain('deskside');
  expect(readdirSync(folder)).toStrictEqual(files.length === 0 ? [written] : files);
});

test.each([
  ['codex', 'tool_timeout_sec = 86400'],
  ['gemini', '"timeout": 86400000'],
  ['qwen-code', '"timeout": 86400000'],
  ['cline', '"timeout": 86400'],
  ['roo', '"timeout": 3600'],
  ['zed', '"timeout": 600\n'],
] as const)('the entry of %s waits for an answer: %s', async (id, field) => {
  const { run, fileOf } = machine();
  await run(id);
  expect(readFileSync(fileOf(id), 'utf8')).toContain(field);
});

test('the page of clients has the command of every client', () => {
  const page = readFileSync(join(import.meta.dirname, '../../../../docs/clients.md'), 'utf8');
  const [clients = ''] = /<!-- clients -->.*<!-- \/clients -->/s.exec(page) ?? [];
  const ids = [...clients.matchAll(/ connect ([\w-]+)/g)].map(([, id]) => id);
  expect(new Set(ids)).toStrictEqual(new Set(CLIENTS.map(({ id }) => id)));
});
