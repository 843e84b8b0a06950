import { DAY, formatDate, HOUR, startOfDay, type WallTime } from '@deskside/core/dates';
import {
  aggregates,
  type AggregateSubject,
  type AggregateTable,
  aggregateTable,
} from '../database/aggregates.ts';
import type { Snapshot } from '../database/snapshot.ts';
import {
  type Activity,
  documentKind,
  fileOf,
  labelOf,
  type LocalRange,
  type Piece,
  siteOf,
} from '../model/activity.ts';
import { intersect } from '../model/interval.ts';
import { parseStoredTime } from '../model/time.ts';
import { activeTime, foreground, piecesIn, splitByPeriod } from './active-time.ts';
import { hasRules, type PrivacyRules } from './privacy.ts';
import { loadRange, type RangeRows } from './range.ts';

/** What time is counted for. */
export type UsageSubject = 'applications' | 'websites' | 'documents';

/** An application, website or document. */
export interface UsageItem {
  /** Identity: two applications may share a name. */
  readonly id: string;
  readonly name: string;
  readonly color: string | undefined;
  readonly key: string | undefined;
}

/** Seconds of one item in one hour or on one day. */
export interface UsageRow {
  readonly item: UsageItem;
  /** Start of the hour or day. */
  readonly period: WallTime;
  readonly seconds: number;
}

export interface Usage {
  readonly rows: readonly UsageRow[];
  /** Whether the database has no table with ManicTime's own totals. */
  readonly sumsMissing: boolean;
  /** The days that are counted with ManicTime's own totals, because no single activities are left. Sorted. */
  readonly expiredDays: readonly WallTime[];
}

export interface UsageTotal {
  readonly item: UsageItem;
  readonly seconds: number;
}

/** Largest first, then by name, then by id, so that the order is stable between calls. */
export function totalsOf(rows: readonly UsageRow[]): UsageTotal[] {
  const totals = new Map<string, { item: UsageItem; seconds: number }>();
  for (const { item, seconds } of rows) {
    const total = totals.get(item.id);
    if (total === undefined) totals.set(item.id, { item, seconds });
    else total.seconds += seconds;
  }
  return [...totals.values()].toSorted(largestFirst);
}

export function largestFirst(a: UsageTotal, b: UsageTotal): number {
  return b.seconds - a.seconds || compare(a.item.name, b.item.name) || compare(a.item.id, b.item.id);
}

function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

const TABLES: Readonly<Record<UsageSubject, AggregateSubject>> = {
  applications: 'Application',
  websites: 'WebSite',
  documents: 'Document',
};

/** Seconds of an hour or a day. */
export type Grain = typeof HOUR | typeof DAY;

/** A range that is loaded with documents, and its active time. */
export interface LoadedRange {
  readonly rows: RangeRows;
  readonly pieces: readonly Piece[];
}

/** Loads what {@link readUsage} needs. */
export function loadUsage(
  snapshot: Snapshot,
  subject: UsageSubject,
  range: LocalRange,
  rules: PrivacyRules,
): LoadedRange {
  const rows = loadRange(snapshot, range, rules, { documents: subject !== 'applications', titles: false });
  return { rows, pieces: activeTime(rows, range).pieces };
}

/**
 * Usage in a range. Single activities decide: a day that has some is computed from them, in active time. Only a day
 * without any counts with ManicTime's own hourly or daily totals, if they fit the grain and no privacy rule is set.
 */
export function readUsage(
  snapshot: Snapshot,
  subject: UsageSubject,
  range: LocalRange,
  grain: Grain,
  rules: PrivacyRules,
  { rows, pieces }: LoadedRange,
): Usage {
  const table = aggregateTable(snapshot.layout, TABLES[subject]);
  const expired = daysWithoutActivities(rows.recordedDays, range);
  const used = subject === 'applications' ? pieces : documentPieces(rows, subject, range, pieces);
  const computed = addUp(used, subject, grain);
  if (table === undefined || expired.size === 0 || hasRules(rules)) {
    return { rows: computed, sumsMissing: table === undefined, expiredDays: [] };
  }
  const stored = storedUsage(snapshot, table, range, grain).filter(({ period }) =>
    expired.has(startOfDay(period)),
  );
  const days = new Set(stored.map(({ period }) => startOfDay(period)));
  return {
    rows: [...computed, ...stored],
    sumsMissing: false,
    expiredDays: [...days].toSorted((a, b) => a - b),
  };
}

/** ManicTime's own totals of the hours or days that lie in a range as a whole. */
function storedUsage(snapshot: Snapshot, table: AggregateTable, range: LocalRange, grain: Grain): UsageRow[] {
  const step = table.grain === 'hour' ? HOUR : DAY;
  if (step > grain) return [];
  const itemOf = commonItems(snapshot);
  const stored = aggregates(snapshot.database, table, formatDate(range.from), formatDate(range.to - 1));
  return stored.flatMap(({ commonId, time, seconds }): UsageRow[] => {
    const start = parseStoredTime(time);
    if (start === undefined || start < range.from || start + step > range.to) return [];
    return [{ item: itemOf(commonId), period: grain === DAY ? startOfDay(start) : start, seconds }];
  });
}

/** Creates each item once: a month has thousands of rows and hundreds of items. */
function commonItems({ groups }: Snapshot): (commonId: number) => UsageItem {
  const items = new Map<number, UsageItem>();
  return (commonId) => {
    const known = items.get(commonId);
    if (known !== undefined) return known;
    const { name, color, key } = groups.common(commonId);
    const item = { id: `common/${commonId}`, name: name ?? key ?? 'Unknown', color, key };
    items.set(commonId, item);
    return item;
  };
}

/** Adds up pieces by item and period. Each second counts for one item. */
function addUp(pieces: readonly Piece[], subject: UsageSubject, period: number): UsageRow[] {
  const sums = new Map<string, { item: UsageItem; period: number; seconds: number }>();
  for (const piece of pieces) {
    const item = itemOf(piece.activity, subject);
    for (const [start, part] of splitByPeriod(piece, period)) {
      const id = `${start}/${item.id}`;
      const sum = sums.get(id);
      if (sum === undefined) sums.set(id, { item, period: start, seconds: part.end - part.start });
      else sum.seconds += part.end - part.start;
    }
  }
  return [...sums.values()];
}

function documentPieces(
  rows: RangeRows,
  subject: UsageSubject,
  range: LocalRange,
  active: readonly Piece[],
): Piece[] {
  const kind = subject === 'websites' ? 'website' : 'file';
  const documents = rows.documents.filter((row) => documentKind(row) === kind);
  return intersect(foreground(piecesIn(documents, range)), active);
}

function itemOf(activity: Activity, subject: UsageSubject): UsageItem {
  const { group } = activity;
  const name = nameOf(activity, subject) ?? 'Unknown';
  const key = group?.commonKey ?? group?.key;
  const id = group?.commonId === undefined ? `key/${key ?? ''}/${name}` : `common/${group.commonId}`;
  return { id, name, color: group?.color, key };
}

function nameOf(activity: Activity, subject: UsageSubject): string | undefined {
  if (subject === 'applications') return labelOf(activity);
  if (subject === 'websites') return siteOf(activity);
  return activity.group?.commonName ?? activity.group?.name ?? fileOf(activity);
}

/** The days of a range that have no application row. */
export function daysWithoutActivities(
  recordedDays: ReadonlySet<WallTime>,
  { from, to }: LocalRange,
): Set<WallTime> {
  const days = new Set<WallTime>();
  for (let day = startOfDay(from); day < to; day += DAY) if (!recordedDays.has(day)) days.add(day);
  return days;
}
