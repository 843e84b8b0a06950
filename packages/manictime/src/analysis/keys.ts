import { getOrAdd } from '@deskside/core/base';
import { DAY, dayOfWeek, formatDate, HOUR, startOfDay, type WallTime } from '@deskside/core/dates';
import { type Activity, fileOf, labelOf, siteOf } from '../database/model/activity.ts';
import { mondayOf, WEEKDAYS } from '../database/model/time.ts';
import type { Atom } from './atoms.ts';
import type { Categorizer } from './categories.ts';
import type { Item, Key, UsageSubject } from './group.ts';

const ROWS: Readonly<Record<UsageSubject, (atom: Atom) => Activity | undefined>> = {
  applications: ({ activity }) => activity,
  websites: ({ page }) => page,
  documents: ({ file }) => file,
};

/** By application, website or document. Groups are the same object in all rows, so most items are made once. */
export function itemKey(subject: UsageSubject): Key {
  const items = new WeakMap<object, readonly [Item]>();
  return {
    valuesOf(atom) {
      const activity = ROWS[subject](atom);
      if (activity === undefined) return [];
      const { group } = activity;
      const make = () => [itemOf(activity, subject)] as const;
      const isNamedByGroup = (group?.commonName ?? group?.name ?? '') !== '';
      return group === undefined || !isNamedByGroup ? make() : getOrAdd(items, group, make);
    },
    valueOfTotal: (item) => item,
    subject,
  };
}

function itemOf(activity: Activity, subject: UsageSubject): Item {
  const { group } = activity;
  const name = nameOf(activity, subject) ?? 'Unknown';
  const key = group?.commonKey ?? group?.key;
  const id = group?.commonId === undefined ? `key/${key ?? ''}/${name}` : `common/${group.commonId}`;
  return { id, name, color: group?.color, key };
}

export function nameOf(activity: Activity, subject: UsageSubject): string | undefined {
  if (subject === 'applications') return labelOf(activity);
  if (subject === 'websites') return siteOf(activity);
  return activity.group?.commonName ?? activity.group?.name ?? fileOf(activity);
}

/** By day, or by hour of a day: the values are the starts. */
export const dayKey: Key = {
  valuesOf: (_, local) => [startOfDay(local)],
  valueOfTotal: (_, local) => startOfDay(local),
};
export const hourKey: Key = {
  byHour: true,
  valuesOf: (_, local) => [local],
  valueOfTotal: (_, local) => local,
};

export const NAME_KEYS = ['application', 'title', 'site', 'file', 'tag', 'device', 'category'] as const;
export type NameKey = (typeof NAME_KEYS)[number];
/** From the shortest to the longest. */
export const TIME_KEYS = ['hour', 'day', 'weekday', 'week', 'month'] as const;
export type TimeKey = (typeof TIME_KEYS)[number];
export type GroupKey = NameKey | TimeKey;

export function isTimeKey(key: GroupKey): key is TimeKey {
  return key in TIMES;
}

/** What names depend on. */
interface NameOptions {
  readonly categoryOf: Categorizer;
  /** Whether `(3) Inbox` and `Inbox` are two titles. */
  readonly exactTitles: boolean;
}

/** The names of an atom, as a person groups them. */
function namesOf(key: NameKey, { categoryOf, exactTitles }: NameOptions): (atom: Atom) => readonly string[] {
  switch (key) {
    case 'application':
      return ({ activity }) => [labelOf(activity) ?? 'Unknown'];
    case 'title':
      return ({ activity: { name } }) =>
        name === undefined ? [] : [exactTitles ? name : withoutCounter(name)];
    case 'site':
      return ({ page }) => (page === undefined ? [] : [siteOf(page)]);
    case 'file':
      return ({ file }) => (file === undefined ? [] : [nameOf(file, 'documents') ?? 'Unknown']);
    case 'tag':
      return ({ tags }) => tags;
    case 'device':
      return ({ activity: { timeline } }) => [timeline.deviceName ?? timeline.environment ?? 'Unknown'];
    case 'category':
      return ({ activity }) => [categoryOf(activity)];
  }
}

/** `(3) Inbox` and `Inbox (12)` without the number of what is new. */
function withoutCounter(title: string): string {
  if (!title.includes('(')) return title;
  const rest = title.replace(/^\s*\(\d{1,5}\+?\)\s*|\s*\(\d{1,5}\+?\)\s*$/g, '');
  return rest === '' ? title : rest;
}

export function groupKey(key: GroupKey, options: NameOptions): Key {
  if (!isTimeKey(key)) {
    const valuesOf = namesOf(key, options);
    return key === 'application' ? { valuesOf, valueOfTotal: ({ name }) => name } : { valuesOf };
  }
  const text = TIMES[key];
  const valuesOf = (_: Atom, local: WallTime) => [text(local)];
  return key === 'hour' ? { byHour: true, valuesOf } : { valuesOf, valueOfTotal: (_, local) => text(local) };
}

const HOURS = Array.from({ length: 24 }, (_, hour) => `${String(hour).padStart(2, '0')}:00`);

const TIMES: Readonly<Record<TimeKey, (local: WallTime) => string>> = {
  hour: (local) => HOURS[Math.floor((local % DAY) / HOUR)] ?? '',
  day: (local) => dateOf(startOfDay(local)),
  weekday: (local) => WEEKDAYS[dayOfWeek(local)] ?? '',
  week: (local) => dateOf(mondayOf(startOfDay(local))),
  month: (local) => dateOf(startOfDay(local)).slice(0, 7),
};

/** A day has a thousand atoms. */
const dates = new Map<WallTime, string>();

function dateOf(day: WallTime): string {
  return getOrAdd(dates, day, () => formatDate(day));
}
