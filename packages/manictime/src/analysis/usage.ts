import { getOrAdd } from '@deskside/core/base';
import { type DAY, HOUR, startOfDay, type WallTime } from '@deskside/core/dates';
import { aggregates, type AggregateSubject, aggregateTable } from '../database/aggregates.ts';
import type { Snapshot } from '../database/snapshot.ts';
import { type Activity, fileOf, labelOf, type LocalRange, siteOf } from '../database/model/activity.ts';
import { compareTexts } from '../database/model/text.ts';
import { splitByPeriod } from './active-time.ts';
import type { Atom } from './atoms.ts';
import type { DayAtoms } from './days.ts';
import { hasRules, type PrivacyRules } from './privacy.ts';

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
  /** One per item and period. */
  readonly rows: readonly UsageRow[];
  /** ManicTime's own totals in them. */
  readonly stored: readonly UsageRow[];
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
    getOrAdd(totals, item.id, () => ({ item, seconds: 0 })).seconds += seconds;
  }
  return [...totals.values()].toSorted(largestFirst);
}

export function largestFirst(a: UsageTotal, b: UsageTotal): number {
  return (
    b.seconds - a.seconds || compareTexts(a.item.name, b.item.name) || compareTexts(a.item.id, b.item.id)
  );
}

const TABLES: Readonly<Record<UsageSubject, AggregateSubject>> = {
  applications: 'Application',
  websites: 'WebSite',
  documents: 'Document',
};

const SUBJECTS: Readonly<Record<UsageSubject, (atom: Atom) => Activity | undefined>> = {
  applications: ({ activity }) => activity,
  websites: ({ page }) => page,
  documents: ({ file }) => file,
};

/** What one row of an answer adds up: an hour, a day, or all of the range. */
export type Grain = typeof HOUR | typeof DAY | 'range';

/** What is counted. */
interface UsageCount {
  readonly snapshot: Snapshot;
  readonly subject: UsageSubject;
  readonly range: LocalRange;
  readonly grain: Grain;
  readonly rules: PrivacyRules;
}

/**
 * Counts usage in a range. Single activities decide: a day that has some is computed from them, in active time. Only a
 * day without any counts with ManicTime's own hourly or daily totals, if they fit the grain and no privacy rule is set.
 */
export class UsageCounter {
  readonly #request: UsageCount;
  /** By item and period. */
  readonly #sums = new Map<string, Map<WallTime, { item: UsageItem; period: WallTime; seconds: number }>>();
  readonly #items = new WeakMap<object, UsageItem>();
  readonly #emptyDays = new Set<WallTime>();

  constructor(request: UsageCount) {
    this.#request = request;
  }

  /** @param day with atoms that are cut by page and file, unless applications are counted */
  add({ day, isRecorded, atoms }: DayAtoms): void {
    if (!isRecorded) this.#emptyDays.add(day);
    const { subject, range, grain } = this.#request;
    for (const atom of atoms) {
      const activity = SUBJECTS[subject](atom);
      if (activity === undefined) continue;
      const item = this.#itemOf(activity);
      if (grain === 'range') this.#addSeconds(item, range.from, atom.end - atom.start);
      else {
        splitByPeriod(atom, grain, (period, start, end) => this.#addSeconds(item, period, end - start));
      }
    }
  }

  finish(): Usage {
    const { snapshot, subject } = this.#request;
    const table = aggregateTable(snapshot.layout, TABLES[subject]);
    const stored = storedUsage(this.#request, this.#emptyDays);
    for (const { item, period, seconds } of stored) this.#addSeconds(item, period, seconds);
    const days = new Set(stored.map(({ period }) => startOfDay(period)));
    return {
      rows: [...this.#sums.values()].flatMap((ofItem) => Array.from(ofItem.values())),
      stored,
      sumsMissing: table === undefined,
      expiredDays: [...days].toSorted((a, b) => a - b),
    };
  }

  /** Groups are the same object in all rows, so most items are made once. */
  #itemOf(activity: Activity): UsageItem {
    const { group } = activity;
    const make = () => itemOf(activity, this.#request.subject);
    const isNamedByGroup = (group?.commonName ?? group?.name ?? '') !== '';
    return group === undefined || !isNamedByGroup ? make() : getOrAdd(this.#items, group, make);
  }

  #addSeconds(item: UsageItem, period: WallTime, seconds: number): void {
    const ofItem = this.#sums.get(item.id);
    const sum = ofItem?.get(period);
    if (sum !== undefined) sum.seconds += seconds;
    else if (ofItem !== undefined) ofItem.set(period, { item, period, seconds });
    else this.#sums.set(item.id, new Map([[period, { item, period, seconds }]]));
  }
}

/**
 * ManicTime's own totals of some days, for the hours or days that lie in a range as a whole. Nothing can be removed from them: with
 * privacy rules there are none.
 */
export function storedUsage(
  { snapshot, subject, range, grain, rules }: UsageCount,
  days: ReadonlySet<WallTime>,
): UsageRow[] {
  const table = aggregateTable(snapshot.layout, TABLES[subject]);
  if (table === undefined || days.size === 0 || hasRules(rules)) return [];
  if (grain !== 'range' && table.step > grain) return [];
  const itemOf = commonItems(snapshot);
  return aggregates(snapshot, table, range).flatMap(({ commonId, start, seconds }) => {
    const day = startOfDay(start);
    return days.has(day) ? [{ item: itemOf(commonId), period: grain === HOUR ? start : day, seconds }] : [];
  });
}

/** Creates each item once: a month has thousands of rows and hundreds of items. */
function commonItems({ groups }: Snapshot): (commonId: unknown) => UsageItem {
  const items = new Map<unknown, UsageItem>();
  return (commonId) =>
    getOrAdd(items, commonId, () => {
      const { name, color, key } = groups.common(commonId);
      return { id: `common/${String(commonId)}`, name: name ?? key ?? 'Unknown', color, key };
    });
}

function itemOf(activity: Activity, subject: UsageSubject): UsageItem {
  const { group } = activity;
  const name = nameOf(activity, subject) ?? 'Unknown';
  const key = group?.commonKey ?? group?.key;
  const id = group?.commonId === undefined ? `key/${key ?? ''}/${name}` : `common/${group.commonId}`;
  return { id, name, color: group?.color, key };
}

export function nameOf(activity: Activity, subject: UsageSubject): string | undefined {
  if (subject === 'applications') return labelOf(activity);
  if (subject === 'websites') return siteOf(activity);
  return activity.group?.commonName ?? activity.group?.name ?? fileOf(activity);
}
