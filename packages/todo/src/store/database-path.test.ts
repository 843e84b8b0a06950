import { expect, test } from 'vitest';
import { openTodo } from '../todo.ts';
import { databasePath } from './database-path.ts';

test.each([
  ['todo.sqlite', 'todo.sqlite'],
  ['/srv/my tasks/a%20b.sqlite', '/srv/my tasks/a%20b.sqlite'],
  ['./notes:todo.sqlite', './notes:todo.sqlite'],
  ['C:\\Users\\Ann\\todo.sqlite', 'C:\\Users\\Ann\\todo.sqlite'],
  ['d:/todo.sqlite', 'd:/todo.sqlite'],
  [':memory:', ':memory:'],
  ['file:///srv/a%20b.sqlite', '/srv/a b.sqlite'],
  ['FILE:/srv/todo.sqlite', '/srv/todo.sqlite'],
  ['file://localhost/srv/todo.sqlite', '/srv/todo.sqlite'],
])('the database setting %s means the path %s', (database, path) => {
  expect(databasePath(database)).toBe(path);
});

const FILE_URL = 'use a file: URL like file:///srv/todo.sqlite without parameters, or the path of a file';

test.each([
  ['postgres://localhost/x', 'PostgreSQL is not supported yet; use the path of a file'],
  ['PostgreSQL:x', 'PostgreSQL is not supported yet; use the path of a file'],
  ['mysql://me:secret@x/y', 'mysql: is not supported; use the path of a file'],
  ['sqlite:///srv/todo.sqlite', 'sqlite: is not supported; use the path of a file'],
  [' libsql+ws://x', 'libsql+ws: is not supported; use the path of a file'],
  ['file:todo.sqlite', FILE_URL],
  ['file:./todo.sqlite', FILE_URL],
  ['file::memory:', FILE_URL],
  ['file:///srv/todo.sqlite?mode=ro', FILE_URL],
  ['file://server/todo.sqlite', FILE_URL],
  ['file:///srv/a%2Fb', FILE_URL],
])('the database setting %s is rejected, by openTodo too', (database, message) => {
  expect(() => databasePath(database)).toThrow(new Error(message));
  expect(() => openTodo({ database })).toThrow(message);
});
