import { expect, test } from 'vitest';
import { openTodo } from '../todo.ts';
import { databasePath, hostsOf, withoutPassword } from './database-path.ts';

test.each([
  ['todo.sqlite', 'todo.sqlite'],
  ['/srv/my tasks/a%20b.sqlite', '/srv/my tasks/a%20b.sqlite'],
  ['./notes:todo.sqlite', './notes:todo.sqlite'],
  ['C:\\Users\\Ann\\todo.sqlite', 'C:\\Users\\Ann\\todo.sqlite'],
  [':memory:', ':memory:'],
  ['file:///srv/a%20b.sqlite', '/srv/a b.sqlite'],
  ['FILE:/srv/todo.sqlite', '/srv/todo.sqlite'],
  ['file://localhost/srv/todo.sqlite', '/srv/todo.sqlite'],
  [' postgres://me:secret@db.example.com/todo ', 'postgres://me:secret@db.example.com/todo'],
  ['PostgreSQL://db/todo?sslmode=require', 'PostgreSQL://db/todo?sslmode=require'],
  ['postgres://app@%2Fvar%2Frun%2Fpostgresql/todo', 'postgres://app@%2Fvar%2Frun%2Fpostgresql/todo'],
])('the database setting %s means the path %s', (database, path) => {
  expect(databasePath(database)).toBe(path);
});

test.each([
  ['postgres://me:secret@db.example.com:5433/todo?password=secret', 'postgres://me@db.example.com:5433/todo'],
  ['postgresql://db/todo', 'postgresql://db/todo'],
])('%s is shown without its password and parameters', (url, shown) => {
  expect(withoutPassword(url)).toBe(shown);
});

const PASSWORDS = ['a:b@c/d?e#f', 'p%ss', '[p] "\'s €ü', '@'];

test.each(PASSWORDS)('the password %j needs no encoding, and no part of it is shown', (password) => {
  for (const given of [password, encodeURIComponent(password)]) {
    const url = databasePath(`postgres://app:${given}@db.example.com:5433/todo?sslmode=require`);
    expect(decodeURIComponent(new URL(url).password)).toBe(password);
    expect(new URL(url)).toMatchObject({ username: 'app', host: 'db.example.com:5433', pathname: '/todo' });
    expect(withoutPassword(url)).toBe('postgres://app@db.example.com:5433/todo');
  }
});

test('a URL can name several hosts', () => {
  const url = databasePath(
    'postgres://app:p@ss@one,two:5433,[::1]:5434/todo?target_session_attrs=read-write',
  );
  const rest = '/todo?target_session_attrs=read-write';
  expect(hostsOf(url)).toStrictEqual([
    `postgres://app:p%40ss@one${rest}`,
    `postgres://app:p%40ss@two:5433${rest}`,
    `postgres://app:p%40ss@[::1]:5434${rest}`,
  ]);
  expect(withoutPassword(url)).toBe('postgres://app@one,two:5433,[::1]:5434/todo');
  // Options read it, and code that opens the store with them.
  expect(databasePath(url)).toBe(url);
});

test('blanks in a URL are no further hosts', () => {
  const url = databasePath('postgres://app:a b@one, two/to do?options=-c geqo=off');
  expect(hostsOf(url)).toStrictEqual([
    'postgres://app:a%20b@one/to%20do?options=-c%20geqo=off',
    'postgres://app:a%20b@two/to%20do?options=-c%20geqo=off',
  ]);
});

const POSTGRES_URL =
  'use a URL like postgres://user:password@host:5432/database, with %40 for an @ in a part';
const FILE_URL = 'use a file: URL like file:///srv/todo.sqlite without parameters, or the path of a file';

test.each([
  ['postgres:///todo', POSTGRES_URL],
  ['postgres://me:secret@host:port/todo', POSTGRES_URL],
  ['postgres://me@corp:secret@host/todo', POSTGRES_URL],
  ['postgres://me:secret@host/to#do', POSTGRES_URL],
  ['mysql://me:secret@x/y', 'mysql: is not supported; use the path of a file, or a postgres: URL'],
  [' libsql+ws://x', 'libsql+ws: is not supported; use the path of a file, or a postgres: URL'],
  ['file:todo.sqlite', FILE_URL],
  ['file::memory:', FILE_URL],
  ['file:///srv/todo.sqlite?mode=ro', FILE_URL],
  ['file://server/todo.sqlite', FILE_URL],
  ['file:///srv/a%2Fb', FILE_URL],
])('the database setting %s is rejected, by openTodo too', (database, message) => {
  expect(() => databasePath(database)).toThrow(new Error(message));
  expect(() => openTodo({ database })).toThrow(message);
});
