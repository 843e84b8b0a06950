// Statements of SQL that both databases run, and how an operation asks for them. They are rendered once per database.
import { getOrAdd } from '@deskside/core/base';
import { type Column, getTableColumns, type Placeholder, type SQL, sql, type Table } from 'drizzle-orm';
import { CasingCache } from 'drizzle-orm/casing';

/** What differs between the databases. */
export interface Dialect {
  /** Unix time in milliseconds on the clock of the database. */
  readonly now: SQL;
  /** The elements of a JSON array as rows `item (value)`. */
  readonly each: (json: SQL) => SQL;
  /** Ends a SELECT whose rows this transaction changes. */
  readonly forUpdate: SQL;
  /** Ends a SELECT of rows that no other transaction changes. */
  readonly skipLocked: SQL;
  /** Lets no other transaction change the tokens. */
  readonly lockTokens: SQL;
  /** Names the caller whose rows the next statements write. */
  readonly actAs: SQL;
}

/** What a column stores: lists and times are encoded before. */
export type Value = string | number | null;
/** What is not given is NULL. */
export type Values = Readonly<Record<string, Value | undefined>>;

/** A statement with its values. */
export interface Query<Row = unknown> {
  readonly statement: Statement<Row>;
  readonly values: Values;
}

/** Statements that are sent together. */
export interface Flight {
  readonly queries: readonly Query[];
  /** Whether the operation ends with them: the transaction is committed. */
  readonly isLast: boolean;
}

/** What a statement answers. */
export type Rows = readonly (readonly unknown[])[];

/** Work in the database: asks for statements step by step, gets their rows, and returns its result. */
export type Operation<T> = Generator<Flight, T, readonly Rows[]>;

type Answers<Queries extends readonly Query[]> = {
  readonly [Index in keyof Queries]: Queries[Index] extends Query<infer Row> ? readonly Row[] : never;
};

/** Runs statements in one step. */
export function ask<const Queries extends readonly Query[]>(
  ...queries: Queries
): Operation<Answers<Queries>> {
  return fly(queries, false);
}

/** Runs the last statements of an operation. */
export function finish<const Queries extends readonly Query[]>(
  ...queries: Queries
): Operation<Answers<Queries>> {
  return fly(queries, true);
}

function* fly<const Queries extends readonly Query[]>(
  queries: Queries,
  isLast: boolean,
): Operation<Answers<Queries>> {
  const answers = yield { queries, isLast };
  const decoded = queries.map(({ statement }, index) => (answers[index] ?? []).map(statement.decode));
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- each statement decodes its own rows
  return decoded as unknown as Answers<Queries>;
}

/** The text of a statement around the values of these names. */
interface Rendered {
  readonly texts: readonly string[];
  readonly parameters: readonly string[];
}

/** Rendered once per database. */
export interface Statement<Row = unknown> {
  readonly decode: (row: readonly unknown[]) => Row;
  readonly render: (dialect: Dialect) => Rendered;
}

/** Between the texts of a statement. */
const MARK = '\0';
const RENDERING = {
  casing: new CasingCache(),
  escapeName: (name: string) => `"${name}"`,
  escapeParam: () => MARK,
  escapeString: (text: string) => `'${text.replaceAll("'", "''")}'`,
};

function rendered(query: SQL): Rendered {
  const { sql: text, params } = query.toQuery(RENDERING);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the statements have no other values
  return { texts: text.split(MARK), parameters: (params as Placeholder[]).map(({ name }) => name) };
}

/** A statement without rows that anybody reads. */
export function command(write: (dialect: Dialect) => SQL): (values?: Values) => Query {
  return query(write, (row) => row);
}

/** A statement whose rows have the given columns, in their order. */
export function query<Row>(
  write: (dialect: Dialect) => SQL,
  decode: (row: readonly unknown[]) => Row,
): (values?: Values) => Query<Row> {
  const known = new Map<Dialect, Rendered>();
  const render = (dialect: Dialect) => getOrAdd(known, dialect, () => rendered(write(dialect)));
  const statement = { decode, render };
  return (values = {}) => ({ statement, values });
}

type RowOf<From extends Table> = From['$inferSelect'];

/** The columns of a table for a SELECT, and the row that they make. */
export function selected<From extends Table>(table: From) {
  const columns = Object.entries<Column>(getTableColumns(table));
  return {
    fields: listed(Object.values(getTableColumns(table)), (column) => sql`${column}`),
    decode(row: readonly unknown[]): RowOf<From> {
      const decoded: Record<string, unknown> = {};
      for (const [index, [key, column]] of columns.entries()) {
        const value = row[index] ?? null;
        decoded[key] = value === null ? null : column.mapFromDriverValue(value);
      }
      return decoded;
    },
  };
}

/** The values of a row by the names of their columns. */
export function encoded<From extends Table>(table: From, row: Partial<RowOf<From>>): Record<string, Value> {
  const columns: Record<string, Column> = getTableColumns(table);
  return Object.fromEntries(
    Object.entries<unknown>(row).flatMap(([key, value]) => {
      const column = columns[key];
      if (column === undefined || value === undefined) return [];
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- columns store nothing else
      return [[column.name, (value === null ? null : column.mapToDriverValue(value)) as Value]];
    }),
  );
}

/** The columns of a table but some. */
export function columnsBut(table: Table, ...others: readonly Column[]): readonly Column[] {
  return Object.values(getTableColumns(table)).filter((column) => !others.includes(column));
}

/** A value that each call gives. */
export const given = (name: string): SQL => sql`${sql.placeholder(name)}`;

/** The columns without their table. */
export function names(columns: readonly Column[]): SQL {
  return listed(columns, ({ name }) => sql`${sql.identifier(name)}`);
}

export function assignments(columns: readonly Column[]): SQL {
  return listed(columns, ({ name }) => sql`${sql.identifier(name)} = ${given(name)}`);
}

/** The columns of a row that is an element of a JSON array, by the names of the columns. */
export function itemFields(columns: readonly Column[]): SQL {
  return listed(columns, (column) => (isText(column) ? itemText : itemNumber)(column.name));
}

function isText({ dataType }: Column): boolean {
  return dataType === 'string' || dataType === 'json';
}

function listed(columns: readonly Column[], write: (column: Column) => SQL): SQL {
  return sql.join(columns.map(write), sql`, `);
}

export const itemText = (key: string): SQL => sql.raw(`item.value ->> '${key}'`);
export const itemNumber = (key: string): SQL => sql.raw(`CAST(item.value ->> '${key}' AS bigint)`);
/** An element that is a number. */
export const itemId: SQL = sql.raw('CAST(item.value AS bigint)');

/** Rows for `each`. No database stores half of a surrogate pair, and PostgreSQL not U+0000. */
export function toRows(rows: readonly unknown[]): string {
  return JSON.stringify(rows, (_, value: unknown) => (typeof value === 'string' ? storable(value) : value));
}

export function storable(text: string): string {
  return text.replaceAll('\0', '\uFFFD').toWellFormed();
}
