import type { Database } from 'better-sqlite3';
import { commonKey } from './groups.ts';
import type { Layout } from './layout.ts';

/** What ManicTime stores totals for. A tag list is the tags of one row: a combination. */
export type AggregateSubject = 'Application' | 'WebSite' | 'Document' | 'TagList';

/** Layout of the table of a subject. Column names, and hours or days, depend on ManicTime's version. */
export interface AggregateTable {
  readonly name: string;
  readonly commonKey: string;
  readonly timeColumn: string;
  /** The period of one row. */
  readonly grain: 'hour' | 'day';
}

export interface AggregateRow {
  readonly commonId: number;
  /** As stored: a date, or a date-time of a whole hour. */
  readonly time: string;
  readonly seconds: number;
}

/** Undefined if the table, or a column or table that it needs, is missing. */
export function aggregateTable(layout: Layout, subject: AggregateSubject): AggregateTable | undefined {
  const name = `Ar_${subject}ByDay`;
  const key = commonKey(layout, name);
  const timeColumn = layout.firstOf(name, 'Hour', 'Day');
  if (key === undefined || timeColumn === undefined || !layout.has(name, 'TotalSeconds')) return undefined;
  if (commonKey(layout, subject === 'TagList' ? 'Ar_CommonGroupList' : 'Ar_CommonGroup') === undefined)
    return undefined;
  return { name, commonKey: key, timeColumn, grain: timeColumn === 'Hour' ? 'hour' : 'day' };
}

/**
 * ManicTime's totals for some days.
 *
 * @param firstDay `yyyy-MM-dd`; `lastDay` inclusive
 */
export function aggregates(
  database: Database,
  { name, timeColumn, commonKey }: AggregateTable,
  firstDay: string,
  lastDay: string,
): AggregateRow[] {
  return database
    .prepare<[string, string], AggregateRow>(
      `SELECT ${commonKey} AS commonId, ${timeColumn} AS time, TotalSeconds AS seconds
         FROM ${name}
        WHERE ${timeColumn} >= ? AND ${timeColumn} < ? AND ${commonKey} IS NOT NULL AND TotalSeconds > 0`,
    )
    .all(firstDay, `${lastDay}~`);
}

/** The tags of each tag list that has totals, separated by commas. */
export function tagListNames(database: Database, layout: Layout): Map<number, string> {
  const key = commonKey(layout, 'Ar_CommonGroupList');
  if (key === undefined || !layout.has('Ar_CommonGroupList', 'Name')) return new Map();
  const rows = database
    .prepare<[], [id: number, name: string]>(
      `SELECT ${key}, Name FROM Ar_CommonGroupList WHERE ${key} IS NOT NULL AND Name IS NOT NULL`,
    )
    .raw(true)
    .all();
  return new Map(rows);
}
