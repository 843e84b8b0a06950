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
import { parse } from 'smol-toml';
import { expect, test } from 'vitest';
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

test.each([
  ['claude-desktop', 'Claude Desktop starts its servers itself. Connect it without --http.'],
  [
    'claude-code',
    'The program "claude" of Claude Code was not found. Install it, or connect without --http.',
  ],
])('connect %s over HTTP prints no command, and leaves no token: %s', async (id, message) => {
  const { run, home } = machine();
  expect(await run(id, { http: true })).toStrictEqual({ code: 1, stdout: '', stderr: `${message}\n` });
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
  ['claude', ' Did you mean "claude-code"?'],
  ['emacs', ''],
])('connect %s is rejected with all clients%s', async (id, proposal) => {
  const clients = CLIENTS.map((client) => client.id).join(', ');
  const stderr = `Unknown client "${id}".${proposal} Clients: ${clients}.\n`;
  expect(await machine().run(id)).toStrictEqual({ code: 1, stdout: '', stderr });
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

test('rules of the person before and behind those of Deskside stay in the file of Gemini CLI', async () => {
  const { run, home } = machine();
  const [before, after] = ['', '# mine\n'].map(
    (comment) => `[[rule]]\n${comment}toolName = "shell"\ndecision = "deny"\npriority = 5\n`,
  );
  const rules = join(home, '.gemini/policies/deskside.toml');
  mkdirSync(dirname(rules), { recursive: true });
  writeFileSync(rules, before ?? '');
  await run('gemini', { allow: true });
  appendFileSync(rules, `\n${after}`);
  const text = readFileSync(rules, 'utf8');
  expect(text).toContain(before);
  expect(parse(text)).toMatchObject({ rule: { length: 4 } });
  expect((await run('gemini', { allow: true })).stdout).toContain('connected already');
  await run('gemini', { undo: true });
  expect(readFileSync(rules, 'utf8')).toBe(`${before}\n${after}`);
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
  ['qwen-code', '"timeout": 86400000'],
  ['cline', '"timeout": 86400\n'],
  ['zed', '"timeout": 600\n'],
])('the entry of %s waits for an answer: %s', async (id, field) => {
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
