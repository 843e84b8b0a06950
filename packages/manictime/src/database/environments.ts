import type { Database } from 'better-sqlite3';
import type { Layout } from './layout.ts';
import type { OpenDatabase } from './timelines.ts';

/** A tracked device. Properties that the database does not have are absent. */
export interface Environment {
  readonly environmentId?: number | string;
  readonly deviceName?: string;
  readonly osVersion?: string;
  readonly manicTimeVersion?: string;
  readonly dotNetVersion?: string;
}

/** Column names are not documented: the first column that matches the pattern is used. */
const PATTERNS: Readonly<Record<keyof Environment, RegExp>> = {
  environmentId: /^EnvironmentId$/i,
  deviceName: /device|machine|computer|host/i,
  dotNetVersion: /dotnet|netframework|netversion|clr|runtime/i,
  manicTimeVersion: /manictime|(app|client|product)version/i,
  osVersion: /^os|operating|platform/i,
};

export function readEnvironments({ database, layout }: OpenDatabase): Environment[] {
  return environments(database, layout).map((row) => {
    const found = Object.entries(PATTERNS).flatMap(([name, pattern]) => {
      const value = Object.entries(row).find(
        ([column, value]) => pattern.test(column) && value !== null,
      )?.[1];
      if (value === undefined || value === null) return [];
      return [[name, name === 'environmentId' ? value : String(value)]];
    });
    return Object.fromEntries(found);
  });
}

/** The rows of `Ar_Environment` with all columns; values other than texts and numbers become null. */
function environments(
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
