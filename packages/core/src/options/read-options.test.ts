import { expect, test } from 'vitest';
import { z } from 'zod';
import { commonOptions } from './common-options.ts';
import { choiceField, listField, portField } from './fields.ts';
import { settingsHelp } from './help.ts';
import { defineOptions } from './options.ts';
import { readFlags, readOptions } from './read-options.ts';

const options = defineOptions('DEMO', {
  dataDir: z.string().default('/data').meta({ placeholder: 'DIR', description: 'Where it is.' }),
  port: portField(3333).meta({ env: 'PORT_OF_DEMO', placeholder: 'PORT', description: 'Where it listens.' }),
  level: choiceField(['low', 'high']).default('low').meta({ placeholder: 'LEVEL', description: 'How much.' }),
  quiet: z.boolean().default(false).meta({ description: 'Says nothing.' }),
  users: listField().meta({ placeholder: 'IDS', description: 'Who.' }),
  title: z
    .string()
    .min(1)
    .max(20)
    .optional()
    .meta({ placeholder: 'TEXT', description: 'What it is called.' }),
  count: z.coerce.number().min(2).max(9).optional().meta({ placeholder: 'N', description: 'How many.' }),
  secret: z.string().optional().meta({ flag: false, placeholder: 'TEXT', description: 'Kept out of sight.' }),
});

function read(argv: string[], env: Record<string, string> = {}, file: Record<string, unknown> = {}) {
  return readOptions(options, { flags: readFlags(options.settings, argv), env, file });
}

test('a flag beats the environment, which beats the file, which beats the default', () => {
  const env = { DEMO_DATA_DIR: '/env' };
  const file = { dataDir: '/file', port: 1 };
  expect(read(['--data-dir', '/flag'], env, file).dataDir).toBe('/flag');
  expect(read([], env, file).dataDir).toBe('/env');
  expect(read([], { DEMO_DATA_DIR: '' }, file).dataDir).toBe('/file');
  expect(read([])).toStrictEqual({ dataDir: '/data', port: 3333, level: 'low', quiet: false, users: [] });
});

test.each([
  [['--quiet'], {}, true],
  [['--no-quiet'], { DEMO_QUIET: 'true' }, false],
  [[], { DEMO_QUIET: '1' }, true],
  [[], { DEMO_QUIET: 'off' }, false],
])('a switch: %j %j', (argv, env, quiet) => {
  expect(read(argv, env).quiet).toBe(quiet);
});

test('lists are split at commas, secrets come from the environment only', () => {
  expect(read(['--users', ' a, b,,c '], { DEMO_SECRET: 'x' })).toMatchObject({
    users: ['a', 'b', 'c'],
    secret: 'x',
  });
  expect(() => read(['--secret', 'x'])).toThrow("Unknown option '--secret'. See --help.");
});

test.each([
  [['--port', 'x'], {}, '--port: use a port from 0 to 65535. See --help.'],
  [['--port', '70000'], {}, '--port: use a port from 0 to 65535. See --help.'],
  [['--port', ''], {}, '--port: use a port from 0 to 65535. See --help.'],
  [['--port', '0x50'], {}, '--port: use a port from 0 to 65535. See --help.'],
  [['--port', '1e3'], {}, '--port: use a port from 0 to 65535. See --help.'],
  [[], { PORT_OF_DEMO: '80.5' }, 'PORT_OF_DEMO: use a port from 0 to 65535. See --help.'],
  [['--title', ''], {}, '--title: give a value, this one is empty. See --help.'],
  [['--title', 'x'.repeat(21)], {}, '--title: use at most 20 characters. See --help.'],
  [['--count', '1'], {}, '--count: use at least 2. See --help.'],
  [['--count', 'many'], {}, '--count: use a number. See --help.'],
  [[], { PORT_OF_DEMO: '-1' }, 'PORT_OF_DEMO: use a port from 0 to 65535. See --help.'],
  [['--level', 'loud'], {}, '--level: use one of low, high. See --help.'],
  [[], { DEMO_QUIET: 'maybe' }, 'DEMO_QUIET: use true or false. See --help.'],
  [['--nope'], {}, "Unknown option '--nope'. See --help."],
  [['--data-dir'], {}, "Option '--data-dir <value>' argument missing. See --help."],
  [['extra'], {}, "Unexpected argument 'extra'."],
])('%j %j stops the start with what to mend', (argv, env, message) => {
  expect(() => read(argv, env)).toThrow(message);
});

test.each([
  [{ dataDir: 7 }, 'dataDir in the configuration file: use a text. See --help.'],
  [{ port: 0.5 }, 'port in the configuration file: use a port from 0 to 65535. See --help.'],
])('a file with %j stops the start with what to mend', (file, message) => {
  expect(() => read([], {}, file)).toThrow(message);
});

test.each(['', ' '])('a host of %j would be every interface, and is refused', (host) => {
  const flags = readFlags(commonOptions.settings, ['--host', host]);
  expect(() => readOptions(commonOptions, { flags, env: {} })).toThrow(
    '--host: use an address such as 127.0.0.1. See --help.',
  );
});

test.each([
  'fifteen-letters',
  ' a-long-enough-token',
  'a-long-enough-token\n',
  'a long enough token',
  'é'.repeat(16),
])('the token %j could never be sent, and is refused', (token) => {
  expect(() => readOptions(commonOptions, { flags: {}, env: { DESKSIDE_TOKEN: token } })).toThrow(
    'DESKSIDE_TOKEN: use at least 16 letters, digits or signs of ASCII, without blanks. See --help.',
  );
});

test('the help says flag, environment and default of each', () => {
  expect(settingsHelp(options.settings)).toBe(`  --data-dir DIR  (DEMO_DATA_DIR, default /data)
      Where it is.
  --port PORT  (PORT_OF_DEMO, default 3333)
      Where it listens.
  --level LEVEL  (DEMO_LEVEL, default low)
      How much.
  --quiet  (DEMO_QUIET)
      Says nothing.
  --users IDS  (DEMO_USERS)
      Who.
  --title TEXT  (DEMO_TITLE)
      What it is called.
  --count N  (DEMO_COUNT)
      How many.
  DEMO_SECRET=TEXT
      Kept out of sight.`);
});
