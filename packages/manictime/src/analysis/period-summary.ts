import { dayOfWeek, startOfDay, type WallTime } from '@deskside/core/dates';
import type { DiagnosticNote } from '@deskside/core/errors';
import type { Snapshot } from '../database/snapshot.ts';
import { localOf } from '../database/model/activity.ts';
import type { Atom } from './atoms.ts';
import type { Day } from './days.ts';
import { type ItemTotal, largestFirst, Sums } from './group.ts';
import { dayKey, itemKey } from './keys.ts';
import type { PrivacyRules } from './privacy.ts';
import { group, type RangeRequest } from './range.ts';

export interface DaySummary {
  readonly day: WallTime;
  readonly seconds: number;
  readonly topApplication: string | undefined;
  /** Undefined if only ManicTime's own totals of the day are left. */
  readonly first: WallTime | undefined;
  readonly last: WallTime | undefined;
}

export interface PeriodSummary {
  /** Days with data, in order. */
  readonly days: readonly DaySummary[];
  readonly topApplications: readonly ItemTotal[];
  readonly topWebsites: readonly ItemTotal[];
  /** Seconds per day of the week, 0 is Sunday; days without data are absent. */
  readonly daysOfWeek: readonly { readonly dayOfWeek: number; readonly seconds: number }[];
  readonly notes: readonly DiagnosticNote[];
  /** How many rows of the range the rules conceal. */
  readonly concealed: number;
}

export function summarizePeriod(
  snapshot: Snapshot,
  { range }: RangeRequest,
  rules: PrivacyRules,
): PeriodSummary {
  const daily = new Sums<Atom>({ by: [dayKey, itemKey('applications')] });
  const applications = new Sums<Atom>({ by: [itemKey('applications')] });
  const websites = new Sums<Atom>({ by: [itemKey('websites')] });
  const ends = new Map<WallTime, Pick<DaySummary, 'first' | 'last'>>();
  const each = ({ day, atoms }: Day) => {
    const [begin, end] = [atoms[0], atoms.at(-1)];
    if (begin !== undefined && end !== undefined)
      ends.set(day, { first: localOf(begin.activity, begin.start), last: localOf(end.activity, end.end) });
  };
  const sums = [daily, applications, websites];
  const facts = group({ snapshot, range, rules }, sums, { countsTags: false, each });
  const days = daily.total
    .parts()
    .map((group): DaySummary => {
      const day = startOfDay(Number(group.value));
      const topApplication = largestFirst(group.parts())[0]?.item.name;
      const { first, last } = ends.get(day) ?? { first: undefined, last: undefined };
      return { day, seconds: group.seconds, topApplication, first, last };
    })
    .toSorted((a, b) => a.day - b.day);
  const weekdays = [...Map.groupBy(days, ({ day }) => dayOfWeek(day))].toSorted(([a], [b]) => a - b);
  return {
    days,
    topApplications: largestFirst(applications.total.parts()),
    topWebsites: largestFirst(websites.total.parts()),
    daysOfWeek: weekdays.map(([weekday, ofIt]) => ({
      dayOfWeek: weekday,
      seconds: ofIt.reduce((sum, { seconds }) => sum + seconds, 0),
    })),
    concealed: facts.concealed,
    notes: facts.notes([], undefined, true),
  };
}
