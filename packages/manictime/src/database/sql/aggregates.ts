import type { Database } from 'better-sqlite3';
import type { Layout } from '../layout.ts';
import { commonKey } from './groups.ts';

/** What ManicTime adds up itself. */
export type AggregateSubject = 'Application' | 'WebSite' | 'Document';

/** How the table of a subject is laid out: its columns have two names each, and hours or days in them. */
export interface AggregateTable {
  readonly name: string;
  readonly commonKey: string;
  readonly timeColumn: string;
  /** Seconds that one row stands for at most. */
  readonly grain: 'hour' | 'day';
}

export interface AggregateRow {
  readonly commonId: number;
  /** As it is stored: a date, or a datetime of a whole hour. */
  readonly time: string;
  readonly seconds: number;
}

/** Undefined where the table is missing, or something it needs. */
export function aggregateTable(layout: Layout, subject: AggregateSubject): AggregateTable | undefined {
  const name = `Ar_${subject}ByDay`;
  const key = commonKey(layout, name);
  const timeColumn = layout.firstOf(name, 'Hour', 'Day');
  if (key === undefined || timeColumn === undefined || !layout.has(name, 'TotalSeconds')) return undefined;
  if (commonKey(layout, 'Ar_CommonGroup') === undefined) return undefined;
  return { name, commonKey: key, timeColumn, grain: timeColumn === 'Hour' ? 'hour' : 'day' };
}

/**
 * The sums of the days that a range touches.
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
