import type { Database } from 'better-sqlite3';
import { Problem } from '../problem.ts';
import { indexesOf, type TableIndex, tablesOf } from './sql/catalog.ts';

/**
 * What a database has. ManicTime's tables changed over the years, and copies of its layout in the wild differ:
 * whoever writes a statement asks here first, and names no table or column that is not there.
 */
export interface Layout {
  has(table: string, ...columns: readonly string[]): boolean;
  /** `alias.column`, or `NULL` where there is no such column. */
  column(table: string, alias: string, column: string): string;
  /** The first of several names for one thing that the table has. */
  firstOf(table: string, ...columns: readonly string[]): string | undefined;
  columnsOf(table: string): readonly string[];
  readonly activityIndexes: readonly TableIndex[];
}

const REQUIRED: readonly (readonly [table: string, ...columns: string[]])[] = [
  ['Ar_Timeline', 'ReportId', 'SchemaName'],
  ['Ar_Activity', 'ReportId', 'ActivityId', 'StartLocalTime', 'EndLocalTime'],
];

/** @throws Problem SCHEMA_UNSUPPORTED where the tables are missing without which there is nothing to tell */
export function readLayout(database: Database): Layout {
  const tables = new Map(
    [...tablesOf(database)].map(([table, columns]) => [
      table.toLowerCase(),
      new Map(columns.map((column) => [column.toLowerCase(), column])),
    ]),
  );
  const find = (table: string, column: string) => tables.get(table.toLowerCase())?.get(column.toLowerCase());
  const layout: Layout = {
    has: (table, ...columns) =>
      tables.has(table.toLowerCase()) && columns.every((column) => find(table, column) !== undefined),
    column: (table, alias, column) => (find(table, column) === undefined ? 'NULL' : `${alias}.${column}`),
    firstOf: (table, ...columns) => columns.find((column) => find(table, column) !== undefined),
    columnsOf: (table) => [...(tables.get(table.toLowerCase())?.values() ?? [])],
    activityIndexes: indexesOf(database, 'Ar_Activity'),
  };
  const missing = REQUIRED.find(([table, ...columns]) => !layout.has(table, ...columns));
  if (missing !== undefined)
    throw unsupported(layout.has(missing[0]) ? `columns of ${missing[0]}` : missing[0]);
  return layout;
}

function unsupported(what: string): Problem {
  return new Problem({
    code: 'SCHEMA_UNSUPPORTED',
    error: `The database has no ${what}: it is none of ManicTime's, or of a version that is not known here.`,
    hint: 'Point --data-dir at the folder that holds ManicTimeReports.db (ManicTime 4 or newer), and start ManicTime once.',
  });
}
