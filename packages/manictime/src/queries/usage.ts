import { DAY, HOUR, type WallTime } from '@deskside/core/dates';
import type { DiagnosticNote } from '@deskside/core/errors';
import { RangeFacts } from '../analysis/days.ts';
import { NearNames } from '../analysis/near-names.ts';
import { readAtoms } from '../analysis/prepared-days.ts';
import type { PrivacyRules } from '../analysis/privacy.ts';
import { largestFirst, totalsOf, UsageCounter, type UsageRow, type UsageSubject } from '../analysis/usage.ts';
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
}

export interface UsageByPeriod {
  /** The first rows by period, then most used first. */
  readonly rows: readonly UsageRow[];
  readonly total: number;
  /** Of all rows. */
  readonly seconds: number;
  /** Period of the first row after the limit. */
  readonly nextPeriod: WallTime | undefined;
  readonly concealed: number;
  readonly notes: readonly DiagnosticNote[];
}

/** One row per hour or day and item. */
export function usageByPeriod(
  snapshot: Snapshot,
  { subject, range, grain: period, name, limit }: UsageRequest,
  rules: PrivacyRules,
): UsageByPeriod {
  const facts = new RangeFacts(snapshot, range, false);
  const grain = period === 'hour' ? HOUR : DAY;
  const counter = new UsageCounter({ snapshot, subject, range, grain, rules });
  for (const day of readAtoms(snapshot, range, rules)) {
    facts.add(day);
    counter.add(day);
  }
  const usage = counter.finish();
  const rows = named(usage.rows, name).toSorted((a, b) => a.period - b.period || largestFirst(a, b));
  return {
    rows: rows.slice(0, limit),
    total: rows.length,
    seconds: rows.reduce((sum, { seconds }) => sum + seconds, 0),
    nextPeriod: rows[limit]?.period,
    concealed: facts.concealed,
    notes: [
      ...facts.trackingNotes(),
      ...(usage.expiredDays.length > 0 ? [aggregatesUsed(usage.expiredDays)] : []),
      ...(usage.sumsMissing ? [computedFromActivities] : []),
      ...facts.privacyNotes(rules),
      ...(usage.rows.length === 0 ? [facts.seconds > 0 ? noneOf(subject) : facts.emptyNote()] : []),
      ...(usage.rows.length > 0 && rows.length === 0 ? [noneNamed(subject, name ?? '', usage.rows)] : []),
    ],
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

function noneOf(subject: UsageSubject): DiagnosticNote {
  return explained(
    'NoDataInRange',
    `Applications were used in this range, but ManicTime tracked no ${subject} in them.`,
  );
}
