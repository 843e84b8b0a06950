import { DAY, formatDate, HOUR, type WallTime } from '@deskside/core/dates';
import type { Database } from 'better-sqlite3';
import { commonKey } from './groups.ts';
import type { Layout } from './layout.ts';
import type { LocalRange } from './model/activity.ts';
import { parseStoredTime } from './model/time.ts';

/** What ManicTime stores totals for. A tag list is the tags of one row: a combination. */
export type AggregateSubject = 'Application' | 'WebSite' | 'Document' | 'TagList';

/** Layout of the table of a subject. Column names, and hours or days, depend on ManicTime's version. */
export interface AggregateTable {
  readonly name: string;
  readonly commonKey: string;
  readonly timeColumn: string;
  /** The length of the period of one row. */
  readonly step: typeof HOUR | typeof DAY;
}

export interface AggregateRow {
  readonly commonId: number;
  /** Start of the hour or day. */
  readonly start: WallTime;
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
  return { name, commonKey: key, timeColumn, step: timeColumn === 'Hour' ? HOUR : DAY };
}

/** ManicTime's totals for the hours or days that lie in a range as a whole. */
export function aggregates(
  database: Database,
  { name, timeColumn, commonKey, step }: AggregateTable,
  { from, to }: LocalRange,
): AggregateRow[] {
  const rows = database
    .prepare<[string, string], Omit<AggregateRow, 'start'> & { readonly time: string }>(
      `SELECT ${commonKey} AS commonId, ${timeColumn} AS time, TotalSeconds AS seconds
         FROM ${name}
        WHERE ${timeColumn} >= ? AND ${timeColumn} < ? AND ${commonKey} IS NOT NULL AND TotalSeconds > 0`,
    )
    .all(formatDate(from), `${formatDate(to - 1)}~`);
  return rows.flatMap(({ time, ...row }) => {
    const start = parseStoredTime(time);
    return start === undefined || start < from || start + step > to ? [] : [{ ...row, start }];
  });
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
