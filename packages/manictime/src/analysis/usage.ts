import type { WallTime } from '@deskside/core/dates';
import type { DiagnosticNote } from '@deskside/core/errors';
import type { Snapshot } from '../database/snapshot.ts';
import type { LocalRange } from '../database/model/activity.ts';
import { explained } from '../database/model/notes.ts';
import type { Atom } from './atoms.ts';
import { byLength, type ItemTotal, Sums, type UsageSubject } from './group.ts';
import { dayKey, hourKey, itemKey } from './keys.ts';
import type { PrivacyRules } from './privacy.ts';
import { group } from './range.ts';

export interface UsageRequest {
  readonly subject: UsageSubject;
  readonly range: LocalRange;
  readonly grain: 'hour' | 'day';
  readonly limit: number;
}

/** Seconds of one item in one hour or on one day. */
export interface UsageRow extends ItemTotal {
  /** Start of the hour or day. */
  readonly period: WallTime;
}

/** One row per hour or day and item, by period, then most used first. */
export function usageByPeriod(
  snapshot: Snapshot,
  { subject, range, grain, limit }: UsageRequest,
  rules: PrivacyRules,
) {
  const sums = new Sums<Atom>({ by: [grain === 'hour' ? hourKey : dayKey, itemKey(subject)] });
  const needs = subject === 'applications' ? 'windows' : 'all';
  const facts = group({ snapshot, range, rules }, [sums], { needs, countsTags: false });
  const rows = rowsOf(sums).toSorted((a, b) => a.period - b.period || byLength(a, b));
  return {
    rows: rows.slice(0, limit),
    total: rows.length,
    seconds: rows.reduce((sum, { seconds }) => sum + seconds, 0),
    /** Period of the first row after the limit. */
    nextPeriod: rows[limit]?.period,
    concealed: facts.concealed,
    notes: facts.notes([], rows.length === 0 && noneOf(subject), true),
  };
}

function rowsOf({ total }: Sums<Atom>): UsageRow[] {
  return total
    .parts()
    .flatMap((period) =>
      period
        .parts()
        .flatMap(({ value, seconds }) =>
          typeof value === 'object' ? { item: value, period: Number(period.value), seconds } : [],
        ),
    );
}

function noneOf(subject: UsageSubject): DiagnosticNote {
  return explained(
    'NoDataInRange',
    `Applications were used in this range, but ManicTime tracked no ${subject} in them.`,
  );
}
