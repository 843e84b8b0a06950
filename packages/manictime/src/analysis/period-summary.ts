import { DAY, dayOfWeek, type WallTime } from '@deskside/core/dates';
import type { DiagnosticNote } from '@deskside/core/errors';
import type { Snapshot } from '../database/snapshot.ts';
import { localOf, type LocalRange } from '../database/model/activity.ts';
import { aggregatesUsed, computedFromActivities } from '../database/model/notes.ts';
import { RangeFacts } from './days.ts';
import { readAtoms } from './prepared-days.ts';
import type { PrivacyRules } from './privacy.ts';
import { totalsOf, UsageCounter, type UsageRow, type UsageTotal } from './usage.ts';

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
  const facts = new RangeFacts(snapshot, range, false);
  const applicationCounter = new UsageCounter({
    snapshot,
    subject: 'applications',
    range,
    grain: DAY,
    rules,
  });
  const websiteCounter = new UsageCounter({ snapshot, subject: 'websites', range, grain: 'range', rules });
  const tracked = new Map<WallTime, TrackedDay>();
  for (const rows of readAtoms(snapshot, range, rules)) {
    facts.add(rows);
    applicationCounter.add(rows);
    websiteCounter.add(rows);
    const { day, atoms } = rows;
    const [begin, end] = [atoms[0], atoms.at(-1)];
    if (begin === undefined || end === undefined) continue;
    const seconds = atoms.reduce((sum, atom) => sum + atom.end - atom.start, 0);
    const [first, last] = [localOf(begin.activity, begin.start), localOf(end.activity, end.end)];
    tracked.set(day, { day, seconds, first, last });
  }
  const applications = applicationCounter.finish();
  const websites = websiteCounter.finish();
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
    concealed: facts.concealed,
    notes: [
      ...facts.trackingNotes(),
      ...(expired.length > 0 ? [aggregatesUsed(expired)] : []),
      ...(applications.sumsMissing || websites.sumsMissing ? [computedFromActivities] : []),
      ...facts.privacyNotes(rules),
      ...(days.length === 0 ? [facts.emptyNote()] : []),
    ],
  };
}

type TrackedDay = Omit<DaySummary, 'topApplication'>;

function daySummary(day: WallTime, tracked: TrackedDay | undefined, sums: readonly UsageRow[]): DaySummary {
  const topApplication = totalsOf(sums)[0]?.item.name;
  if (tracked !== undefined) return { ...tracked, topApplication };
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
