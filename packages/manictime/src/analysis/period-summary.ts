import { dayOfWeek, startOfDay, type WallTime } from '@deskside/core/dates';
import { localOf } from '../database/model/activity.ts';
import type { Day, Source } from './days.ts';
import { largestFirst, Sums } from './group.ts';
import { dayKey, itemKey } from './keys.ts';
import { countRange, type RangeRequest } from './range.ts';

/** Days with data, and the top lists of all. */
export function summarizePeriod(source: Source, { range }: RangeRequest) {
  const daily = new Sums({ by: [dayKey, itemKey('applications')] });
  const applications = new Sums({ by: [itemKey('applications')] });
  const websites = new Sums({ by: [itemKey('websites')] });
  /** Absent for days of which only ManicTime's own totals are left. */
  const ends = new Map<WallTime, { readonly first: WallTime; readonly last: WallTime }>();
  const each = ({ day, atoms }: Day) => {
    const [begin, end] = [atoms[0], atoms.at(-1)];
    if (begin !== undefined && end !== undefined)
      ends.set(day, { first: localOf(begin.activity, begin.start), last: localOf(end.activity, end.end) });
  };
  const sums = [daily, applications, websites];
  const facts = countRange({ ...source, range }, sums, { countsTags: false, each });
  const days = daily.total
    .parts()
    .map((group) => {
      const day = startOfDay(Number(group.value));
      const topApplication = largestFirst(group.parts())[0]?.item.name;
      const { first, last } = ends.get(day) ?? {};
      return { day, seconds: group.seconds, topApplication, first, last };
    })
    .toSorted((a, b) => a.day - b.day);
  const weekdays = [...Map.groupBy(days, ({ day }) => dayOfWeek(day))].toSorted(([a], [b]) => a - b);
  return {
    days,
    topApplications: largestFirst(applications.total.parts()),
    topWebsites: largestFirst(websites.total.parts()),
    /** 0 is Sunday; days without data are absent. */
    daysOfWeek: weekdays.map(([weekday, ofIt]) => ({
      dayOfWeek: weekday,
      seconds: ofIt.reduce((sum, { seconds }) => sum + seconds, 0),
    })),
    concealed: facts.concealed,
    notes: facts.notes([], undefined, true),
  };
}
