import { expect, test } from 'vitest';
import { z } from 'zod';
import { StartError } from '../errors/index.ts';
import { helpText } from './help.ts';
import {
  choiceField,
  combineOptions,
  commonOptions,
  defineFlags,
  defineOptions,
  listField,
  portField,
} from './options.ts';
import { readArguments, readOptions } from './read-options.ts';

const options = defineOptions('DEMO', {
  dataDir: z.string().default('/data').meta({ placeholder: 'DIR', description: 'Folder of the data.' }),
  port: portField(3333).meta({ env: 'PORT_OF_DEMO', placeholder: 'PORT', description: 'Port to listen on.' }),
  level: choiceField(['low', 'high'])
    .default('low')
    .meta({ placeholder: 'LEVEL', description: 'Log level.' }),
  quiet: z.boolean().default(false).meta({ description: 'Print nothing.' }),
  history: z.boolean().default(true).meta({ description: 'Store the history.' }),
  users: listField().meta({ placeholder: 'IDS', description: 'User ids.' }),
  title: z
    .string()
    .min(1)
    .max(20)
    .refine((text) => text !== 'x', 'Write a word.')
    .optional()
    .meta({ placeholder: 'TEXT', description: 'Title.' }),
  count: z.coerce
    .number()
    .min(2)
    .max(9)
    .optional()
    .meta({ placeholder: 'N', short: 'n', description: 'Number of rows.' }),
  secret: z.string().optional().meta({ flag: false, placeholder: 'TEXT', description: 'API key.' }),
});

function read(argv: string[], env: Record<string, string> = {}, file: Record<string, unknown> = {}) {
  return readOptions(options, { flags: readArguments(options.settings, argv).flags, env, file });
}

test('a flag takes precedence over the environment, the file and the default, in this order', () => {
  const env = { DEMO_DATA_DIR: '/env' };
  const file = { dataDir: '/file', port: 1 };
  expect(read(['--data-dir', '/flag'], env, file).dataDir).toBe('/flag');
  expect(read([], env, file).dataDir).toBe('/env');
  expect(read([], { DEMO_DATA_DIR: '' }, file).dataDir).toBe('/file');
  expect(read([])).toStrictEqual({
    dataDir: '/data',
    port: 3333,
    level: 'low',
    quiet: false,
    history: true,
    users: [],
  });
});

test.each([
  [['--quiet'], {}, true],
  [['--no-quiet'], { DEMO_QUIET: 'true' }, false],
  [[], { DEMO_QUIET: '1' }, true],
  [[], { DEMO_QUIET: 'off' }, false],
])('a switch given as %j with the environment %j is %s', (argv, env, quiet) => {
  expect(read(argv, env).quiet).toBe(quiet);
});

test('lists are split at commas, and a value without a flag is read from the environment only', () => {
  expect(read(['--users', ' a, b,,c '], { DEMO_SECRET: 'x' })).toMatchObject({
    users: ['a', 'b', 'c'],
    secret: 'x',
  });
  expect(() => read(['--secret', 'x'])).toThrow('Unknown option "--secret". See --help.');
});

test('a repeated flag puts its separator between its values, so that they may contain commas', () => {
  const { settings } = defineOptions('DEMO', {
    header: z.string().default('').meta({ list: true, separator: '\n' }),
    user: listField(),
  });
  const argv = ['--header', 'A: b, c', '--header', 'D: e', '--user', 'a', '--user', 'b'];
  expect(readArguments(settings, argv).flags).toStrictEqual({ header: 'A: b, c\nD: e', user: 'a,b' });
});

test.each([
  [['--port', '70000'], {}, '--port: use a port from 0 to 65535. See --help.'],
  [[], { PORT_OF_DEMO: '80.5' }, 'PORT_OF_DEMO: use a port from 0 to 65535. See --help.'],
  [['--title', ''], {}, '--title: the value is empty. See --help.'],
  [['--title', 'x'.repeat(21)], {}, '--title: use at most 20 characters. See --help.'],
  [['--count', '1'], {}, '--count: use at least 2. See --help.'],
  [['--title', 'x'], {}, '--title: Write a word. See --help.'],
  [['--count', 'many'], {}, '--count: use a number. See --help.'],
  [['--level', 'loud'], {}, '--level: use one of low, high. See --help.'],
  [[], { DEMO_QUIET: 'maybe' }, 'DEMO_QUIET: use true or false. See --help.'],
  [['--nope'], {}, 'Unknown option "--nope". See --help.'],
  [['--data-dri', 'x'], {}, 'Unknown option "--data-dri". Did you mean "--data-dir"? See --help.'],
  [['--no-port'], {}, 'Unknown option "--no-port". See --help.'],
  [['--x\u001B[31m'], {}, 'Unknown option "--x\\u{1b}[31m". See --help.'],
  [['--data-dir'], {}, '--data-dir needs a value: --data-dir DIR. See --help.'],
  [
    ['--data-dir', '--quiet'],
    {},
    '--data-dir needs a value, and "--quiet" looks like an option. Write "--data-dir=--quiet" if it is the value. See --help.',
  ],
  [['--data-dir', `-${'x'.repeat(100_000)}`], {}, `Write "--data-dir=-${'x'.repeat(67)}…" if it`],
  [['--quiet=1'], {}, '--quiet takes no value. See --help.'],
  [[], {}, 'dataDir in the configuration file: use a text. See --help.', { dataDir: 7 }],
])('%j with the environment %j is refused with a correction', (argv, env, message, file?: object) => {
  expect(() => read(argv, env, { ...file })).toThrow(message);
});

test('flags may appear between operands, and everything behind -- is an operand', () => {
  expect(
    readArguments(options.settings, ['a', '-n', '3', '-', '--quiet', 'b', '--', '--port', '-n']),
  ).toStrictEqual({
    flags: { count: '3', quiet: true },
    operands: ['a', '-', 'b', '--port', '-n'],
    separatedAt: 3,
  });
  expect(readArguments(options.settings, ['a', '-n', '3']).separatedAt).toBe(-1);
});

test.each(['', ' '])('the host %j, which would be every interface, is refused', (host) => {
  const { flags } = readArguments(commonOptions().settings, ['--host', host]);
  expect(() => readOptions(commonOptions(), { flags, env: {} })).toThrow(
    '--host: use an address such as 127.0.0.1. See --help.',
  );
});

test.each(['fifteen-letters', 'a-long-enough-token\n', 'a long enough token', 'é'.repeat(16)])(
  'the token %j, which a client cannot send, is refused',
  (token) => {
    expect(() => readOptions(commonOptions(), { flags: {}, env: { DESKSIDE_TOKEN: token } })).toThrow(
      'DESKSIDE_TOKEN: use at least 16 ASCII letters, digits or symbols, without spaces. See --help.',
    );
  },
);

test('combined options read both sets and list the first one first', () => {
  const both = combineOptions(options, defineOptions('OTHER', { name: z.string().default('n') }));
  expect(both.settings.map(({ env }) => env).slice(-2)).toStrictEqual(['DEMO_SECRET', 'OTHER_NAME']);
  expect(readOptions(both, { flags: {}, env: { OTHER_NAME: 'x' } })).toMatchObject({ port: 3333, name: 'x' });
});

test('the help states flags, defaults and environment names, wrapped to the width of the terminal', () => {
  const help = helpText(
    {
      name: 'demo',
      summary: 'Shows how a help text looks when a sentence is longer than the terminal is wide.',
      usages: ['[options]', '<command> [options]'],
      commands: [
        ['add', 'Add a task', 'Tasks'],
        ['doctor', 'Check the environment and say what to correct, in more words than fit'],
        ['show', 'Show tasks', 'Tasks'],
      ],
      settings: options.settings.filter(
        ({ key }) => !['port', 'level', 'title', 'quiet', 'users'].includes(key),
      ),
      examples: ['demo --port 0'],
    },
    60,
  );
  expect(help).toBe(`Shows how a help text looks when a sentence is longer than
the terminal is wide.

Usage: demo [options]
       demo <command> [options]

Tasks:
  add     Add a task
  show    Show tasks

Commands:
  doctor  Check the environment and say what to correct, in
          more words than fit

Options:
  --data-dir DIR (default: /data)
      Folder of the data. Environment: DEMO_DATA_DIR.
  --history / --no-history (default: on)
      Store the history. Environment: DEMO_HISTORY.
  -n, --count N
      Number of rows. Environment: DEMO_COUNT.
  DEMO_SECRET=TEXT
      API key. Environment only.
  -h, --help
      Show this help.
  -v, --version
      Show the version.

Examples:
  demo --port 0

See demo <command> --help for the options of a command.`);
});

test('the help for a terminal that says it has 0 columns is as wide as without a terminal', () => {
  const help = { name: 'demo', summary: 'x '.repeat(60), usages: [], settings: [] };
  expect(helpText(help, 0)).toBe(helpText(help));
});

function fileField(defaultPath: () => string) {
  return z.string().optional().meta({ placeholder: 'FILE', defaultText: 'the data folder', defaultPath });
}

test('the help shows the path that a missing value stands for, and a text if this machine has none', () => {
  const { settings } = defineOptions('DEMO', {
    log: fileField(() => '/data/log'),
    file: fileField(() => {
      throw new StartError('no home folder');
    }),
  });
  expect(helpText({ name: 'demo', summary: '', usages: [], settings })).toMatch(
    /--log FILE \(default: \/data\/log\)[^]*--file FILE \(default: the data folder\)/,
  );
});

test('the default port is the one of the server', () => {
  expect(readOptions(commonOptions(), { flags: {}, env: {} }).port).toBe(3333);
  const server = defineOptions('DEMO', {}, { httpPort: 3399 });
  expect(readOptions(commonOptions(server), { flags: {}, env: {} }).port).toBe(3399);
});

test.each([
  ['optional', z.boolean().optional()],
  ['default', z.boolean().default(true)],
  ['transform', z.boolean().transform(Number)],
])('a boolean field with %s is a switch without a value', (_, field) => {
  const { settings } = defineOptions(undefined, { loud: field });
  expect(settings[0]?.placeholder).toBeUndefined();
});

test('an option whose name begins with "no-" needs its value, too, and a short one takes it without "="', () => {
  const { settings } = defineOptions('DEMO', {
    mounts: listField(),
    noMounts: listField().meta({ placeholder: 'IDS' }),
  });
  expect(() => readArguments(settings, ['--no-mounts'])).toThrow(
    '--no-mounts needs a value: --no-mounts IDS. See --help.',
  );
  expect(readArguments(settings, ['--no-mounts', 'todo']).flags).toStrictEqual({ 'no-mounts': 'todo' });
  expect(() => read(['-n', '-5'])).toThrow('Write "-n-5" if it is the value.');
});

test.each([
  [['--no-allow'], { 'no-allow': true }],
  [['--allow'], { allow: true }],
  [['--allow', '--no-allow'], { allow: true, 'no-allow': true }],
  [['--no-no-allow'], { 'no-allow': false }],
])('%j gives a switch whose name begins with "no-", and not the one without it', (argv, flags) => {
  const { settings } = defineFlags({ allow: z.boolean(), noAllow: z.boolean() });
  expect(readArguments(settings, argv).flags).toStrictEqual(flags);
  expect(() => readArguments(settings, ['--no-allow=true'])).toThrow(
    '--no-allow takes no value. See --help.',
  );
});

const TEXTS =
  'cannot work: flags and variables are texts. Use integerField(), z.coerce.number() or listField().';

test.each([
  ['an integer', z.int()],
  ['an array', z.array(z.string()).optional()],
  ['a choice of numbers', z.literal([1, 2])],
  ['a number behind a pipe', z.number().transform(String)],
  ['a union of numbers and arrays', z.union([z.int(), z.array(z.int())])],
])('%s, which no flag can give, is not an option', (_, field) => {
  expect(() => defineOptions('DEMO', { limit: field })).toThrow(`Option "limit" ${TEXTS}`);
});

test.each([
  ['a coerced number', z.coerce.number().int().optional(), '7'],
  ['a preprocessed number', z.preprocess(Number, z.int()), '7'],
  ['a codec', z.codec(z.string(), z.int(), { decode: Number, encode: String }), '7'],
  ['a union with a text', z.union([z.int(), z.literal('all')]), 'all'],
  ['a text or nothing', z.string().nullable().catch('x'), '7'],
])('%s is an option', (_, field, text) => {
  const fields = defineOptions('DEMO', { limit: field });
  expect(() => readOptions(fields, { flags: { limit: text }, env: {} })).not.toThrow();
});

test.each([
  [
    'two names that make one flag',
    { dataDir: z.string(), data_dir: z.string() },
    'data_dir',
    'flag "data-dir"',
  ],
  ['the flag of the help', { help: z.string() }, 'help', 'flag "help"'],
  ['the letter of the help', { host: z.string().meta({ short: 'h' }) }, 'host', 'short flag "h"'],
  [
    'one letter twice',
    { a: z.string().meta({ short: 'n' }), b: z.string().meta({ short: 'n' }) },
    'b',
    'short flag "n"',
  ],
])('%s cannot work', (_, shape, name, taken) => {
  expect(() => defineOptions('DEMO', shape)).toThrow(
    `Option "${name}" cannot work: another option has the ${taken}. Give it another name.`,
  );
});

test('an option with the flag of a common one cannot work', () => {
  const own = defineOptions('DEMO', { host: z.string().default('x') });
  expect(() => combineOptions(own, commonOptions())).toThrow(
    'Option "host" cannot work: another option has the flag "host". Give it another name.',
  );
  const key = defineOptions('DEMO', { token: z.string().optional().meta({ flag: false }) });
  expect(() => combineOptions(key, defineOptions('OTHER', { secret: z.string() }))).not.toThrow();
});
