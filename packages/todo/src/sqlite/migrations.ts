import type { Migration } from '../store/migration.ts';
import { createTables } from '../store/tables.ts';

/** Each entry raises the schema by one version. */
export const migrations: readonly Migration[] = [
  {
    name: 'tasks',
    sql: createTables({
      integer: 'INTEGER',
      text: 'TEXT',
      // A removed row leaves a gap.
      counter: 'INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL',
      isDate: (column) => `${column} GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]'`,
      isList: (column) => `json_type(${column}) = 'array'`,
      end: ' STRICT',
    }),
  },
];
