import { DAY, formatDate, HOUR } from '@deskside/core/dates';
import { commonIdColumn } from './groups.ts';
import { isPossibleTotal } from './judgement.ts';
import type { Layout } from './layout.ts';
import type { LocalRange } from './model/activity.ts';
import type { Snapshot } from './snapshot.ts';
import { storedText } from './model/text.ts';
import { parseStoredTime } from './model/time.ts';

/** What ManicTime stores totals for. A tag list is the tags of one row: a combination. */
const TABLES = {
  applications: 'Ar_ApplicationByDay',
  websites: 'Ar_WebSiteByDay',
  documents: 'Ar_DocumentByDay',
  tagLists: 'Ar_TagListByDay',
} as const;
export type AggregateSubject = keyof typeof TABLES;

/**
 * The table of a subject; undefined if it, or a column or table that it needs, is missing. Its columns, and
 * whether it has hours or days, depend on ManicTime's version.
 */
export function aggregateTable(layout: Layout, subject: AggregateSubject) {
  const name = TABLES[subject];
  const idColumn = commonIdColumn(layout, name);
  const timeColumn = layout.firstOf(name, 'Hour', 'Day');
  const groups = subject === 'tagLists' ? 'Ar_CommonGroupList' : 'Ar_CommonGroup';
  const isComplete = layout.has(name, 'TotalSeconds') && commonIdColumn(layout, groups) !== undefined;
  if (idColumn === undefined || timeColumn === undefined || !isComplete) return undefined;
  return { name, idColumn, timeColumn, step: timeColumn === 'Hour' ? HOUR : DAY } as const;
}

/** ManicTime's totals for the hours or days that lie in a range as a whole, without those that cannot be. */
export function aggregates(
  { layout, impossibleTotals }: Snapshot,
  subject: AggregateSubject,
  { from, to }: LocalRange,
) {
  const table = aggregateTable(layout, subject);
  if (table === undefined) return [];
  const { name, timeColumn, idColumn, step } = table;
  const clauses = `WHERE ${timeColumn} >= ? AND ${timeColumn} < ?
    AND ${idColumn} IS NOT NULL AND TotalSeconds <> 0`;
  const rows = layout.select(name, [idColumn, timeColumn, 'TotalSeconds'], clauses);
  return rows.all(formatDate(from), `${formatDate(to - 1)}~`).flatMap((row) => {
    const { [idColumn]: commonId, TotalSeconds: seconds } = row;
    const start = parseStoredTime(row[timeColumn]);
    if (start === undefined || start < from || start + step > to) return [];
    if (isPossibleTotal(seconds, step)) return { commonId, seconds, start };
    impossibleTotals.add([name, String(commonId), start].join('/'));
    return [];
  });
}

/** The tags of each tag list that has totals, separated by commas. */
export function tagListNames(layout: Layout): Map<unknown, string> {
  const key = commonIdColumn(layout, 'Ar_CommonGroupList');
  if (key === undefined) return new Map();
  const lists = layout.select('Ar_CommonGroupList', [key, 'Name'], `WHERE ${key} IS NOT NULL`).all();
  return new Map(lists.map((list) => [list[key], storedText(list.Name) ?? '']));
}
