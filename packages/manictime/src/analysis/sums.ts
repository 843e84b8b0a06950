import type { LocalRange } from '../database/model/activity.ts';
import { compareTexts } from '../database/model/text.ts';
import { WEEKDAYS } from '../database/model/time.ts';
import { noTagsTimeline } from '../database/model/notes.ts';
import { type Group, Sums } from './group.ts';
import { type GroupKey, groupKey, isTimeKey } from './keys.ts';
import type { Needs } from './days.ts';
import { noMatch } from './near-names.ts';
import { type CategorizedSource, countRange } from './range.ts';
import type { StretchFacts } from './stretches.ts';
import { dependsOnHour, filterOf, partsOf, type SumFilters } from './sum-filters.ts';

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
  readonly exactTitles?: boolean;
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

/** Adds up active time by filters and groups. */
export function sumTime(source: CategorizedSource, request: SumRequest) {
  const { snapshot, categoryOf } = source;
  const { range, groupBy, withStretches, exactTitles = false } = request;
  const by = groupBy.map((key) => groupKey(key, { categoryOf, exactTitles }));
  const isFiltered = request.all.length + request.any.length + request.none.length > 0;
  const sums = new Sums({
    by,
    ...(isFiltered ? { where: filterOf(request, categoryOf) } : {}),
    byHour: dependsOnHour(request),
    stretches: withStretches ? 'all' : 'total',
  });
  const asked = { ...source, range };
  const facts = countRange(asked, [sums], { needs: needsOf(request) });
  const terms = [...request.all, ...request.any].map(partsOf);
  const usesTags = groupBy.includes('tag') || terms.some(({ field }) => field === 'tag');
  const nothing = 'No active time of this range matches these filters.';
  return {
    sum: sumOf(sums.total, groupBy, request),
    /** Of the range, before the filters. */
    activeSeconds: facts.seconds + facts.storedSeconds,
    concealed: facts.concealed,
    notes: facts.notes(
      [usesTags && !snapshot.tags.exist(snapshot.timelines) && noTagsTimeline],
      sums.total.seconds === 0 &&
        noMatch(
          asked,
          nothing,
          terms.map(({ field, text }) => [field, text]),
        ),
    ),
  };
}

/** What a window does not tell. `untagged` is a filter for any text. */
const OPENED: ReadonlySet<string> = new Set(['site', 'file', 'tag', 'text']);

function needsOf({ groupBy, all, any, none }: SumRequest): Needs {
  const filtered = [...all, ...any, ...none].map((filter) => partsOf(filter).field);
  return [...groupBy, ...filtered].some((field) => OPENED.has(field)) ? 'all' : 'windows';
}

function sumOf(group: Group, keys: readonly GroupKey[], request: SumRequest): Sum {
  const own = { name: group.name, seconds: group.seconds, ...group.stretches?.facts() };
  const [key, ...more] = keys;
  if (key === undefined) return own;
  const { top, topGiven, groupBy } = request;
  const isWhole = isTimeKey(key) && !(topGiven && groupBy.length === 1);
  const all = group.parts();
  const listed = isWhole ? all.toSorted(inOrder(key)) : all.toSorted(longestFirst).slice(0, top);
  const others = { groups: all.length - listed.length, seconds: secondsOf(all) - secondsOf(listed) };
  return {
    ...own,
    ungrouped: group.ungrouped,
    groups: listed.map((each) => sumOf(each, more, request)),
    ...(others.groups === 0 ? {} : { others }),
  };
}

function longestFirst(a: Group, b: Group): number {
  return b.seconds - a.seconds || compareTexts(a.name, b.name);
}

function secondsOf(groups: readonly Group[]): number {
  return groups.reduce((sum, { seconds }) => sum + seconds, 0);
}

/** Days of the week from Monday; other times as texts. */
function inOrder(key: GroupKey) {
  const rank = (name: string) => (key === 'weekday' ? String((WEEKDAYS.indexOf(name) + 6) % 7) : name);
  return (a: Group, b: Group) => compareTexts(rank(a.name), rank(b.name));
}
