import { DAY, dayOfWeek, type WallTime } from '@deskside/core/dates';
import type { DiagnosticNote } from '@deskside/core/errors';
import type { Snapshot } from '../database/snapshot.ts';
import { localOf, type LocalRange, type Piece } from '../model/activity.ts';
import {
  aggregatesUsed,
  computedFromActivities,
  noApplicationsTimeline,
  notYetAttributable,
  noUsageTimeline,
  unknownUsageStates,
} from '../model/notes.ts';
import { activeTime, splitByPeriod } from './active-time.ts';
import type { PrivacyRules } from './privacy.ts';
import { emptyAnswerNote, loadRange } from './range.ts';
import { readUsage, totalsOf, type UsageRow, type UsageTotal } from './usage.ts';

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
  readonly topApplications: readonly UsageTotal[];
  readonly topWebsites: readonly UsageTotal[];
  /** Seconds per day of the week, 0 is Sunday; days without data are absent. */
  readonly daysOfWeek: readonly { readonly dayOfWeek: number; readonly seconds: number }[];
  readonly notes: readonly DiagnosticNote[];
  /** How many rows of the range the rules conceal. */
  readonly concealed: number;
}

export function summarizePeriod(snapshot: Snapshot, range: LocalRange, rules: PrivacyRules): PeriodSummary {
  const rows = loadRange(snapshot, range, rules, { documents: true, titles: false });
  const { pieces, unknownStates } = activeTime(rows, range);
  const applications = readUsage(snapshot, 'applications', range, DAY, rules, { rows, pieces });
  const websites = readUsage(snapshot, 'websites', range, DAY, rules, { rows, pieces });
  const tracked = trackedDays(pieces);
  const sums = Map.groupBy(applications.rows, ({ period }) => period);
  const expired = applications.expiredDays;
  const days = [...tracked.keys(), ...expired]
    .toSorted((a, b) => a - b)
    .map((day) => daySummary(day, tracked.get(day), sums.get(day) ?? []));
  return {
    days,
    topApplications: totalsOf(applications.rows),
    topWebsites: totalsOf(websites.rows),
    daysOfWeek: daysOfWeek(days),
    concealed: rows.concealed.length,
    notes: [
      ...(rows.timelines.applications === 0 ? [noApplicationsTimeline] : []),
      ...(unknownStates ? [unknownUsageStates] : []),
      ...(rows.timelines.usage === 0 && pieces.length > 0 ? [noUsageTimeline] : []),
      ...(expired.length > 0 ? [aggregatesUsed(expired)] : []),
      ...(applications.sumsMissing || websites.sumsMissing ? [computedFromActivities] : []),
      ...(rows.unattributed.length > 0 ? [notYetAttributable] : []),
      ...(days.length === 0 ? [emptyAnswerNote(snapshot, range, rows)] : []),
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
    for (const [day, { start, end, activity }] of splitByPeriod(piece, DAY)) {
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
  const topApplication = totalsOf(sums)[0]?.item.name;
  if (tracked !== undefined) return { day, ...tracked, topApplication };
  const seconds = sums.reduce((sum, row) => sum + row.seconds, 0);
  return { day, seconds, topApplication, first: undefined, last: undefined };
}

function daysOfWeek(days: readonly DaySummary[]): PeriodSummary['daysOfWeek'] {
  const weekdays = [...Map.groupBy(days, ({ day }) => dayOfWeek(day))].toSorted(([a], [b]) => a - b);
  return weekdays.map(([weekday, ofIt]) => ({
    dayOfWeek: weekday,
    seconds: ofIt.reduce((sum, { seconds }) => sum + seconds, 0),
  }));
}
