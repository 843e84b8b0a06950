import { UserError } from '@deskside/core/errors';
import type { Database, Statement } from 'better-sqlite3';

const REQUIRED: readonly (readonly [table: string, ...columns: string[]])[] = [
  ['Ar_Timeline', 'ReportId', 'SchemaName'],
  ['Ar_Activity', 'ReportId', 'ActivityId', 'StartLocalTime', 'EndLocalTime'],
];

/**
 * The tables and columns of one open database. They differ between versions of ManicTime, so every statement asks
 * here first and names existing tables and columns only.
 */
export class Layout {
  readonly database: Database;
  /** By table, both in lower case. */
  readonly #columns: ReadonlyMap<string, ReadonlySet<string>>;

  /** @throws UserError SCHEMA_UNSUPPORTED if a required table or column is missing */
  constructor(database: Database) {
    this.database = database;
    this.#columns = columnsOf(database);
    const missing = REQUIRED.find(([table, ...columns]) => !this.has(table, ...columns));
    if (missing !== undefined)
      throw unsupported(this.has(missing[0]) ? `columns of ${missing[0]}` : missing[0]);
  }

  has(table: string, ...columns: readonly string[]): boolean {
    const known = this.#columns.get(table.toLowerCase());
    return known !== undefined && columns.every((column) => known.has(column.toLowerCase()));
  }

  /** The first of several alternative column names that the table has. */
  firstOf<Column extends string>(table: string, ...columns: readonly Column[]): Column | undefined {
    return columns.find((column) => this.has(table, column));
  }

  /** The name of a column, or `NULL` if the table does not have it. */
  column(table: string, column: string): string {
    return this.has(table, column) ? column : 'NULL';
  }

  /** A statement for some columns of a table that exists. Columns that it does not have are null. */
  select<Column extends string>(
    table: string,
    columns: readonly Column[],
    clauses = '',
  ): Statement<unknown[], Readonly<Record<Column, unknown>>> {
    const selected = columns.map((column) => `${this.column(table, column)} AS ${column}`).join(', ');
    return this.database.prepare(`SELECT ${selected} FROM ${table} ${clauses}`);
  }

  /** A function that finds a row by its keys. A table without these keys has no rows. */
  lookup<Column extends string>(table: string, columns: readonly Column[], ...keys: readonly string[]) {
    const clauses = `WHERE ${keys.map((key) => `${key} = ?`).join(' AND ')}`;
    const statement = this.has(table, ...keys) ? this.select(table, columns, clauses) : undefined;
    return (...values: readonly unknown[]) => statement?.get(...values);
  }
}

function unsupported(what: string): UserError {
  return new UserError({
    code: 'SCHEMA_UNSUPPORTED',
    error: `The database has no ${what}. It is not a supported ManicTime database.`,
    hint: 'Set MANICTIME_DATA_DIR to the folder that contains ManicTimeReports.db (ManicTime 4 or newer), and start ManicTime once.',
  });
}

/** The columns of each of ManicTime's tables. */
function columnsOf(database: Database): Map<string, Set<string>> {
  const rows = database
    .prepare<[], readonly [table: string, column: string]>(
      `SELECT lower(m.name), lower(c.name) FROM sqlite_schema m JOIN pragma_table_info(m.name) c
        WHERE m.type IN ('table', 'view') AND m.name LIKE 'Ar\\_%' ESCAPE '\\'`,
    )
    .raw(true)
    .all();
  const tables = Map.groupBy(rows, ([table]) => table);
  return new Map(
    Array.from(tables, ([table, columns]) => [table, new Set(columns.map(([, column]) => column))]),
  );
}
