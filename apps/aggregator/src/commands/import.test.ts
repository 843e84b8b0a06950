import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { stringify } from 'smol-toml';
import { expect, test } from 'vitest';
import { clientNamed } from '@deskside/connect';
import { runCommand } from '../testing/commands.ts';
import { machine } from '../testing/machine.ts';
import { apply } from './apply.ts';
import { importServers } from './import.ts';

/** A machine with one client's file. */
function clientWith(id: string, text: string) {
  const { home, env, write } = machine();
  const clientFile = write(id, text);
  const deskFile = join(home, '.config/deskside/deskside.toml');
  const run = (flags: Record<string, boolean> = {}) =>
    runCommand(importServers, { operands: [id], flags, env });
  return { home, env, clientFile, deskFile, run };
}

const CURSOR = `{
  // mine
  "mcpServers": {
    "GitHub": { "command": "npx", "args": ["-y", "github"], "env": { "TOKEN": "s3cret" }, },
    "docs-server": { "url": "https://example.com/mcp", "headers": { "Authorization": "Bearer s3cret" } },
    "old": { "url": "https://example.com/sse" },
    "todo": { "command": "todo" },
    "off": { "command": "off", "disabled": true },
    "broken": { "port": 3 },
    "deskside": { "command": "npx", "args": ["-y", "@deskside/aggregator", "stdio"] },
  },
}
`;

const TABLES = `[mcpServers.github]
command = "npx"
args = [ "-y", "github" ]

[mcpServers.github.env]
TOKEN = "s3cret"

[mcpServers.docsserver]
url = "https://example.com/mcp"

[mcpServers.docsserver.headers]
Authorization = "Bearer s3cret"

[mcpServers.old]
url = "https://example.com/sse"
`;

const NAMED = '[mcpServers.servers]\ncommand = "a"\n';

test('import copies the servers of a client into deskside.toml, and the file of the client stays as it was', async () => {
  const { clientFile, deskFile, run } = clientWith('cursor', CURSOR);
  mkdirSync(dirname(deskFile), { recursive: true });
  writeFileSync(deskFile, '# my desk\n[mounts.todo]\nuser = "ada"\n');
  const dry = await run({ 'dry-run': true });
  expect(dry.stdout).toContain(`Would add to ${deskFile}:\n[mcpServers.github]\ncommand = "npx"\n`);
  expect(readFileSync(deskFile, 'utf8')).toBe('# my desk\n[mounts.todo]\nuser = "ada"\n');
  const ran = await run();
  expect(ran).toMatchObject({ code: 0, stderr: '' });
  expect(readFileSync(deskFile, 'utf8')).toBe(`# my desk\n[mounts.todo]\nuser = "ada"\n\n${TABLES}`);
  expect(readFileSync(clientFile, 'utf8')).toBe(CURSOR);
  expect(statSync(deskFile).mode & 0o777).toBe(0o600);
  expect(ran.stdout).not.toContain('s3cret');
  expect(ran.stdout.split('\n').filter((line) => line.startsWith('Left out'))).toStrictEqual([
    'Left out todo: "todo" exists already.',
    'Left out off: it is disabled.',
    'Left out broken: it has neither a command nor a URL.',
  ]);
  expect((await run()).stdout).toContain('Nothing to add from ');
  const shown = await runCommand(apply);
  expect(shown.stdout).toContain('+ mcpServers.github.command = "npx"');
  expect(shown.stdout).not.toContain('s3cret');
});

test.each<readonly [string, string, string]>([
  [
    'codex',
    '[mcp_servers.a]\ncommand = "a"\nenv_vars = ["DISPLAY"]\nstartup_timeout_sec = 20\n\n[mcp_servers.b]\nurl = "https://b.example/mcp"\nbearer_token_env_var = "B"\nenv_http_headers = { X = "Y" }\n',
    '[mcpServers.a]\ncommand = "a"\nenv_vars = [ "DISPLAY" ]\nstart_seconds = 20\n\n[mcpServers.b]\nurl = "https://b.example/mcp"\n\n[mcpServers.b.headers]\nX = "${env:Y}"\nAuthorization = "Bearer ${env:B}"\n',
  ],
  [
    'vscode',
    '{"inputs":[],"servers":{"a":{"type":"stdio","command":"a","cwd":"/srv"},"b":{"type":"http","url":"https://b.example/mcp"},"c":{"command":"c","env":{"K":"${input:key}"}}}}',
    '[mcpServers.a]\ncommand = "a"\ncwd = "/srv"\n\n[mcpServers.b]\nurl = "https://b.example/mcp"\n',
  ],
  [
    'gemini',
    '{"mcpServers":{"a":{"httpUrl":"https://a.example/mcp"},"b":{"url":"https://b.example/events"},"c":{"url":"https://c.example/mcp","type":"http"}}}',
    '[mcpServers.a]\nurl = "https://a.example/mcp"\n\n[mcpServers.b]\nurl = "https://b.example/events"\n\n[mcpServers.c]\nurl = "https://c.example/mcp"\n',
  ],
  [
    'claude-code',
    '{"projects":{"/srv":{"mcpServers":{"x":{"command":"x"}}}},"mcpServers":{"1 Files & more":{"type":"stdio","command":"a","args":[],"env":{}}}}',
    '[mcpServers.filesmore]\ncommand = "a"\nargs = []\n\n[mcpServers.filesmore.env]\n',
  ],
  [
    'opencode',
    '{"mcp":{"a":{"type":"local","command":["npx","-y","a"],"environment":{"K":"{env:KEY}"},"enabled":true},"b":{"type":"remote","url":"https://b.example/mcp"}}}',
    '[mcpServers.a]\ncommand = "npx"\nargs = [ "-y", "a" ]\n\n[mcpServers.a.env]\nK = "${env:KEY}"\n\n[mcpServers.b]\nurl = "https://b.example/mcp"\n',
  ],
  [
    'kilo',
    '{"mcp":{"timeout":{"startup":5},"servers":{"a":{"type":"local","command":["a","-x"]},"b":{"type":"remote","url":"https://b.example/mcp","disabled":true}},"c":{"type":"local","command":["c"]}}}',
    '[mcpServers.c]\ncommand = "c"\n\n[mcpServers.a]\ncommand = "a"\nargs = [ "-x" ]\n',
  ],
  // A server can have the name of the table.
  ['opencode', '{"mcp":{"servers":{"type":"local","command":["a"]}}}', NAMED],
  ['cursor', '{"mcpServers":{"servers":{"command":"a"}}}', NAMED],
])('import reads the form of %s: %s', async (id, text, tables) => {
  const { run, deskFile } = clientWith(id, text);
  expect(await run()).toMatchObject({ code: 0, stderr: '' });
  expect(readFileSync(deskFile, 'utf8')).toBe(tables);
});

test.each<readonly [string, Readonly<Record<string, unknown>>, string]>([
  [
    'codex',
    { enabled_tools: ['read', 'write'], disabled_tools: ['write'] },
    'include = [ "read", "write" ]\nexclude = [ "write" ]\n',
  ],
  [
    'gemini',
    { includeTools: ['read'], excludeTools: ['drop'] },
    'include = [ "read" ]\nexclude = [ "drop" ]\n',
  ],
  ['qwen-code', { excludeTools: ['drop'] }, 'exclude = [ "drop" ]\n'],
  ['copilot-cli', { tools: ['read'] }, 'include = [ "read" ]\n'],
  ['copilot-cli', { tools: ['*'] }, ''],
  ['codex', { tools: { read: { approval_mode: 'approve' } } }, ''],
  ['roo', { disabledTools: ['drop'] }, 'exclude = [ "drop" ]\n'],
  ['windsurf', { disabledTools: ['drop'] }, 'exclude = [ "drop" ]\n'],
  ['roo', { disabledTools: [] }, ''],
])('import from %s keeps the limits of the tools in %j', async (id, limits, lines) => {
  for (const [reached, line] of [
    [{ command: 'a' }, 'command = "a"'],
    [{ url: 'https://a.example/mcp' }, 'url = "https://a.example/mcp"'],
  ] as const) {
    const { root, format } = clientNamed(id);
    const tree = { [root]: { a: { ...reached, ...limits } } };
    const { run, deskFile } = clientWith(id, format === 'toml' ? stringify(tree) : JSON.stringify(tree));
    expect(await run()).toMatchObject({ code: 0, stderr: '' });
    expect(readFileSync(deskFile, 'utf8')).toBe(`[mcpServers.a]\n${line}\n${lines}`);
  }
});

test.each<readonly [string, Readonly<Record<string, unknown>>, string]>([
  ['gemini', { includeTools: [] }, 'it offers no tools'],
  ['cursor', { envFile: '.env' }, 'it reads variables from a file (envFile)'],
  ['cursor', { args: ['${root}'] }, 'it uses ${root}, which deskside.toml does not have'],
  ['claude-code', { headersHelper: '/bin/token' }, 'a program makes its headers (headersHelper)'],
  [
    'gemini',
    { includeTools: ['run(ls)'] },
    'include: "(" has no meaning in a pattern. "*" stands for any characters, "?" for one',
  ],
])('import from %s leaves out a server with %j', async (id, fields, reason) => {
  const { run } = clientWith(id, JSON.stringify({ mcpServers: { a: { command: 'a', ...fields } } }));
  expect((await run()).stdout).toContain(`Left out a: ${reason}.`);
});

test.each([
  ['gemini', '{"excluded":["a"]}'],
  ['qwen-code', '{"excluded":["a"]}'],
  ['gemini', '{"allowed":["b"]}'],
  // No list: nothing is disabled there.
  ['gemini', 'null', '"disabled":true,'],
])('import from %s leaves out servers that its settings disable: %s %s', async (id, lists, field = '') => {
  const text = `{"mcp":${lists},"mcpServers":{"a":{${field}"command":"a"},"b":{"command":"b"}}}`;
  const { run, deskFile } = clientWith(id, text);
  expect((await run()).stdout).toContain('Left out a: it is disabled.');
  expect(readFileSync(deskFile, 'utf8')).toBe('[mcpServers.b]\ncommand = "b"\n');
});

test.each<readonly [string, string, string]>([
  ['claude-code', 'Bearer ${KEY}', 'Bearer ${env:KEY}'],
  ['claude-code', '${KEY:-a b}/${OTHER:-}', '${env:KEY:-a b}/${env:OTHER:-}'],
  ['gemini', '$KEY and ${KEY}', '${env:KEY} and ${env:KEY}'],
  ['cursor', '${env:KEY}', '${env:KEY}'],
])('import from %s translates the variables in %j', async (id, value, expected) => {
  const { run, deskFile } = clientWith(
    id,
    JSON.stringify({ mcpServers: { a: { command: 'a', env: { A: value } } } }),
  );
  expect((await run()).stderr).toBe('');
  expect(readFileSync(deskFile, 'utf8')).toContain(`A = "${expected}"`);
});

test('import names what deskside.toml refuses of a server', async () => {
  const header = ['mcp-remote', 'https://x.example', '--header', 'Authorization: Bearer ${TOKEN}'];
  const mcpServers = {
    a: { command: 'npx', args: header },
    b: { command: 'b', env: { PORT: 3000 } },
    c: { url: 'ftp://c.example' },
  };
  const { run } = clientWith('claude-code', JSON.stringify({ mcpServers }));
  expect((await run()).stdout.split('\n').filter((line) => line.startsWith('Left out'))).toStrictEqual([
    'Left out a: args: other users of this machine can read arguments: pass the secret in env, or write "$${" for the characters "${".',
    'Left out b: env.PORT: use a text.',
    'Left out c: url: use an http or https URL such as https://example.com/mcp.',
  ]);
});

test('import of a client without servers or without a file changes nothing', async () => {
  const { run, deskFile, clientFile, env } = clientWith('cursor', '{}');
  expect((await run()).stdout).toBe(`Nothing to add from ${clientFile}.\n`);
  expect((await runCommand(importServers, { operands: ['codex'], env })).stdout).toContain(
    'Nothing to add from',
  );
  expect((await runCommand(importServers, { env })).stderr).toBe('Pass one CLIENT. See --help.\n');
  writeFileSync(clientFile, '{');
  expect((await run()).stderr).toContain(`${clientFile}: Line 1 is not valid JSON`);
  expect(existsSync(deskFile)).toBe(false);
});
