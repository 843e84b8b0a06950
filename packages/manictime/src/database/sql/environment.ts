import type { Database } from 'better-sqlite3';
import type { Layout } from '../layout.ts';

/** The rows of `Ar_Environment` with whatever columns it has, texts and numbers only. */
export function environments(
  database: Database,
  layout: Layout,
): Readonly<Record<string, string | number | null>>[] {
  const columns = layout.columnsOf('Ar_Environment');
  if (columns.length === 0) return [];
  const names = columns.map((column) => `"${column.replaceAll('"', '""')}"`).join(', ');
  const rows = database
    .prepare<[], Record<string, unknown>>(`SELECT ${names} FROM Ar_Environment LIMIT 100`)
    .all();
  return rows.map((row) =>
    Object.fromEntries(
      Object.entries(row).map(([name, value]) => [
        name,
        typeof value === 'string' || typeof value === 'number' ? value : null,
      ]),
    ),
  );
}
