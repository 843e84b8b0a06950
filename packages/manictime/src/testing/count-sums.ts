import { getOrAdd } from '@deskside/core/base';
import { secondsOf, type Stretch } from './count-atoms.ts';

const HOUR = 3600;
const DAY = 24 * HOUR;
const MAX_GAP_SECONDS = 120;
const HOURS = Array.from({ length: 24 }, (_, hour) => `${String(hour).padStart(2, '0')}:00`);
const DAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];

/** What `sum_time` says about some time, counted from every second. */
export interface CountedSum {
  readonly name: string;
  readonly seconds: number;
  readonly count: number;
  readonly longest: number;
  readonly first: number | undefined;
  readonly last: number | undefined;
  /** By name. */
  readonly groups?: readonly CountedSum[];
  readonly ungrouped?: number;
}

export function hourOf({ local }: Stretch): number {
  return Math.floor((local % DAY) / HOUR);
}

export function weekdayOf({ local }: Stretch): string {
  return DAYS[dayOfWeek(local)] ?? '';
}

const dates = new Map<number, string>();

function dateOf(local: number): string {
  const day = Math.floor(local / DAY);
  return getOrAdd(dates, day, () => new Date(day * DAY * 1000).toISOString().slice(0, 10));
}

function dayOfWeek(local: number): number {
  return (Math.floor(local / DAY) + 4) % 7;
}

const VALUES: Readonly<Record<string, (stretch: Stretch) => Iterable<string | undefined>>> = {
  application: ({ application }) => [application],
  title: ({ title }) => [title],
  site: ({ site }) => [site],
  file: ({ file }) => [file],
  tag: ({ tags }) => tags,
  device: ({ device }) => [String(device)],
  hour: (stretch) => [HOURS[hourOf(stretch)]],
  day: ({ local }) => [dateOf(local)],
  weekday: (stretch) => [weekdayOf(stretch)],
  week: ({ local }) => [dateOf(local - ((dayOfWeek(local) + 6) % 7) * DAY)],
  month: ({ local }) => [dateOf(local).slice(0, 7)],
};

/** @param stretches in order of time */
export function countSum(
  stretches: readonly Stretch[],
  [key, ...more]: readonly string[],
  name = '',
): CountedSum {
  let count = 0;
  let longest = 0;
  let length = 0;
  let reached = Number.NEGATIVE_INFINITY;
  for (const { at, seconds } of stretches) {
    if (at - reached > MAX_GAP_SECONDS) {
      count += 1;
      length = 0;
    }
    length += seconds;
    longest = Math.max(longest, length);
    reached = at + seconds;
  }
  const last = stretches.at(-1);
  const own = {
    name,
    seconds: secondsOf(stretches),
    count,
    longest,
    first: stretches[0]?.local,
    last: last === undefined ? undefined : last.local + last.seconds,
  };
  if (key === undefined) return own;
  const valuesOf = VALUES[key] ?? (() => []);
  const groups = new Map<string, Stretch[]>();
  let ungrouped = 0;
  for (const stretch of stretches) {
    let isGrouped = false;
    for (const value of valuesOf(stretch)) {
      if (value === undefined) continue;
      isGrouped = true;
      const group = groups.get(value);
      if (group === undefined) groups.set(value, [stretch]);
      else group.push(stretch);
    }
    if (!isGrouped) ungrouped += stretch.seconds;
  }
  return {
    ...own,
    ungrouped,
    groups: Array.from(groups, ([value, group]) => countSum(group, more, value)).toSorted((a, b) =>
      a.name < b.name ? -1 : 1,
    ),
  };
}
