import type { WallTime } from '@deskside/core/dates';
import type { LocalRange } from '../database/model/activity.ts';
import { explained } from '../database/model/notes.ts';
import { type ItemTotal, largestFirst, Sums, type UsageSubject } from './group.ts';
import { dayKey, hourKey, itemKey } from './keys.ts';
import { noMatch } from './near-names.ts';
import { type CategorizedSource, countRange } from './range.ts';
import { containing } from './fold.ts';

export interface UsageRequest {
  readonly subject: UsageSubject;
  readonly range: LocalRange;
  readonly grain: 'hour' | 'day';
  /** Default: all rows. */
  readonly limit?: number;
  /** Only items whose name contains this text; case does not matter. */
  readonly name?: string | undefined;
}

/** Seconds of one item in one hour or on one day. */
export interface UsageRow extends ItemTotal {
  /** Start of the hour or day. */
  readonly period: WallTime;
}

/** One row per hour or day and item, by period, then most used first. */
export function usageByPeriod(
  source: CategorizedSource,
  { subject, range, grain, name, limit = Infinity }: UsageRequest,
) {
  const sums = new Sums({ by: [grain === 'hour' ? hourKey : dayKey, itemKey(subject)] });
  const needs = subject === 'applications' ? 'windows' : 'all';
  const asked = { ...source, range };
  const facts = countRange(asked, [sums], { needs, countsTags: false });
  const used = rowsOf(sums);
  const rows = named(used, name);
  const noName = 'No name of this range contains this text.';
  const none = () =>
    used.length > 0
      ? noMatch(asked, noName, [[subject, name ?? '']])
      : explained(
          'NoDataInRange',
          `Applications were used in this range, but ManicTime tracked no ${subject} in them.`,
        );
  return {
    rows: rows.slice(0, limit),
    total: rows.length,
    seconds: rows.reduce((sum, { seconds }) => sum + seconds, 0),
    /** Period of the first row after the limit. */
    nextPeriod: rows[limit]?.period,
    concealed: facts.concealed,
    notes: facts.notes([], rows.length === 0 && none(), true),
  };
}

/** By period, then most used first. */
function rowsOf({ total }: Sums): UsageRow[] {
  const periods = total.parts().toSorted((a, b) => Number(a.value) - Number(b.value));
  return periods.flatMap((period) =>
    largestFirst(period.parts()).map((each) => Object.assign(each, { period: Number(period.value) })),
  );
}

function named(rows: readonly UsageRow[], name: string | undefined): readonly UsageRow[] {
  if (name === undefined) return rows;
  const contains = containing(name);
  return rows.filter(({ item }) => contains([item.name, item.key]));
}
