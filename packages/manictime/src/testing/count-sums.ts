import type { Second } from './count-atoms.ts';

const HOUR = 3600;
const DAY = 24 * HOUR;
const MAX_GAP_SECONDS = 120;
const DAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];

/** What `sum_time` says about some time, counted second by second. */
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

export function hourOf({ local }: Second): number {
  return Math.floor((local % DAY) / HOUR);
}

export function weekdayOf({ local }: Second): string {
  return DAYS[dayOfWeek(local)] ?? '';
}

const dates = new Map<number, string>();

function dateOf(local: number): string {
  const day = Math.floor(local / DAY);
  const date = dates.get(day) ?? new Date(day * DAY * 1000).toISOString().slice(0, 10);
  dates.set(day, date);
  return date;
}

function dayOfWeek(local: number): number {
  return (Math.floor(local / DAY) + 4) % 7;
}

const VALUES: Readonly<Record<string, (second: Second) => Iterable<string | undefined>>> = {
  application: ({ application }) => [application],
  title: ({ title }) => [title],
  site: ({ site }) => [site],
  file: ({ file }) => [file],
  tag: ({ tags }) => tags,
  device: ({ device }) => [String(device)],
  hour: (second) => [`${String(hourOf(second)).padStart(2, '0')}:00`],
  day: ({ local }) => [dateOf(local)],
  weekday: (second) => [weekdayOf(second)],
  week: ({ local }) => [dateOf(local - ((dayOfWeek(local) + 6) % 7) * DAY)],
  month: ({ local }) => [dateOf(local).slice(0, 7)],
};

/** @param seconds in order of time */
export function countSum(
  seconds: readonly Second[],
  [key, ...more]: readonly string[],
  name = '',
): CountedSum {
  let count = 0;
  let longest = 0;
  let length = 0;
  let reached = Number.NEGATIVE_INFINITY;
  for (const { at } of seconds) {
    if (at - reached > MAX_GAP_SECONDS) {
      count += 1;
      length = 0;
    }
    length += 1;
    longest = Math.max(longest, length);
    reached = at + 1;
  }
  const last = seconds.at(-1);
  const own = {
    name,
    seconds: seconds.length,
    count,
    longest,
    first: seconds[0]?.local,
    last: last === undefined ? undefined : last.local + 1,
  };
  if (key === undefined) return own;
  const groups = new Map<string, Second[]>();
  let ungrouped = 0;
  for (const second of seconds) {
    const values = Array.from(VALUES[key]?.(second) ?? []).filter((value) => value !== undefined);
    if (values.length === 0) ungrouped += 1;
    for (const value of values) {
      const group = groups.get(value);
      if (group === undefined) groups.set(value, [second]);
      else group.push(second);
    }
  }
  return {
    ...own,
    ungrouped,
    groups: Array.from(groups, ([value, group]) => countSum(group, more, value)).toSorted((a, b) =>
      a.name < b.name ? -1 : 1,
    ),
  };
}
