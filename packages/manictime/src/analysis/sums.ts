import { getOrAdd } from '@deskside/core/base';
import { DAY, dayOfWeek, formatDate, HOUR, startOfDay, type WallTime } from '@deskside/core/dates';
import type { DiagnosticNote } from '@deskside/core/errors';
import type { Snapshot } from '../database/snapshot.ts';
import { hasTags } from '../database/tags.ts';
import { labelOf, type LocalRange, siteOf } from '../database/model/activity.ts';
import { compareTexts } from '../database/model/text.ts';
import { mondayOf, WEEKDAYS } from '../database/model/time.ts';
import { aggregatesLeftOut, aggregatesUsed, noTagsTimeline } from '../database/model/notes.ts';
import { splitByPeriod } from './active-time.ts';
import type { Atom } from './atoms.ts';
import { RangeFacts } from './days.ts';
import { NearNames } from './near-names.ts';
import { readAtoms } from './prepared-days.ts';
import type { PrivacyRules } from './privacy.ts';
import { Stretches, type StretchFacts } from './stretches.ts';
import { dependsOnHour, filterOf, partsOf, type SumFilters } from './sum-filters.ts';
import { nameOf, storedUsage } from './usage.ts';

export const NAME_KEYS = ['application', 'title', 'site', 'file', 'tag', 'device'] as const;
/** From the shortest to the longest. */
export const TIME_KEYS = ['hour', 'day', 'weekday', 'week', 'month'] as const;
export type GroupKey = (typeof NAME_KEYS)[number] | (typeof TIME_KEYS)[number];

export interface SumRequest extends SumFilters {
  readonly range: LocalRange;
  /** At most two. */
  readonly groupBy: readonly GroupKey[];
  /** How many groups by name are listed. */
  readonly top: number;
  /** Whether the caller asked for `top`: then it holds for times, too, if they are the only groups. */
  readonly topGiven: boolean;
  /** Whether groups have stretches: those of many titles take much memory. */
  readonly withStretches: boolean;
}

function isTimeKey(key: GroupKey): key is (typeof TIME_KEYS)[number] {
  return key in TIMES;
}

/** Of all time, or of one group. */
export interface Sum extends Partial<StretchFacts> {
  readonly name: string;
  readonly seconds: number;
  readonly groups?: readonly Sum[];
  /** Seconds in no group: time without a site, file, tag or title. */
  readonly ungrouped?: number;
  /** What `groups` leaves out. */
  readonly others?: { readonly groups: number; readonly seconds: number };
}

export interface SumResult {
  readonly sum: Sum;
  /** Active seconds of the range, before the filters. */
  readonly activeSeconds: number;
  readonly concealed: number;
  readonly notes: readonly DiagnosticNote[];
}

const NAMES: Readonly<Record<(typeof NAME_KEYS)[number], (atom: Atom) => readonly string[]>> = {
  application: ({ activity }) => [labelOf(activity) ?? 'Unknown'],
  title: ({ activity }) => (activity.name === undefined ? [] : [activity.name]),
  site: ({ page }) => (page === undefined ? [] : [siteOf(page)]),
  file: ({ file }) => (file === undefined ? [] : [nameOf(file, 'documents') ?? 'Unknown']),
  tag: ({ tags }) => tags,
  device: ({ activity: { timeline } }) => [timeline.deviceName ?? timeline.environment ?? 'Unknown'],
};

const TIMES: Readonly<Record<(typeof TIME_KEYS)[number], (local: WallTime) => string>> = {
  hour: (local) => HOURS[Math.floor((local % DAY) / HOUR)] ?? '',
  day: (local) => dateOf(startOfDay(local)),
  weekday: (local) => WEEKDAYS[dayOfWeek(local)] ?? '',
  week: (local) => dateOf(mondayOf(startOfDay(local))),
  month: (local) => dateOf(startOfDay(local)).slice(0, 7),
};

const HOURS = Array.from({ length: 24 }, (_, hour) => `${String(hour).padStart(2, '0')}:00`);

/** A day has a thousand atoms. */
const dates = new Map<WallTime, string>();

function dateOf(day: WallTime): string {
  const date = dates.get(day) ?? formatDate(day);
  dates.set(day, date);
  return date;
}

/** Adds up active time by filters and groups. */
export function sumTime(snapshot: Snapshot, request: SumRequest, rules: PrivacyRules): SumResult {
  const { range, groupBy } = request;
  const matches = filterOf(request);
  const facts = new RangeFacts(snapshot, range);
  const root = new SumTree(groupBy, true, request.withStretches);
  const known = namesAskedFor(request);
  const emptyDays = new Set<WallTime>();
  const byHour = groupBy.includes('hour') || dependsOnHour(request);
  for (const day of readAtoms(snapshot, range, rules)) {
    facts.add(day);
    if (!day.isRecorded) emptyDays.add(day.day);
    for (const atom of day.atoms) {
      for (const key of NEAR_KEYS) if (known.asksFor(key)) known.add(key, NAMES[key](atom));
      splitByPeriod(atom, byHour ? HOUR : DAY, (local, start, end) => {
        if (matches(atom, local)) root.add(atom, local, start, end);
      });
    }
  }
  const stored = storedUsage({ snapshot, subject: 'applications', range, grain: DAY, rules }, emptyDays);
  const canAdd = isKnownInSums(request);
  if (canAdd) for (const { item, period, seconds } of stored) root.addStored(item.name, period, seconds);
  const storedDays = [...new Set(stored.map(({ period }) => period))].toSorted((a, b) => a - b);
  const used = canAdd ? stored.reduce((sum, { seconds }) => sum + seconds, 0) : 0;
  const usesTags = groupBy.includes('tag') || known.asksFor('tag');
  return {
    sum: root.result('', request),
    activeSeconds: facts.seconds + used,
    concealed: facts.concealed,
    notes: [
      ...facts.trackingNotes(),
      ...(storedDays.length === 0 ? [] : [(canAdd ? aggregatesUsed : aggregatesLeftOut)(storedDays)]),
      ...(usesTags && !hasTags(snapshot) ? [noTagsTimeline] : []),
      ...facts.privacyNotes(rules),
      ...(facts.seconds + used === 0 ? [facts.emptyNote()] : []),
      ...(root.seconds === 0 && facts.seconds > 0
        ? [known.note('No active time of this range matches these filters.')]
        : []),
    ],
  };
}

/** Titles are too many to tell which are near. */
const NEAR_KEYS = ['application', 'site', 'file', 'tag', 'device'] as const;

function namesAskedFor({ all, any }: SumFilters): NearNames {
  return new NearNames(
    Object.fromEntries(
      [...all, ...any]
        .map(partsOf)
        .flatMap(({ field, text }) => (NEAR_KEYS.some((key) => key === field) ? [[field, text]] : [])),
    ),
  );
}

/** ManicTime's own totals know the application and the day only. */
function isKnownInSums({ all, any, none, groupBy }: SumRequest): boolean {
  const isKnown = groupBy.every((key) => key === 'application' || (isTimeKey(key) && key !== 'hour'));
  return isKnown && all.length + any.length + none.length === 0;
}

/** Time that is not divided. A year has a hundred thousand titles, so it has nothing but a number. */
class Leaf {
  seconds = 0;

  add(_atom: Atom, _local: WallTime, start: number, end: number): void {
    this.seconds += end - start;
  }

  addStored(_application: string, _day: WallTime, seconds: number): void {
    this.seconds += seconds;
  }

  result(name: string): Sum {
    return { name, seconds: this.seconds };
  }
}

/** Time, divided by the first of some keys, and each part by the next. */
class SumTree {
  readonly #keys: readonly GroupKey[];
  readonly #stretches: Stretches | undefined;
  readonly #groups = new Map<string, SumTree | Leaf>();
  readonly #groupsHaveStretches: boolean;
  seconds = 0;
  #ungrouped = 0;

  constructor(keys: readonly GroupKey[], hasStretches: boolean, groupsHaveStretches: boolean) {
    this.#keys = keys;
    this.#stretches = hasStretches ? new Stretches() : undefined;
    this.#groupsHaveStretches = groupsHaveStretches;
  }

  /** @param local start of the hour or day */
  add(atom: Atom, local: WallTime, start: number, end: number): void {
    this.seconds += end - start;
    this.#stretches?.add(atom.activity, start, end);
    const key = this.#keys[0];
    if (key === undefined) return;
    if (isTimeKey(key)) return this.#group(TIMES[key](local)).add(atom, local, start, end);
    const names = NAMES[key](atom);
    if (names.length === 0) this.#ungrouped += end - start;
    for (const name of names) this.#group(name).add(atom, local, start, end);
  }

  addStored(application: string, day: WallTime, seconds: number): void {
    this.seconds += seconds;
    const [key] = this.#keys;
    if (key === undefined) return;
    const value = isTimeKey(key) ? TIMES[key](day) : application;
    this.#group(value).addStored(application, day, seconds);
  }

  #group(value: string): SumTree | Leaf {
    return getOrAdd(this.#groups, value, () => {
      const has = this.#groupsHaveStretches;
      const keys = this.#keys.slice(1);
      return has || keys.length > 0 ? new SumTree(keys, has, has) : new Leaf();
    });
  }

  result(name: string, request: SumRequest): Sum {
    const own = { name, seconds: this.seconds, ...this.#stretches?.facts() };
    const [key] = this.#keys;
    if (key === undefined) return own;
    const { top, topGiven, groupBy } = request;
    const isWhole = isTimeKey(key) && !(topGiven && groupBy.length === 1);
    const groups = this.#groups;
    const listed = isWhole ? [...groups].toSorted(inOrder(key)) : longest(groups, top);
    const others = {
      groups: groups.size - listed.length,
      seconds: secondsOf(groups) - secondsOf(listed),
    };
    return {
      ...own,
      ungrouped: this.#ungrouped,
      groups: listed.map(([value, group]) => group.result(value, request)),
      ...(others.groups === 0 ? {} : { others }),
    };
  }
}

type Group = readonly [name: string, group: SumTree | Leaf];

function secondsOf(groups: Iterable<Group>): number {
  let sum = 0;
  for (const [, { seconds }] of groups) sum += seconds;
  return sum;
}

/** A list of all titles of a year, to sort it, takes much memory. */
function longest(groups: Iterable<Group>, count: number): Group[] {
  const shortened = (list: readonly Group[]) =>
    list
      .toSorted(([a, one], [b, other]) => other.seconds - one.seconds || compareTexts(a, b))
      .slice(0, count);
  let found: Group[] = [];
  for (const group of groups) {
    found.push(group);
    if (found.length > 1000 + 2 * count) found = shortened(found);
  }
  return shortened(found);
}

/** Days of the week from Monday; other times as texts. */
function inOrder(key: GroupKey) {
  const rank = (name: string) => (key === 'weekday' ? String((WEEKDAYS.indexOf(name) + 6) % 7) : name);
  return ([a]: readonly [string, unknown], [b]: readonly [string, unknown]) => compareTexts(rank(a), rank(b));
}
