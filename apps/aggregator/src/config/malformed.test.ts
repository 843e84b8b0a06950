import { expect, test } from 'vitest';
import { readDeskFile } from './desk-file.ts';

/** What a person may write, the line of the problem, and the message with its remedy. */
const MALFORMED: readonly (readonly [toml: string, line: number, message: string])[] = [
  ['[mcpServers.x]\ncommand = npx', 2, 'invalid value. Write texts in quotes: name = "text".'],
  [
    '[mcpServers.x]\ncommand = "npx\nargs = ["-y"]',
    2,
    'control characters are not allowed in strings. Close the quotes in the same line.',
  ],
  ['[mcpServers.x\ncommand = "npx"', 1, 'illegal character in key. Write [table] or name = value.'],
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
    '[mcpServers.x]\nurl = "https://x.example/mcp',
    2,
    'unfinished string. Close the quotes in the same line.',
  ],
  [
    '[mcp_servers.x]\ncommand = "a"',
    1,
    'mcp_servers: unknown. Did you mean "mcpServers"? Keys: mounts, mcpServers, profiles, clients, phone, approvals.',
  ],
  ['mcpServers = []', 1, 'mcpServers: use tables.'],
  ['[mcpServers]\nx = "npx"', 2, 'mcpServers.x: use a table.'],
  [
    '[mcpServers.x]\ncomand = "npx"',
    2,
    'mcpServers.x.comand: unknown. Did you mean "command"? Keys: command, args, env, env_vars, cwd, isolation, include, exclude, run, ask, block, rename, brief, flat, start_seconds, timeout_seconds, max_result_bytes, idle_minutes, url, headers, login, client_id, client_secret.',
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
  ['[mcpServers.x]\ncommand = ""', 2, 'mcpServers.x.command: use a text that is not empty.'],
  ['[mcpServers.x]\ncommand = "npx"\nargs = "-y files"', 3, 'mcpServers.x.args: use a list of texts.'],
  [
    '[mcpServers.x]\nurl = "https://x.example"\nclient_id = "a"\nclient_secret = "b"',
    4,
    'mcpServers.x.client_secret: use ${env:NAME} or ${file:PATH}: a secret does not belong in this file.',
  ],
  [
    '[mcpServers.x]\ncommand = "npx"\nheaders = { A = "b" }',
    3,
    'mcpServers.x.headers: works with url only. Remove it.',
  ],
  [
    '[mcpServers.x]\nurl = "https://x.example/mcp"\nenv = { A = "b" }',
    3,
    'mcpServers.x.env: works with command only. Remove it.',
  ],
  ['[mcpServers.x]\ncommand = "npx"\nenv = ["A=b"]', 3, 'mcpServers.x.env: use a table of texts.'],
  [
    '[mcpServers.x]\ncommand = "npx"\nenv_vars = ["A=b"]',
    3,
    'mcpServers.x.env_vars: use names of variables; a variable with a value belongs in env.',
  ],
  [
    '[mcpServers.x]\ncommand = "npx"\ntimeout = 3',
    3,
    'mcpServers.x.timeout: unknown. Did you mean "timeout_seconds"? Keys: command, args, env, env_vars, cwd, isolation, include, exclude, run, ask, block, rename, brief, flat, start_seconds, timeout_seconds, max_result_bytes, idle_minutes.',
  ],
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
  [
    '[mcpServers.x]\nurl = "x.example/mcp"',
    2,
    'mcpServers.x.url: use a URL such as https://example.com/mcp.',
  ],
  [
    '[mcpServers.x]\nurl = "https://ada:secret@x.example/mcp"',
    2,
    'mcpServers.x.url: use headers instead of a user and password in the URL: { Authorization = "Basic ${env:NAME}" }.',
  ],
  [
    '[mcpServers.x]\nurl = "https://x.example"\nheaders = { "A b" = "c" }',
    3,
    'mcpServers.x.headers.A b: use the name of a header, such as Authorization.',
  ],
  [
    '[mcpServers.x]\nurl = "https://x.example"\nheaders = { Mcp-Session-Id = "c" }',
    3,
    'mcpServers.x.headers.Mcp-Session-Id: this header is set by the protocol. Remove it.',
  ],
  [
    '[mcpServers.x]\nurl = "https://x.example"\n[mcpServers.x.headers]\nA = "b\\r\\nC: d"',
    4,
    'mcpServers.x.headers.A: use a value without line breaks.',
  ],
  [
    '[mcpServers.x]\ncommand = "npx"\ninclude = "read_*"',
    3,
    'mcpServers.x.include: use a list of patterns, such as ["read_*"].',
  ],
  [
    '[mcpServers.x]\ncommand = "npx"\ninclude = ["read_[ab]"]',
    3,
    'mcpServers.x.include: "[" has no meaning in a pattern. "*" stands for any characters, "?" for one.',
  ],
  [
    '[mcpServers.x]\ncommand = "npx"\nrename = { a = "b c" }',
    3,
    'mcpServers.x.rename.a: use 1 to 60 letters, digits, "_" and "-".',
  ],
  [
    '[mcpServers.x]\ncommand = "npx"\n\n[mcpServers.x.rename]\na = "c"\nb = "c"',
    6,
    'mcpServers.x.rename.b: "a" is renamed to "c", too. Use another name.',
  ],
  [
    '[mcpServers.x]\ncommand = "npx"\ntimeout_seconds = 0',
    3,
    'mcpServers.x.timeout_seconds: use a number of seconds from 1 to 86400.',
  ],
  [
    '[mcpServers.x]\ncommand = "npx"\nenv = { A = "$TOKEN ${TOKEN}" }',
    3,
    'mcpServers.x.env.A: write ${env:TOKEN}; for the text itself write $${TOKEN}.',
  ],
  [
    '[mcpServers.x]\ncommand = "npx"\nenv = { A = "${env:TOKEN" }',
    3,
    'mcpServers.x.env.A: close the reference with "}"; write "$${" for the characters "${".',
  ],
  [
    '[mcpServers.x]\ncommand = "npx"\nenv = { A = "${keyring:token}" }',
    3,
    'mcpServers.x.env.A: use ${env:NAME} or ${file:PATH}; write "$${" for the characters "${".',
  ],
  [
    '[mcpServers.x]\ncommand = "npx"\nargs = ["--key=${env:TOKEN}"]',
    3,
    'mcpServers.x.args: other users of this machine can read arguments: pass the secret in env, or write "$${" for the characters "${".',
  ],
  [
    '[mcpServers.x]\ncommand = "${env:HOME}/bin/x"',
    2,
    'mcpServers.x.command: references such as ${env:NAME} work in env, headers and url only.',
  ],
];

test.each(MALFORMED)('the file %j has a problem in line %i: %s', (toml, line, message) => {
  expect(readDeskFile(toml).problems).toStrictEqual([{ line, message }]);
});
