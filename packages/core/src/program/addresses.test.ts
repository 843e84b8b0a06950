import { join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { type AddressKind, readAddress } from './addresses.ts';
import { defineOptions } from './options.ts';
import { readOptions } from './read-options.ts';

const SECRET = 'hunter2';
const FOLDER = resolve('/work-folder');
const HOME = resolve('/home/anna');
const database: AddressKind = {
  isPath: true,
  schemes: ['file', 'postgres', 'postgresql'],
  words: [':memory:'],
};
const url: AddressKind = { isPath: false };
const file: AddressKind = { isPath: true };
const typed = { isTyped: true, currentFolder: FOLDER, home: () => HOME };
const ofClient = { ...typed, isTyped: false };

describe('the place of something', () => {
  test.each([
    ['/srv/a b.sqlite', '/srv/a b.sqlite'],
    ['  /srv/a.sqlite\n', '/srv/a.sqlite'],
    [`'"/srv/a.sqlite"'`, '/srv/a.sqlite'],
    ['“/srv/a.sqlite”', '/srv/a.sqlite'],
    ['~', HOME],
    [' "~/a.sqlite" ', join(HOME, 'a.sqlite')],
    ['/srv/100%/50% off.sqlite', '/srv/100%/50% off.sqlite'],
    ['/srv/a$b.sqlite', '/srv/a$b.sqlite'],
    ['/srv/me@desk/a=b.sqlite', '/srv/me@desk/a=b.sqlite'],
    [':memory:', ':memory:'],
    ['-', '-'],
    [' "postgres://app:p%40ss@db/todo" ', 'postgres://app:p%40ss@db/todo'],
    ["postgres://app:it's$o=5%ab@db/todo", "postgres://app:it's$o=5%ab@db/todo"],
    ['POSTGRESQL://db/todo', 'POSTGRESQL://db/todo'],
    ['file:///srv/a.sqlite', 'file:///srv/a.sqlite'],
  ])('%j is %j, also in the configuration of a client', (text, read) => {
    expect(readAddress(text, database, ofClient)).toBe(read);
  });

  test.each([
    ['/srv/$USER/a.sqlite', 'it contains a variable'],
    ['/srv/{{name}}/a.sqlite', 'it contains a variable'],
    [String.raw`%APPDATA%\a.sqlite`, 'it contains a variable'],
    [`postgres://app:\${PGPASSWORD}@db/todo`, 'it contains a variable'],
    [`TODO_DATABASE_URL=postgres://app:${SECRET}@db/todo`, 'it begins with a name and "="'],
    [`User Id=app;Password=${SECRET}`, 'it begins with a name and "="'],
    [`postgres//app:${SECRET}@db/todo`, 'use the path of a file, or a URL with'],
    [`app:${SECRET}@db/todo`, 'app: is not supported'],
    [
      `mysql://app:${SECRET}@db/todo`,
      'mysql: is not supported: use the path of a file, or a URL with file: or',
    ],
    ['\u200B/srv/a.sqlite', 'it contains an invisible character'],
    [`postgres://app:${SECRET}@db/to\ndo`, 'it contains an invisible character'],
    [`"postgres://app:${SECRET}@db/todo`, 'it has a quotation mark at one end'],
    ["/srv/a.sqlite'", 'it has a quotation mark at one end'],
    ['~ben/a.sqlite', '~ with a name is not supported'],
    ['""', 'the value is empty'],
  ])('%j is refused, typed too, without its secret', (text, problem) => {
    for (const source of [typed, ofClient]) {
      const read = () => readAddress(text, database, source);
      expect(read).toThrow(problem);
      expect(read).not.toThrow(SECRET);
    }
  });

  test('a relative path is resolved if a person types it, and refused with the absolute path if a client gives it', () => {
    expect(readAddress('a.sqlite', database, typed)).toBe(join(FOLDER, 'a.sqlite'));
    expect(readAddress('./a=b.sqlite', file, typed)).toBe(join(FOLDER, 'a=b.sqlite'));
    const read = () => readAddress('../a.sqlite', database, ofClient);
    expect(read).toThrow(`use the absolute path, such as ${resolve(FOLDER, '../a.sqlite')}`);
  });

  test('a URL of any scheme keeps its characters, and a file has none', () => {
    expect(readAddress(' "https://h/a?b=c#d" ', url, ofClient)).toBe('https://h/a?b=c#d');
    expect(readAddress('h/a', url, ofClient)).toBe('h/a');
    expect(() => readAddress('$HOOK', url, ofClient)).toThrow('it contains a variable');
    expect(() => readAddress('https://h/a', file, typed)).toThrow('https: is not supported: use the path');
  });
});

describe('options', () => {
  const options = defineOptions('APP', {
    out: z.string().optional().meta({ placeholder: 'FILE', description: 'x' }),
    hook: z.string().optional().meta({ placeholder: 'URL', description: 'x' }),
    name: z.string().optional().meta({ placeholder: 'NAME', description: 'x' }),
  });

  test('the placeholder says which options are places', () => {
    const env = { APP_OUT: '"/srv/out"', APP_HOOK: "'https://h'", APP_NAME: '"$x"' };
    expect(readOptions(options, { flags: {}, env })).toStrictEqual({
      out: '/srv/out',
      hook: 'https://h',
      name: '"$x"',
    });
  });

  test('a relative path is accepted only as a flag that a person typed', () => {
    const absolute = resolve('out');
    expect(readOptions(options, { flags: { out: 'out' }, env: {} })).toStrictEqual({ out: absolute });
    for (const [sources, origin] of [
      [{ flags: { out: 'out' }, env: {}, isTyped: false }, '--out'],
      [{ flags: {}, env: { APP_OUT: 'out' } }, 'APP_OUT'],
      [{ flags: {}, env: {}, file: { out: 'out' } }, 'out in the configuration file'],
    ] as const) {
      const problem = `${origin}: a relative path depends on the folder of the client: use the absolute path, such as ${absolute}. See --help.`;
      expect(() => readOptions(options, sources)).toThrow(problem);
    }
  });
});
