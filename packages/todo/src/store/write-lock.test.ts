import { temporaryFolder } from '@deskside/testkit';
import Database from 'better-sqlite3';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { migrate } from './migrate.ts';
import { migrations } from './migrations.ts';
import { openConnection } from './sqlite-connection.ts';
import { SqliteTasks } from './sqlite-tasks.ts';
import { callOf } from './testing/store-under-test.ts';
import { nextMigrations } from './testing/next-migration.ts';

test('a call holds the write lock before it reads', () => {
  const { connection, isLocked } = openTwice();
  const tasks = new SqliteTasks(connection, () => new Date());
  const { prepare } = connection;
  const locked: boolean[] = [];
  vi.spyOn(connection, 'prepare').mockImplementation((sql: string) => {
    locked.push(isLocked());
    return prepare.call(connection, sql);
  });
  tasks.list(callOf('anna'), { status: 'all', limit: 9 });
  expect(new Set(locked)).toStrictEqual(new Set([true]));
  expect(isLocked()).toBe(false);
});

test('nothing can be written between the backup and the migration', () => {
  const { connection, isLocked } = openTwice();
  const locked: boolean[] = [];
  migrate(connection, nextMigrations, () => locked.push(isLocked()));
  expect(locked).toStrictEqual([true]);
});

function openTwice(): { connection: Database.Database; isLocked: () => boolean } {
  const file = join(temporaryFolder(), 'todo.sqlite');
  const connection = openConnection(file, migrations);
  const other = new Database(file, { timeout: 0 });
  onTestFinished(() => {
    connection.close();
    other.close();
  });
  return {
    connection,
    isLocked() {
      try {
        other.exec('BEGIN IMMEDIATE; ROLLBACK');
        return false;
      } catch {
        return true;
      }
    },
  };
}
