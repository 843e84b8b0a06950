import { existsSync, readFileSync, statSync } from 'node:fs';
import { expect, test } from 'vitest';
import { type Client, CLIENTS, tableInJson, tableInToml } from '@deskside/connect';
import { runCommand } from '../testing/commands.ts';
import { machine } from '../testing/machine.ts';
import { importServers } from './import.ts';

type State = 'comments, CRLF and odd formatting' | 'one line';
type Files = Readonly<Record<State, string>>;

/** Files as their clients and people write them, with the server `github`. */
const json = (root: string, settings: string): Files => ({
  'comments, CRLF and odd formatting': `\uFEFF// mine\r\n{\t${settings}\r\n\r\n"${root}"   :\r\n  {\r\n    // work\r\n    "github": {"args":\r\n["mcp"  ],   "command":"gh" }, /* off: "old": {} */\r\n    "docs": { "url": "https://example.com/mcp" },\r\n  },\r\n   }\r\n`,
  'one line': `{${settings}"${root}":{"github":{"command":"gh","args":["mcp"]}}}`,
});

const CODEX: Files = {
  'comments, CRLF and odd formatting': `\uFEFF# mine\r\nmodel='gpt-5' # best\r\n\r\n  [ mcp_servers . github ] # work\r\n\tcommand   =   """gh"""\r\n# args = ["old"]\r\nargs = [\r\n"mcp",\r\n]\r\n\r\n[mcp_servers.docs]\r\nurl = "https://example.com/mcp"\r\n\r\n[projects."/home/ada/a b"]\r\ntrust_level="trusted"\r\n`,
  'one line': 'mcp_servers.github.command = "gh"',
};

const SETTINGS: Readonly<Record<string, string>> = {
  'claude-code': '"numStartups": 7, "projects": { "/home/ada": { "mcpServers": {} } },',
  vscode: '"inputs": [{ "id": "token", "type": "promptString", "password": true }],',
  gemini: '"security": { "auth": { "selectedType": "oauth-personal" } }, "theme": "Ä 😀",',
};

const cells = CLIENTS.flatMap((client) => {
  const { id, format, root } = client;
  const files = format === 'toml' ? CODEX : json(root, SETTINGS[id] ?? '"unknown": 1e3,');
  return Object.entries(files).map(([state, text]) => [id, state, client, text] as const);
});

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
    const line = 'Run this where it is installed:\n  claude mcp add-json --scope user deskside ';
    expect(ran).toMatchObject({ code: 1, stdout: expect.stringContaining(line) });
    expect(now()).toBe(text);
    expect(existsSync(`${home}/data/deskside/connections.json`)).toBe(false);
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
