import { expect, test } from 'vitest';
import { readDeskFile } from './desk-file.ts';

/** What a person may write, the line of the problem, and the message with its remedy. */
test.each([
  ['[mcpServers.x]\ncommand = npx', 2, 'invalid value. Write texts in quotes: name = "text".'],
  [
    '[mcpServers.x]\ncommand = "npx\nargs = ["-y"]',
    2,
    'control characters are not allowed in strings. Close the quotes in the same line.',
  ],
  [
    '[mcpServers.x]\ncommand = "npx"\nargs = ["-y"\n',
    4,
    'expected comma or end of structure. Close the list with "]" or the table with "}".',
  ],
  [
    '[mcpServers.x]\ncommand = "C:\\Users\\npx"',
    2,
    "invalid non-hex character in unicode escape. Write \\\\ for a backslash, or use single quotes: 'C:\\Users'.",
  ],
  [
    '[mcpServers.x]\ncommand = "a"\n\n[mcpServers.x]\ncommand = "b"',
    4,
    'trying to redefine an already defined table or value. Merge both tables or values, or rename one.',
  ],
  [
    '[mcpServers.x]\nargs = ["-y"]',
    1,
    'mcpServers.x: use command, args, env, env_vars and cwd, or url and headers.',
  ],
  [
    '[mcpServers.x]\ncommand = "npx"\nurl = "https://x.example/mcp"',
    1,
    'mcpServers.x: it has a command and a URL. Remove one of them.',
  ],
  ['[mcpServers.x\ncommand = "npx"', 1, 'illegal character in key. Write [table] or name = value.'],
  [
    '[mcp_servers.x]\ncommand = "a"',
    1,
    'mcp_servers: unknown. Did you mean "mcpServers"? Keys: mounts, mcpServers, profiles, clients, phone, approvals.',
  ],
  ['[mcpServers]\nx = "npx"', 2, 'mcpServers.x: use a table.'],
  [
    '[mcpServers.my-files]\ncommand = "npx"',
    1,
    'mcpServers.my-files: Invalid mount id "my-files". Use 1 to 16 lowercase letters and digits, a letter first. For example: myfiles.',
  ],
  [
    '[mounts.x]\nmodule = "x"\n\n[mcpServers.x]\ncommand = "npx"',
    4,
    'mcpServers.x: The mount id "x" is in use. Use another one.',
  ],
])('the file %j has a problem in line %i: %s', (toml, line, message) => {
  expect(readDeskFile(toml).problems).toStrictEqual([{ line, message }]);
});

const SERVER = '[mcpServers.x]\n';
const COMMAND = `${SERVER}command = "npx"\n`;
const ADDRESS = `${SERVER}url = "https://x.example"\n`;
const KEYS =
  'command, args, env, env_vars, cwd, isolation, include, exclude, run, ask, block, rename, brief, flat, start_seconds, timeout_seconds, max_result_bytes, idle_minutes';

test.each([
  [
    SERVER,
    'comand = "npx"',
    `comand: unknown. Did you mean "command"? Keys: ${KEYS}, url, headers, login, client_id, client_secret.`,
  ],
  [SERVER, 'command = ""', 'command: use a text that is not empty.'],
  [COMMAND, 'args = "-y files"', 'args: use a list of texts.'],
  [
    ADDRESS,
    'client_id = "a"\nclient_secret = "b"',
    'client_secret: use ${env:NAME} or ${file:PATH}: a secret does not belong in this file.',
  ],
  [COMMAND, 'headers = { A = "b" }', 'headers: works with url only. Remove it.'],
  [ADDRESS, 'env = { A = "b" }', 'env: works with command only. Remove it.'],
  [COMMAND, 'env = ["A=b"]', 'env: use a table of texts.'],
  [
    COMMAND,
    'env_vars = ["A=b"]',
    'env_vars: use names of variables; a variable with a value belongs in env.',
  ],
  [
    SERVER,
    'url = "https://ada:secret@x.example/mcp"',
    'url: use headers instead of a user and password in the URL: { Authorization = "Basic ${env:NAME}" }.',
  ],
  [ADDRESS, 'headers = { "A b" = "c" }', 'headers.A b: use the name of a header, such as Authorization.'],
  [
    ADDRESS,
    'headers = { Mcp-Session-Id = "c" }',
    'headers.Mcp-Session-Id: this header is set by the protocol. Remove it.',
  ],
  [ADDRESS, '[mcpServers.x.headers]\nA = "b\\r\\nC: d"', 'headers.A: use a value without line breaks.'],
  [COMMAND, 'include = "read_*"', 'include: use a list of patterns, such as ["read_*"].'],
  [COMMAND, 'rename = { a = "b c" }', 'rename.a: use 1 to 60 letters, digits, "_" and "-".'],
  [
    COMMAND,
    '\n[mcpServers.x.rename]\na = "c"\nb = "c"',
    'rename.b: "a" is renamed to "c", too. Use another name.',
  ],
  [COMMAND, 'timeout_seconds = 0', 'timeout_seconds: use a number of seconds from 1 to 86400.'],
  [
    COMMAND,
    'env = { A = "$TOKEN ${TOKEN}" }',
    'env.A: write ${env:TOKEN}; for the text itself write $${TOKEN}.',
  ],
  [
    COMMAND,
    'env = { A = "${keyring:token}" }',
    'env.A: use ${env:NAME} or ${file:PATH}; write "$${" for the characters "${".',
  ],
  [
    SERVER,
    'command = "${env:HOME}/bin/x"',
    'command: references such as ${env:NAME} work in env, headers and url only.',
  ],
])('behind %j, the last line of %j has a problem: mcpServers.x.%s', (before, text, message) => {
  const line = (before + text).split('\n').length;
  const problem = { line, message: `mcpServers.x.${message}` };
  expect(readDeskFile(before + text).problems).toStrictEqual([problem]);
});
