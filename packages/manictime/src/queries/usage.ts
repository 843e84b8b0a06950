import { DAY, HOUR, type WallTime } from '@deskside/core/dates';
import type { DiagnosticNote } from '@deskside/core/errors';
import { RangeFacts } from '../analysis/days.ts';
import { NearNames } from '../analysis/near-names.ts';
import { readAtoms } from '../analysis/prepared-days.ts';
import type { PrivacyRules } from '../analysis/privacy.ts';
import {
  largestFirst,
  totalsOf,
  type Usage,
  UsageCounter,
  type UsageItem,
  type UsageRow,
  type UsageSubject,
} from '../analysis/usage.ts';
import { containing } from '../analysis/words.ts';
import type { Snapshot } from '../database/snapshot.ts';
import type { LocalRange } from '../database/model/activity.ts';
import { aggregatesUsed, computedFromActivities, explained } from '../database/model/notes.ts';

export interface UsageRequest {
  readonly subject: UsageSubject;
  readonly range: LocalRange;
  readonly grain: 'hour' | 'day';
  readonly limit: number;
  /** Only items whose name contains this text; case does not matter. */
  readonly name?: string | undefined;
  /** Items with fewer seconds in all of the range are omitted. */
  readonly minSeconds?: number;
}

interface UsageNotes {
  readonly concealed: number;
  readonly notes: readonly DiagnosticNote[];
}

export interface UsageByPeriod extends UsageNotes {
  /** The first rows by period, then most used first. */
  readonly rows: readonly UsageRow[];
  readonly total: number;
  /** Of all rows. */
  readonly seconds: number;
  /** Period of the first row after the limit. */
  readonly nextPeriod: WallTime | undefined;
}

export interface UsageByItem extends UsageNotes {
  readonly items: readonly {
    readonly item: UsageItem;
    readonly seconds: number;
    readonly periods: readonly { readonly period: WallTime; readonly seconds: number }[];
  }[];
  readonly total: number;
  /** Of all items, also short ones. */
  readonly seconds: number;
}

function countUsage(
  snapshot: Snapshot,
  { subject, range, grain: period, name }: UsageRequest,
  rules: PrivacyRules,
): { readonly usage: Usage } & UsageNotes {
  const facts = new RangeFacts(snapshot, range, false);
  const grain = period === 'hour' ? HOUR : DAY;
  const counter = new UsageCounter({ snapshot, subject, range, grain, rules });
  for (const day of readAtoms(snapshot, range, rules)) {
    facts.add(day);
    counter.add(day);
  }
  const usage = counter.finish();
  const rows = named(usage.rows, name).toSorted((a, b) => a.period - b.period || largestFirst(a, b));
  const notes = [
    ...facts.trackingNotes(),
    ...(usage.expiredDays.length > 0 ? [aggregatesUsed(usage.expiredDays)] : []),
    ...(usage.sumsMissing ? [computedFromActivities] : []),
    ...facts.privacyNotes(rules),
    ...(usage.rows.length === 0 ? [facts.seconds > 0 ? noneOf(subject) : facts.emptyNote()] : []),
    ...(usage.rows.length > 0 && rows.length === 0 ? [noneNamed(subject, name ?? '', usage.rows)] : []),
  ];
  return { usage: { ...usage, rows }, concealed: facts.concealed, notes };
}

/** One row per hour or day and item. */
export function usageByPeriod(snapshot: Snapshot, request: UsageRequest, rules: PrivacyRules): UsageByPeriod {
  const { usage, ...rest } = countUsage(snapshot, request, rules);
  const { rows } = usage;
  return {
    ...rest,
    rows: rows.slice(0, request.limit),
    total: rows.length,
    seconds: rows.reduce((sum, { seconds }) => sum + seconds, 0),
    nextPeriod: rows[request.limit]?.period,
  };
}

/** One row per item, most used first, with its hours or days. */
export function usageByItem(snapshot: Snapshot, request: UsageRequest, rules: PrivacyRules): UsageByItem {
  const { usage, notes, ...rest } = countUsage(snapshot, request, rules);
  const periods = Map.groupBy(usage.rows, ({ item }) => item.id);
  const items = totalsOf(usage.rows).filter(({ seconds }) => seconds >= (request.minSeconds ?? 0));
  return {
    ...rest,
    notes: [...notes, ...(items.length === 0 && usage.rows.length > 0 ? [allShort(request.subject)] : [])],
    seconds: usage.rows.reduce((sum, { seconds }) => sum + seconds, 0),
    items: items.slice(0, request.limit).map(({ item, seconds }) => ({
      item,
      seconds,
      periods: (periods.get(item.id) ?? []).map(({ period, seconds }) => ({ period, seconds })),
    })),
    total: items.length,
  };
}

function named(rows: readonly UsageRow[], name: string | undefined): readonly UsageRow[] {
  if (name === undefined) return rows;
  const contains = containing(name);
  return rows.filter(({ item }) => contains([item.name, item.key]));
}

function noneNamed(subject: UsageSubject, name: string, rows: readonly UsageRow[]): DiagnosticNote {
  const names = new NearNames({ [subject]: name });
  names.add(
    subject,
    totalsOf(rows).map(({ item }) => item.name),
  );
  return names.note('No name of this range contains this text.');
}

function allShort(subject: UsageSubject): DiagnosticNote {
  return explained('NoMatch', `All ${subject} of this range were used for less time than minMinutes.`);
}

function noneOf(subject: UsageSubject): DiagnosticNote {
  return explained(
    'NoDataInRange',
    `Applications were used in this range, but ManicTime tracked no ${subject} in them.`,
  );
}
