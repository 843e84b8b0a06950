import { DAY, formatDate, HOUR, type WallTime } from '@deskside/core/dates';
import type { Database } from 'better-sqlite3';
import { commonKey } from './groups.ts';
import { isPossibleTotal } from './judgement.ts';
import type { Layout } from './layout.ts';
import type { LocalRange } from './model/activity.ts';
import type { Snapshot } from './snapshot.ts';
import { parseStoredTime } from './model/time.ts';

/** What ManicTime stores totals for. A tag list is the tags of one row: a combination. */
const TABLES = {
  applications: 'Ar_ApplicationByDay',
  websites: 'Ar_WebSiteByDay',
  documents: 'Ar_DocumentByDay',
  tagLists: 'Ar_TagListByDay',
} as const;
export type AggregateSubject = keyof typeof TABLES;

/** Layout of the table of a subject. Column names, and hours or days, depend on ManicTime's version. */
interface AggregateTable {
  readonly name: string;
  readonly commonKey: string;
  readonly timeColumn: string;
  /** The length of the period of one row. */
  readonly step: typeof HOUR | typeof DAY;
}

interface AggregateRow {
  readonly commonId: unknown;
  /** Start of the hour or day. */
  readonly start: WallTime;
  readonly seconds: number;
}

/** Undefined if the table, or a column or table that it needs, is missing. */
export function aggregateTable(layout: Layout, subject: AggregateSubject): AggregateTable | undefined {
  const name = TABLES[subject];
  const key = commonKey(layout, name);
  const timeColumn = layout.firstOf(name, 'Hour', 'Day');
  if (key === undefined || timeColumn === undefined || !layout.has(name, 'TotalSeconds')) return undefined;
  if (commonKey(layout, subject === 'tagLists' ? 'Ar_CommonGroupList' : 'Ar_CommonGroup') === undefined)
    return undefined;
  return { name, commonKey: key, timeColumn, step: timeColumn === 'Hour' ? HOUR : DAY };
}

/** ManicTime's totals for the hours or days that lie in a range as a whole, without those that cannot be. */
export function aggregates(
  { database, layout, impossibleTotals }: Snapshot,
  subject: AggregateSubject,
  { from, to }: LocalRange,
): AggregateRow[] {
  const table = aggregateTable(layout, subject);
  if (table === undefined) return [];
  const { name, timeColumn, commonKey, step } = table;
  const rows = database
    .prepare<[string, string], Readonly<Record<'commonId' | 'time' | 'seconds', unknown>>>(
      `SELECT ${commonKey} AS commonId, ${timeColumn} AS time, TotalSeconds AS seconds
         FROM ${name}
        WHERE ${timeColumn} >= ? AND ${timeColumn} < ? AND ${commonKey} IS NOT NULL AND TotalSeconds <> 0`,
    )
    .all(formatDate(from), `${formatDate(to - 1)}~`);
  return rows.flatMap(({ time, commonId, seconds }) => {
    const start = parseStoredTime(time);
    if (start === undefined || start < from || start + step > to) return [];
    if (isPossibleTotal(seconds, step)) return { commonId, seconds, start };
    impossibleTotals.add([name, String(commonId), start].join('/'));
    return [];
  });
}

/** The tags of each tag list that has totals, separated by commas. */
export function tagListNames(database: Database, layout: Layout): Map<unknown, string> {
  const key = commonKey(layout, 'Ar_CommonGroupList');
  if (key === undefined || !layout.has('Ar_CommonGroupList', 'Name')) return new Map();
  const rows = database
    .prepare<[], [id: unknown, name: string]>(
      `SELECT ${key}, Name FROM Ar_CommonGroupList WHERE ${key} IS NOT NULL AND typeof(Name) = 'text'`,
    )
    .raw(true)
    .all();
  return new Map(rows);
}
