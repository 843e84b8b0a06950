import { UserError } from '@deskside/core/errors';
import type { Database } from 'better-sqlite3';

/**
 * The tables and columns of one database. They differ between versions of ManicTime, so every statement asks
 * here first and names existing tables and columns only.
 */
export interface Layout {
  has(table: string, ...columns: readonly string[]): boolean;
  /** `alias.column`, or `NULL` if the table does not have the column. */
  column(table: string, alias: string, column: string): string;
  /** The first of several alternative column names that the table has. */
  firstOf(table: string, ...columns: readonly string[]): string | undefined;
  readonly activityIndexes: readonly TableIndex[];
}

const REQUIRED: readonly (readonly [table: string, ...columns: string[]])[] = [
  ['Ar_Timeline', 'ReportId', 'SchemaName'],
  ['Ar_Activity', 'ReportId', 'ActivityId', 'StartLocalTime', 'EndLocalTime'],
];

/** @throws UserError SCHEMA_UNSUPPORTED if a required table or column is missing */
export function readLayout(database: Database): Layout {
  const tables = new Map(
    [...tablesOf(database)].map(([table, columns]) => [
      table.toLowerCase(),
      new Map(columns.map(({ columnName }) => [columnName.toLowerCase(), columnName])),
    ]),
  );
  const find = (table: string, column: string) => tables.get(table.toLowerCase())?.get(column.toLowerCase());
  const layout: Layout = {
    has: (table, ...columns) =>
      tables.has(table.toLowerCase()) && columns.every((column) => find(table, column) !== undefined),
    column: (table, alias, column) => (find(table, column) === undefined ? 'NULL' : `${alias}.${column}`),
    firstOf: (table, ...columns) => columns.find((column) => find(table, column) !== undefined),
    activityIndexes: indexesOf(database, 'Ar_Activity'),
  };
  const missing = REQUIRED.find(([table, ...columns]) => !layout.has(table, ...columns));
  if (missing !== undefined)
    throw unsupported(layout.has(missing[0]) ? `columns of ${missing[0]}` : missing[0]);
  return layout;
}

function unsupported(what: string): UserError {
  return new UserError({
    code: 'SCHEMA_UNSUPPORTED',
    error: `The database has no ${what}. It is not a supported ManicTime database.`,
    hint: 'Set MANICTIME_DATA_DIR to the folder that contains ManicTimeReports.db (ManicTime 4 or newer), and start ManicTime once.',
  });
}

interface TableIndex {
  readonly name: string;
  /** In index order. */
  readonly columns: readonly string[];
}

/** Columns of each of ManicTime's tables. */
function tablesOf(database: Database) {
  const rows = database
    .prepare<[], { readonly tableName: string; readonly columnName: string }>(
      `SELECT m.name AS tableName, c.name AS columnName
         FROM sqlite_schema m JOIN pragma_table_info(m.name) c
        WHERE m.type IN ('table', 'view') AND m.name LIKE 'Ar\\_%' ESCAPE '\\'`,
    )
    .all();
  return Map.groupBy(rows, ({ tableName }) => tableName);
}

/** The indexes of a table without partial ones. */
function indexesOf(database: Database, table: string): TableIndex[] {
  const rows = database
    .prepare<[string], { readonly indexName: string; readonly columns: string }>(
      `SELECT l.name AS indexName, group_concat(lower(coalesce(i.name, '')), ',' ORDER BY i.seqno) AS columns
         FROM pragma_index_list(?) l JOIN pragma_index_info(l.name) i
        WHERE l.partial = 0 GROUP BY l.name`,
    )
    .all(table);
  return rows.map(({ indexName, columns }) => ({ name: indexName, columns: columns.split(',') }));
}
