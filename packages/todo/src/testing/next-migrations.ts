import { migrations } from '../sqlite/migrations.ts';
import type { Migration } from '../store/migration.ts';

/** A possible next release: it rebuilds a table with references to it, and inserts a row once. */
export const nextMigrations: readonly Migration[] = [
  ...migrations,
  {
    name: 'next',
    sql: `
      CREATE TABLE new_users (id text PRIMARY KEY NOT NULL, last_task_id integer NOT NULL, zone text) STRICT;
      INSERT INTO new_users (id, last_task_id) SELECT id, last_task_id FROM users;
      DROP TABLE users;
      ALTER TABLE new_users RENAME TO users;
      INSERT INTO users (id, last_task_id) SELECT 'migrated ' || count(*), 0 FROM users;
    `,
  },
];
