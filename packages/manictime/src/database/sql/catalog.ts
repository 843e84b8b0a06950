import type { Database } from 'better-sqlite3';

export interface TableIndex {
  readonly name: string;
  /** In index order. */
  readonly columns: readonly string[];
}

/** ManicTime's tables with their columns. */
export function tablesOf(database: Database): Map<string, string[]> {
  const rows = database
    .prepare<[], { readonly tableName: string; readonly columnName: string }>(
      `SELECT m.name AS tableName, c.name AS columnName
         FROM sqlite_schema m JOIN pragma_table_info(m.name) c
        WHERE m.type IN ('table', 'view') AND m.name LIKE 'Ar\\_%' ESCAPE '\\'`,
    )
    .all();
  const tables = new Map<string, string[]>();
  for (const { tableName, columnName } of rows) {
    const columns = tables.get(tableName);
    if (columns === undefined) tables.set(tableName, [columnName]);
    else columns.push(columnName);
  }
  return tables;
}

/** The whole (not partial) indexes of a table, and its rowid alias as an index of one column without a name. */
export function indexesOf(database: Database, table: string): TableIndex[] {
  const rows = database
    .prepare<[string], { readonly indexName: string; readonly columns: string }>(
      `SELECT l.name AS indexName, group_concat(lower(coalesce(i.name, '')), ',' ORDER BY i.seqno) AS columns
         FROM pragma_index_list(?) l JOIN pragma_index_info(l.name) i
        WHERE l.partial = 0 GROUP BY l.name`,
    )
    .all(table);
  const rowIdAlias = database
    .prepare<[string], { readonly name: string }>(
      `SELECT lower(name) AS name FROM pragma_table_info(?) WHERE pk > 0 AND upper(type) = 'INTEGER'`,
    )
    .all(table);
  const indexes = rows.map(({ indexName, columns }) => ({ name: indexName, columns: columns.split(',') }));
  const [only, ...others] = rowIdAlias;
  const aliased =
    only !== undefined &&
    others.length === 0 &&
    !indexes.some(({ columns }) => columns.length === 1 && columns[0] === only.name);
  return aliased ? [...indexes, { name: '', columns: [only.name] }] : indexes;
}
