import { expect, test } from 'vitest';
import { editItems, editJson, tableInJson } from './json-file.ts';
import { addToTomlList, editToml, tableInToml } from './toml-file.ts';

const VALUE = { command: 'npx', args: ['-y'] };

const set = (text: string) => editJson(text, ['mcpServers', 'deskside'], VALUE);
const remove = (text: string) => editJson(text, ['mcpServers', 'deskside'], undefined);

test.each([
  ['an object without servers', '{\n  "theme": "dark"\n}\n'],
  [
    'comments and trailing commas',
    '{\n  // mine\n  "mcpServers": {\n    "a": { "command": "a", }, /* b */\n  },\n}\n',
  ],
  ['tabs', '{\n\t"mcpServers": {\n\t\t"a": {}\n\t}\n}\n'],
  ['line ends of Windows', '{\r\n    "mcpServers": {\r\n        "a": {}\r\n    }\r\n}\r\n'],
  ['everything on one line', '{"mcpServers":{"a":{"command":"a"}},"z":[1,2]}'],
  ['a byte order mark', '\uFEFF{"z": 1}'],
  ['numbers and escapes as they were written', '{"n": 1.50e3, "s": "\\u00e9", "mcpServers": {}}'],
  [
    'a comment behind the brace',
    '{ // mine\n  "mcpServers": { // servers\n    "a": {} // a\n  } // end\n}\n',
  ],
  ['servers in one line', '{\n  "mcpServers": { /* x */ "a": {} },\n  "z": 1\n}\n'],
  ['no servers, in one line', '{\n  "mcpServers": {},\n  "z": 1\n}\n'],
  ['a comment only', '{\n  "mcpServers": { /* none */ }\n}\n'],
])('a server is added to a JSON file with %s, nothing else changes, and it is removed again', (_, text) => {
  const added = set(text);
  expect(tableInJson(added, 'mcpServers')['deskside']).toStrictEqual(VALUE);
  expect(isSubsequence(text, added)).toBe(true);
  if (text.includes('\r\n')) expect(added).not.toMatch(/[^\r]\n/);
  const without = remove(added);
  expect(tableInJson(without, 'mcpServers')['deskside']).toBeUndefined();
  if (/"a": ?\{/.test(text)) expect(without).toBe(text);
});

test.each([
  ['{\n  "a": 1, // one\n  "deskside": { "b": 1 }\n  // end\n}\n', '{\n  "a": 1 // one\n  // end\n}\n'],
  ['{"a":1, "deskside":2}', '{"a":1 }'],
  ['{"deskside": 1 /* mine */, "a": 2}', '{ "a": 2}'],
  ['{\r\n\t"deskside": 1,\r\n\t// two\r\n\t"a": 2\r\n}', '{\r\n\t// two\r\n\t"a": 2\r\n}'],
])('a value is removed from %j with its lines, and no other comment', (text, rest) => {
  expect(editJson(text, ['deskside'], undefined)).toBe(rest);
  expect(editJson(rest, ['deskside'], undefined)).toBe(rest);
});

const PATH = ['permissions', 'allow'];
const ITEMS = ['one', 'two'];

test.each([
  ['{"permissions":{"allow":["Bash"]}}', '{"permissions":{"allow":["one","two","Bash"]}}'],
  [
    '\uFEFF{\r\n\t"permissions": {\r\n\t\t"allow": [ // mine\r\n\t\t\t"Bash", // all\r\n\t\t],\r\n\t},\r\n}\r\n',
    '\uFEFF{\r\n\t"permissions": {\r\n\t\t"allow": [ // mine\r\n\t\t\t"one",\r\n\t\t\t"two",\r\n\t\t\t"Bash", // all\r\n\t\t],\r\n\t},\r\n}\r\n',
  ],
  [
    '{\n  // none\n  "permissions": {\n    "deny": ["Bash"]\n  }\n}\n',
    '{\n  // none\n  "permissions": {\n    "allow": [\n      "one",\n      "two"\n    ],\n    "deny": ["Bash"]\n  }\n}\n',
  ],
])('items are added to the list of %j once, and removed again', (text, added) => {
  expect(editItems(text, PATH, ITEMS, true)).toBe(added);
  expect(editItems(added, PATH, ITEMS, true)).toBe(added);
  expect(editItems(added, PATH, ITEMS, false)).toBe(text);
  expect(editItems(text, PATH, ITEMS, false)).toBe(text);
});

test('of several items only the missing one is added, and one that stands twice is removed twice', () => {
  expect(editItems('{"permissions":{"allow":["two","a"]}}', PATH, ITEMS, true)).toBe(
    '{"permissions":{"allow":["one","two","a"]}}',
  );
  expect(editItems('{"permissions":{"allow":["two","a","two"]}}', PATH, ITEMS, false)).toBe(
    '{"permissions":{"allow":["a"]}}',
  );
  expect(editItems('{"a":1,"permissions":{"allow":["two","one"]}}', PATH, ITEMS, false)).toBe('{"a":1}');
  expect(editItems('{"permissions":{"allow":[/* x */"two"]}}', PATH, ITEMS, false)).toBe(
    '{"permissions":{"allow":[/* x */]}}',
  );
  expect(() => editItems('{"permissions":{"allow":"all"}}', PATH, ITEMS, true)).toThrow(
    '"permissions.allow" is not a list.',
  );
});

/** Whether a text contains all characters of another one in their order: then only additions were made. */
function isSubsequence(text: string, longer: string): boolean {
  let position = 0;
  for (const character of text) {
    position = longer.indexOf(character, position) + 1;
    if (position === 0) return false;
  }
  return true;
}

test('only the lines of the server are new, in the style of the file', () => {
  expect(set('{\n\t// mine\n\t"mcpServers": { // all\n\t\t"a":   {"x":1}, // odd\n\t}\n}\n')).toBe(
    '{\n\t// mine\n\t"mcpServers": { // all\n\t\t"deskside": {\n\t\t\t"command": "npx",\n\t\t\t"args": [\n\t\t\t\t"-y"\n\t\t\t]\n\t\t},\n\t\t"a":   {"x":1}, // odd\n\t}\n}\n',
  );
  expect(set('{"mcpServers":{"a":{}}}')).toBe(
    '{"mcpServers":{"deskside":{"command":"npx","args":["-y"]},"a":{}}}',
  );
  expect(set('{\n  "z": 1\n}')).toBe(
    '{\n  "mcpServers": {\n    "deskside": {\n      "command": "npx",\n      "args": [\n        "-y"\n      ]\n    }\n  },\n  "z": 1\n}',
  );
});

test.each([
  ['{\n  "a": 1\n  "b": 2\n}', 'Line 3 is not valid JSON'],
  ['[]', 'The file does not contain a JSON object.'],
  ['{"mcpServers": []}', '"mcpServers" is not an object.'],
  ['{"mcpServers": null}', '"mcpServers" is not an object.'],
])('the JSON file %j is not changed: %s', (text, message) => {
  expect(() => set(text)).toThrow(message);
});

const CODEX = `# my config
model = "gpt-5"   # best

[mcp_servers.other]   # mine
command = 'other'
args = [ 'a',  "b" ]

[projects."/srv/shop"]
trust_level = "trusted"
`;

const setToml = (text: string) => editToml(text, 'mcp_servers', 'deskside', VALUE);
const removeToml = (text: string) => editToml(text, 'mcp_servers', 'deskside', undefined);
const TABLE = '[mcp_servers.deskside]\ncommand = "npx"\nargs = [ "-y" ]\n';

test('a server is added at the end of a TOML file, and nothing else changes', () => {
  const added = setToml(CODEX);
  expect(added).toBe(`${CODEX}\n${TABLE}`);
  expect(tableInToml(added, 'mcp_servers')['deskside']).toEqual(VALUE);
  expect(removeToml(added)).toBe(CODEX);
  expect(setToml('')).toBe(TABLE);
  expect(setToml('a = 1')).toBe(`a = 1\n\n${TABLE}`);
  expect(setToml('a = 1\r\n')).toBe(`a = 1\r\n\r\n${TABLE.replaceAll('\n', '\r\n')}`);
});

test('a server of the same name with its subtables is replaced in a TOML file', () => {
  const old = '[ mcp_servers . deskside ]\ncommand = "old"\n\n[mcp_servers.deskside.env]\nA = "1"\n\n';
  const text = `model = "a"\n${old}[mcp_servers.desksides]\ncommand = "b"\n`;
  expect(setToml(text)).toBe(`model = "a"\n[mcp_servers.desksides]\ncommand = "b"\n\n${TABLE}`);
});

test('a byte order mark stays at the start of a TOML file, also if the table behind it is replaced', () => {
  const text = '\uFEFF[mcp_servers.deskside]\r\ncommand = "old"\r\n';
  expect(setToml(text)).toBe(`\uFEFF${TABLE.replaceAll('\n', '\r\n')}`);
  expect(setToml('\uFEFFa = 1\n')).toBe(`\uFEFFa = 1\n\n${TABLE}`);
});

test('a server is removed from a TOML file with its comments, and the comment of the next table stays', () => {
  const text = `# mine\n[mcp_servers.deskside]\n# its own\ncommand = "a"\n\n# detached\n\n# next\n[next]\n# inside\nb = 1\n`;
  expect(removeToml(text)).toBe('# mine\n# next\n[next]\n# inside\nb = 1\n');
});

test.each([
  ['a = ', 'Line 1 is not valid TOML.'],
  ['mcp_servers = { other = { command = "a" } }\n', 'cannot be changed without changing more'],
  ['mcp_servers.deskside.command = "a"\n', 'cannot be changed without changing more'],
  ['text = """\n[mcp_servers.deskside]\n"""\n', 'cannot be changed without changing more'],
])('the TOML file %j is not changed: %s', (text, message) => {
  expect(() => setToml(text)).toThrow(message);
});

test.each([
  ['[mcpServers.a]\ncommand = "x"\n', '[mcpServers.a]\nblock = ["one", "two"]\ncommand = "x"\n'],
  [
    '# mine\r\n[mcpServers.a] # a\r\ncommand = "x" # program\r\n\r\n[mcpServers.b]\r\nurl = "y"\r\n',
    '# mine\r\n[mcpServers.a] # a\r\nblock = ["one", "two"]\r\ncommand = "x" # program\r\n\r\n[mcpServers.b]\r\nurl = "y"\r\n',
  ],
  ['[mcpServers.a]\nblock = []\n', '[mcpServers.a]\nblock = ["one", "two"]\n'],
  ['[mcpServers.a]\nblock=["z"] # not z\n', '[mcpServers.a]\nblock=["one", "two", "z"] # not z\n'],
  [
    '[mcpServers.a.env]\nblock = "e"\n[mcpServers.a]\nblock = [\n  "z", # not z\n]\n',
    '[mcpServers.a.env]\nblock = "e"\n[mcpServers.a]\nblock = ["one", "two", \n  "z", # not z\n]\n',
  ],
])('texts are added to a list of %j, and nothing else changes', (text, added) => {
  expect(addToTomlList(text, 'mcpServers', 'a', 'block', ITEMS)).toBe(added);
});

test.each(['mcpServers = { a = { command = "x" } }\n', '[mcpServers]\na.command = "x"\n'])(
  'a list in %j is left to the person',
  (text) => {
    expect(() => addToTomlList(text, 'mcpServers', 'a', 'block', ITEMS)).toThrow(
      'Add "one", "two" to "block" of [mcpServers.a] yourself, then try again.',
    );
  },
);
