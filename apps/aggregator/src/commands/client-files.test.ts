import { chmodSync, existsSync, readFileSync, statSync } from 'node:fs';
import { expect, test } from 'vitest';
import { type Client, CLIENTS, tableInJson, tableInToml } from '@deskside/connect';
import { runCommand } from '../testing/commands.ts';
import { machine } from '../testing/machine.ts';
import { importServers } from './import.ts';

type State = 'comments' | 'other servers' | 'odd formatting' | 'CRLF and a byte order mark' | 'one line';

/** Files as their clients and people write them, with the server `github`. */
function json(root: string, settings: string): Readonly<Record<State, string>> {
  return {
    comments: `// mine\n{\n  ${settings}\n  "${root}": {\n    // work\n    "github": { "command": "gh", "args": ["mcp"] }, /* off: "old": {} */\n  },\n}\n`,
    'other servers': `{\n  ${settings}\n  "${root}": {\n    "github": {\n      "command": "gh",\n      "args": ["mcp"],\n      "env": { "TOKEN": "s3cret" }\n    },\n    "docs": { "url": "https://example.com/mcp" }\n  }\n}\n`,
    'odd formatting': `\n{\t${settings}\n\n"${root}"   :\n{"github":{"args":\n["mcp"  ],   "command":"gh"}}\n\n\n   }`,
    'CRLF and a byte order mark': `\uFEFF{\r\n  ${settings}\r\n  "${root}": {\r\n    "github": { "command": "gh", "args": ["mcp"] }\r\n  }\r\n}\r\n`,
    'one line': `{${settings}"${root}":{"github":{"command":"gh","args":["mcp"]}}}`,
  };
}

const CODEX: Readonly<Record<State, string>> = {
  comments: `# mine\nmodel = "gpt-5" # best\n\n[mcp_servers.github] # work\ncommand = "gh"\n# args = ["old"]\nargs = ["mcp"]\n`,
  'other servers': `model = "gpt-5"\n\n[mcp_servers.github]\ncommand = "gh"\nargs = ["mcp"]\n\n[mcp_servers.github.env]\nTOKEN = "s3cret"\n\n[mcp_servers.docs]\nurl = "https://example.com/mcp"\n\n[profiles.fast]\nmodel = "mini"\n`,
  'odd formatting': `\n\nmodel='gpt-5'\n  [ mcp_servers . github ]\n\tcommand   =   """gh"""\nargs = [\n"mcp",\n]\n[projects."/home/ada/a b"]\ntrust_level="trusted"`,
  'CRLF and a byte order mark': `\uFEFFmodel = "gpt-5"\r\n\r\n[mcp_servers.github]\r\ncommand = "gh"\r\nargs = ["mcp"]\r\n`,
  'one line': 'mcp_servers.github.command = "gh"',
};

const SETTINGS: Readonly<Record<string, string>> = {
  'claude-code': '"numStartups": 7, "projects": { "/home/ada": { "mcpServers": {} } },',
  vscode: '"inputs": [{ "id": "token", "type": "promptString", "password": true }],',
  gemini: '"security": { "auth": { "selectedType": "oauth-personal" } }, "theme": "Ä 😀",',
};

function filesOf({ id, format, root }: Client): Readonly<Record<State, string>> {
  return format === 'toml' ? CODEX : json(root, SETTINGS[id] ?? '"unknown": 1e3,');
}

/** Clients whose files differ in nothing but their path share the states of a file. */
const cells = CLIENTS.flatMap((client, place) =>
  Object.entries(filesOf(client))
    .filter((_, index) => client.root !== 'mcpServers' || client.id in SETTINGS || (place + index) % 5 === 0)
    .map(([state, text]) => [client.id, state, client, text] as const),
);

function serversIn({ format, root }: Client, text: string): Readonly<Record<string, unknown>> {
  return format === 'json' ? tableInJson(text, root) : tableInToml(text, root);
}

/** True if the second text is the first one with additions. */
function hasAllOf(before: string, after: string): boolean {
  let at = 0;
  for (const character of after) if (before.startsWith(character, at)) at += character.length;
  return at === before.length;
}

test.each(cells)('connect and undo for %s keep a file with %s', async (id, _, client, text) => {
  const { run, write, home } = machine();
  const file = write(id, text, 0o640);
  const now = () => readFileSync(file, 'utf8');
  const would = client.command === undefined ? `Would write to ${file}` : 'Would run';
  expect(await run(id, { 'dry-run': true })).toMatchObject({
    code: 0,
    stdout: expect.stringContaining(would),
  });
  expect(now()).toBe(text);
  const ran = await run(id);
  if (client.command !== undefined) {
    // The program of the client changes its file, and this machine does not have it.
    expect(ran).toMatchObject({ code: 1, stdout: expect.stringContaining('was not found. Run this where') });
    expect(now()).toBe(text);
    return;
  }
  expect(hasAllOf(text, now())).toBe(true);
  expect(ran).toMatchObject({ code: 0, stderr: '' });
  const { deskside, ...others } = serversIn(client, now());
  expect(JSON.stringify(deskside)).toContain('"npx"');
  expect(others).toEqual(serversIn(client, text));
  expect(now().includes('\r\n')).toBe(text.includes('\r\n'));
  expect(now().replaceAll('\r\n', '')).not.toContain('\r');
  expect(statSync(file).mode & 0o777).toBe(0o640);
  const connected = now();
  expect((await run(id)).stdout).toContain('is connected already');
  const wouldUndo = `Would remove "deskside" from ${file}`;
  expect((await run(id, { undo: true, 'dry-run': true })).stdout).toContain(wouldUndo);
  expect(now()).toBe(connected);
  expect(await run(id, { undo: true })).toMatchObject({ code: 0, stderr: '' });
  expect(existsSync(`${home}/data/deskside/connections.json`)).toBe(false);
  // A table of TOML begins after a line end.
  expect(now()).toBe(client.format === 'toml' && !text.endsWith('\n') ? `${text}\n` : text);
});

test.each(cells)('import from %s reads a file with %s, and does not change it', async (id, _, __, text) => {
  const { home, env, write } = machine();
  const file = write(id, text);
  const desk = `${home}/.config/deskside/deskside.toml`;
  const run = (flags: Record<string, boolean>) => runCommand(importServers, { operands: [id], flags, env });
  expect(await run({ 'dry-run': true })).toMatchObject({ code: 0, stderr: '' });
  expect(existsSync(desk)).toBe(false);
  expect(await run({})).toMatchObject({ code: 0, stderr: '' });
  expect(readFileSync(desk, 'utf8')).toMatch(/^\[mcpServers\.github\]\ncommand = "gh"\n/);
  expect(readFileSync(file, 'utf8')).toBe(text);
});

test.each(CLIENTS)('connect and import for $title leave a read-only file', async (client) => {
  const { id, command } = client;
  const { env, run, write } = machine();
  const text = filesOf(client).comments;
  const file = write(id, text);
  chmodSync(file, 0o444);
  const ran = await run(id);
  expect(ran.code).toBe(1);
  expect(ran.stderr).toBe(command === undefined ? `${file}: It is read-only.\n` : '');
  expect(await runCommand(importServers, { operands: [id], env })).toMatchObject({ code: 0, stderr: '' });
  expect(readFileSync(file, 'utf8')).toBe(text);
});

test.each(CLIENTS)('import for $title without a file reports that, and writes nothing', async ({ id }) => {
  const { env, fileOf, home } = machine();
  const ran = await runCommand(importServers, { operands: [id], env });
  expect(ran.stdout + ran.stderr).toContain(fileOf(id));
  expect(existsSync(fileOf(id))).toBe(false);
  expect(existsSync(`${home}/.config/deskside/deskside.toml`)).toBe(false);
});
