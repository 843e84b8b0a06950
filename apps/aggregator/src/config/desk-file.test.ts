import { expect, test } from 'vitest';
import { changesBetween } from './changes.ts';
import { emptyConfig, readDeskFile } from './desk-file.ts';

const COMPLETE = `# my desk
approvals = "destructive"

[mounts.todo]
database = "/srv/todo.sqlite"
delegated_users = ["ada", "grace"]

[mounts.weather]
module = "@acme/weather"   # my own
flat = true
brief = "The weather."
options = { city = "Berlin" }
ask = ["set_*"]

[mcpServers.github]
command = "npx"
args = ["-y", "github"]
env = { TOKEN = "s3cret" }

[mcpServers.docs]
url = "https://example.com/mcp"
run = ["search"]
block = ["delete_*"]
headers = { Authorization = "Bearer s3cret" }

[profiles.work]
mounts = ["todo", "weather"]
exclude = ["todo_delete_*"]
approvals = "off"

[clients.Codex]
approvals = "ask"

[phone]
topic = "desk-1"
token = "s3cret"
reply_token = "\${env:REPLY}"
`;

test('deskside.toml has settings of mounts, modules and profiles', () => {
  expect(readDeskFile(COMPLETE)).toStrictEqual({
    config: {
      settings: { todo: { database: '/srv/todo.sqlite', delegatedUsers: 'ada,grace' } },
      modules: {
        weather: {
          module: '@acme/weather',
          flat: true,
          brief: 'The weather.',
          options: { city: 'Berlin' },
          ask: ['set_*'],
        },
      },
      external: {
        github: { command: 'npx', args: ['-y', 'github'], env: { TOKEN: 's3cret' } },
        docs: {
          url: 'https://example.com/mcp',
          run: ['search'],
          block: ['delete_*'],
          headers: { Authorization: 'Bearer s3cret' },
        },
      },
      profiles: new Map([
        ['work', { mounts: ['todo', 'weather'], exclude: ['todo_delete_*'], approvals: 'off' }],
      ]),
      approvals: 'destructive',
      clients: new Map([['codex', 'ask']]),
      phone: { topic: 'desk-1', token: 's3cret', reply_token: '${env:REPLY}' },
    },
    problems: [],
  });
  expect(readDeskFile('')).toStrictEqual({ config: emptyConfig, problems: [] });
});

test.each([
  ['[mounts.toast]\ntheme = "x"', 2, 'mounts.toast.theme: unknown. Settings of toast: '],
  ['[mounts]\npopup.history_limit = 90', 2, 'mounts.popup.history_limit: use an integer from 0 to 50.'],
  ['[mounts.popup]\nhistory = "maybe"', 2, 'mounts.popup.history: use true or false.'],
  ['[mounts.manictime]\nexclude = ["app:"]', 2, 'mounts.manictime.exclude: '],
  ['[mounts.weather]\nflat = true', 1, 'mounts.weather.module: use the name of a package'],
  ['[mounts.own]\nmodule = "x"\nmodul = 1', 3, 'Did you mean "module"? Keys: module, flat, brief, options,'],
  ['[mounts.weather]\nmodule = "x"\n"flat" = 1', 3, 'mounts.weather.flat: use true or false.'],
  ['[mounts.p]\nmodule = "x"', 1, 'mounts.p: The mount id "p" is reserved.'],
  ['approvals = "never"', 1, 'approvals: use "ask", "destructive" or "off".'],
  ['mounts = 1', 1, 'mounts: use tables.'],
  ['\n[mounts]\ntodo = 1', 3, 'mounts.todo: use a table.'],
  ['[profiles.work]\n\nmounts = ["tdo"]', 3, 'profiles.work.mounts: unknown mount "tdo". Mounts: log,'],
  ['[profiles.work]\ninclude = "todo_*"', 2, 'profiles.work.include: use a list of patterns'],
  ['[profiles."A b"]\n', 1, 'profiles.A b: use 1 to 32 lowercase letters'],
])('check reports the problem of %j in line %i: %s', (text, line, message) => {
  const { problems } = readDeskFile(text);
  expect(problems).toStrictEqual([{ line, message: expect.stringContaining(message) }]);
});

test('problems are sorted by line, and what is valid is read', () => {
  const { config, problems } = readDeskFile(
    '[profiles.a]\nx = 1\n[mounts.todo]\nuser = "ada"\nno = 1\n[mounts.b]\nmodule = ""\n',
  );
  expect(problems.map(({ line }) => line)).toStrictEqual([2, 5, 7]);
  expect(config.settings).toStrictEqual({ todo: { user: 'ada' } });
});

test('the changes of servers and of the phone do not show variables, headers and tokens', () => {
  const { config } = readDeskFile(COMPLETE);
  const added = changesBetween(emptyConfig, config);
  expect(added).toContain('+ mcpServers.github.command = "npx"');
  expect(added).toContain('+ mcpServers.github.env.TOKEN = <hidden>');
  expect(added).toContain('+ mcpServers.docs.headers.Authorization = <hidden>');
  expect(added.join('\n')).not.toContain('s3cret');
  const changed = readDeskFile(COMPLETE.replace('"s3cret"', '"n3w"')).config;
  expect(changesBetween(config, changed)).toStrictEqual(['~ mcpServers.github.env.TOKEN = <hidden>']);
});

test.each([
  ['command = "x"\nargs = ["--api-key", "one"]', 'one', 'args = ["--api-key","<hidden>"]'],
  ['command = "x"\nargs = ["-H", "A: B one"]', 'one', 'args = ["-H","A: <hidden>"]'],
  ['command = "x"\nargs = ["run", "-e", "A=one"]', 'one', 'args = ["run","-e","A=<hidden>"]'],
  ['url = "https://x.example/s/one/mcp"', 'one', 'url = "https://x.example/…"'],
])('a change of %j shows no secret', (text, secret, shown) => {
  const read = (value: string) => readDeskFile(`[mcpServers.x]\n${text.replace(secret, value)}`).config;
  expect(changesBetween(read('one'), read('two'))).toStrictEqual([
    `~ mcpServers.x.${shown} (changed where it is not shown)`,
  ]);
});

test('the changes between two files are listed by key', () => {
  const after = readDeskFile(
    COMPLETE.replace('/srv/todo', '/data/todo')
      .replace(/^\[profiles[^]*/m, '')
      .replace('flat = true\n', ''),
  );
  expect(changesBetween(readDeskFile(COMPLETE).config, after.config)).toStrictEqual([
    '- clients.codex.approvals = "ask"',
    '~ mounts.todo.database = "/data/todo.sqlite" (was "/srv/todo.sqlite")',
    '- mounts.weather.flat = true',
    '- phone.reply_token = "${env:REPLY}"',
    '- phone.token = <hidden>',
    '- phone.topic = "desk-1"',
    '- profiles.work.approvals = "off"',
    '- profiles.work.exclude = ["todo_delete_*"]',
    '- profiles.work.mounts = ["todo","weather"]',
  ]);
  expect(changesBetween(emptyConfig, readDeskFile('[mounts.manictime]').config)).toStrictEqual([
    '+ mounts.manictime = {}',
  ]);
});

test.each([
  [
    'database = "postgres://ada:one@db.example/tasks"\nmigration_url = "postgres://root:one@db.example/tasks"',
    'database = "postgres://db.example/…" (changed where it is not shown)',
    'migrationUrl = <hidden>',
  ],
  ['database = "file:///one.sqlite"', 'database = "file:///two.sqlite" (was "file:///one.sqlite")'],
])('a change of an own server with %j shows no secret', (text, ...shown) => {
  const read = (value: string) => readDeskFile(`[mounts.todo]\n${text.replaceAll('one', value)}`).config;
  const changes = changesBetween(read('one'), read('two'));
  expect(changes).toStrictEqual(shown.map((line) => `~ mounts.todo.${line}`));
});
