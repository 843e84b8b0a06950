import { getTableColumns, getTableName, is, Table } from 'drizzle-orm';
import * as schema from '../store/schema.ts';

/** `tasks due_date text null`: each column that the statements use. */
export function schemaColumns(): readonly string[] {
  return Object.values(schema)
    .flatMap((table) => {
      if (!is(table, Table)) return [];
      return Object.values(getTableColumns(table)).map((column) =>
        [getTableName(table), column.name, column.getSQLType(), column.notNull ? '' : 'null']
          .join(' ')
          .trimEnd(),
      );
    })
    .toSorted();
}
