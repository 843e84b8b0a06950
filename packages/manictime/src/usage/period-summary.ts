import type { Note } from '../timeline/note.ts';
import type { Snapshot } from '../database/snapshot.ts';
import {
  computedFromActivities,
  noApplicationsTimeline,
  noUsageTimeline,
  unknownUsageStates,
  whyEmpty,
} from '../timeline/notes.ts';
import { hasRules, type PrivacyRules } from '../privacy/rules.ts';
import { DAY, dayOfWeek, type WallTime } from '../time/wall-clock.ts';
import { activeTime, byLocalPeriod } from '../timeline/active-time.ts';
import { type LocalRange, localOf, type Piece } from '../timeline/activity.ts';
import { readRange } from '../timeline/range-rows.ts';
import { daysWithout, expiredDays, onlySumsLeft } from './expired-days.ts';
import { readUsage } from './read-usage.ts';
import { grouped, totalsOf, type UsageRow, type UsageTotal } from './usage.ts';

export interface DaySummary {
  readonly day: WallTime;
  readonly seconds: number;
  readonly topApplication: string | undefined;
  /** Undefined for a day of which only ManicTime's sums are left. */
  readonly first: WallTime | undefined;
  readonly last: WallTime | undefined;
}

export interface PeriodSummary {
  /** Days with data, in order. */
  readonly days: readonly DaySummary[];
  readonly topApplications: readonly UsageTotal[];
  readonly topWebsites: readonly UsageTotal[];
  /** Seconds by day of the week, Sunday first; days of the week without data are absent. */
  readonly daysOfWeek: readonly { readonly dayOfWeek: number; readonly seconds: number }[];
  readonly notes: readonly Note[];
}

export function summarizePeriod(snapshot: Snapshot, range: LocalRange, rules: PrivacyRules): PeriodSummary {
  const rows = readRange(snapshot, range, rules, { titles: false });
  const { pieces, unknownStates } = activeTime(rows, range);
  const applications = readUsage(snapshot, 'applications', range, DAY, rules, rows);
  const websites = readUsage(snapshot, 'websites', range, DAY, rules, hasRules(rules) ? rows : undefined);
  const tracked = trackedDays(pieces);
  const sums = grouped(applications.rows, ({ period }) => period);
  const expired = expiredDays(applications.rows, daysWithout(rows.applications, range));
  const days = [...tracked.keys(), ...expired.keys()]
    .toSorted((a, b) => a - b)
    .map((day) => daySummary(day, tracked.get(day), sums.get(day) ?? []));
  return {
    days,
    topApplications: totalsOf(applications.rows),
    topWebsites: totalsOf(websites.rows),
    daysOfWeek: daysOfWeek(days),
    notes: [
      ...(rows.timelines.applications === 0 ? [noApplicationsTimeline] : []),
      ...(unknownStates ? [unknownUsageStates] : []),
      ...(rows.timelines.usage === 0 && pieces.length > 0 ? [noUsageTimeline] : []),
      ...(expired.size > 0 ? [onlySumsLeft] : []),
      ...(applications.lacksSums || websites.lacksSums ? [computedFromActivities] : []),
      ...(days.length === 0 ? [whyEmpty(snapshot, range)] : []),
    ],
  };
}

interface TrackedDay {
  seconds: number;
  readonly first: WallTime;
  last: WallTime;
}

function trackedDays(pieces: readonly Piece[]): Map<WallTime, TrackedDay> {
  const days = new Map<WallTime, TrackedDay>();
  for (const piece of pieces) {
    for (const [day, { start, end, activity }] of byLocalPeriod(piece, DAY)) {
      const known = days.get(day);
      const last = localOf(activity, end);
      if (known === undefined) {
        days.set(day, { seconds: end - start, first: localOf(activity, start), last });
        continue;
      }
      known.seconds += end - start;
      known.last = last;
    }
  }
  return days;
}

function daySummary(day: WallTime, tracked: TrackedDay | undefined, sums: readonly UsageRow[]): DaySummary {
  const topApplication = totalsOf(sums)[0]?.thing.name;
  if (tracked !== undefined) return { day, ...tracked, topApplication };
  const seconds = sums.reduce((sum, row) => sum + row.seconds, 0);
  return { day, seconds, topApplication, first: undefined, last: undefined };
}

function daysOfWeek(days: readonly DaySummary[]): PeriodSummary['daysOfWeek'] {
  const weekdays = [...grouped(days, ({ day }) => dayOfWeek(day))].toSorted(([a], [b]) => a - b);
  return weekdays.map(([weekday, ofIt]) => ({
    dayOfWeek: weekday,
    seconds: ofIt.reduce((sum, { seconds }) => sum + seconds, 0),
  }));
}
