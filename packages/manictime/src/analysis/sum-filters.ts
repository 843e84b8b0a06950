import { DAY, dayOfWeek, HOUR, type WallTime } from '@deskside/core/dates';
import { UserError } from '@deskside/core/errors';
import { fileOf, labelOf, siteOf } from '../database/model/activity.ts';
import { WEEKDAYS } from '../database/model/time.ts';
import type { Atom } from './atoms.ts';
import { CATEGORIES, type Categorizer } from './categories.ts';
import { nameOf } from './keys.ts';
import { containing } from './fold.ts';

type Reader = (atom: Atom) => readonly (string | undefined)[];

/** Fields that a filter can name: names that many atoms share, and other texts. */
const TEXTS: Readonly<Record<string, { readonly names?: Reader; readonly texts?: Reader }>> = {
  application: {
    names: ({ activity }) => [labelOf(activity), activity.group?.key, activity.group?.commonKey],
  },
  title: { texts: ({ activity }) => [activity.name] },
  site: {
    names: ({ page }) => (page === undefined ? [] : [siteOf(page)]),
    texts: ({ page }) => [page?.name],
  },
  file: { names: ({ file }) => (file === undefined ? [] : [nameOf(file, 'documents'), fileOf(file)]) },
  device: { names: ({ activity: { timeline } }) => [timeline.deviceName ?? timeline.environment] },
};

const FIELDS = [...Object.keys(TEXTS), 'tag', 'category', 'text', 'weekday', 'hour'];

/** Fields of an atom that answers list. */
const LISTED = ['application', 'title', 'site', 'file'];

/** All texts of the lists, as {@link filterOf} reads them: `field:text`, a text, or `untagged`. */
export interface SumFilters {
  readonly all: readonly string[];
  readonly any: readonly string[];
  readonly none: readonly string[];
}

/** @param local start of the hour or day */
type Test = (atom: Atom, local: WallTime) => boolean;

/**
 * Whether an atom, or its part in an hour, matches all filters of `all`, at least one of `any` (if it has some) and none of `none`.
 *
 * @throws UserError INVALID_ARGUMENT
 */
export function filterOf({ all, any, none }: SumFilters, categoryOf: Categorizer): Test {
  const testsOf = (list: readonly string[]) => list.map((filter) => testOf(filter, categoryOf));
  const [every, some, never] = [testsOf(all), testsOf(any), testsOf(none)] as const;
  return (atom, local) =>
    every.every((test) => test(atom, local)) &&
    (some.length === 0 || some.some((test) => test(atom, local))) &&
    !never.some((test) => test(atom, local));
}

/** Whether one hour of an atom can match and another not. */
export function dependsOnHour({ all, any, none }: SumFilters): boolean {
  return [...all, ...any, ...none].some((filter) => partsOf(filter).field === 'hour');
}

export function partsOf(filter: string): { readonly field: string; readonly text: string } {
  const [, field, text] = /^\s*([a-z]+)\s*:(?!\/\/)(.*)$/is.exec(filter) ?? [];
  if (field === undefined || text === undefined) return { field: 'text', text: filter };
  return { field: field.toLowerCase() === 'app' ? 'application' : field.toLowerCase(), text };
}

function testOf(filter: string, categoryOf: Categorizer): Test {
  if (filter.trim().toLowerCase() === 'untagged') return ({ tags }) => tags.length === 0;
  const { field, text } = partsOf(filter);
  if (text.trim() === '') throw invalid(filter);
  if (field === 'weekday') {
    const names = text.toLowerCase().match(/[^\s,]+/g) ?? [];
    const days = new Set(
      names.map((name) => WEEKDAYS.findIndex((day) => name.length > 2 && day.toLowerCase().startsWith(name))),
    );
    if (days.has(-1)) throw invalid(filter);
    return (_, local) => days.has(dayOfWeek(local));
  }
  if (field === 'hour') {
    const [, from, to] = /^\s*(\d{1,2})\s*-\s*(\d{1,2})\s*$/.exec(text) ?? [];
    const [first, last] = [Number(from), Number(to)];
    if (from === undefined || first > 24 || last > 24) throw invalid(filter);
    return (_, local) => {
      const hour = Math.floor((local % DAY) / HOUR);
      return first < last ? hour >= first && hour < last : hour >= first || hour < last;
    };
  }
  if (field === 'category') {
    const category = CATEGORIES.find((each) => each === text.trim().toLowerCase());
    if (category === undefined) throw invalid(filter);
    return ({ activity }) => categoryOf(activity) === category;
  }
  if (field !== 'tag' && field !== 'text' && TEXTS[field] === undefined) throw invalid(filter);
  return containedIn(field, text, [...LISTED, 'device']);
}

/**
 * Whether a field of an atom contains all words of a text.
 *
 * @param anywhere the fields of `text`, beside the tags
 */
export function containedIn(field: string, text: string, anywhere = LISTED): (atom: Atom) => boolean {
  const contains = containing(text);
  if (field === 'tag') return ({ tags }) => tags.some((tag) => contains([tag]));
  const fields = (field === 'text' ? anywhere : [field]).flatMap((each) => TEXTS[each] ?? []);
  return (atom) => {
    const names: (string | undefined)[] = field === 'text' ? [...atom.tags] : [];
    const texts: (string | undefined)[] = [];
    for (const of of fields) {
      if (of.names !== undefined) for (const name of of.names(atom)) names.push(name);
      if (of.texts !== undefined) for (const text of of.texts(atom)) texts.push(text);
    }
    return contains(names, texts);
  };
}

function invalid(filter: string): UserError {
  return new UserError({
    code: 'INVALID_ARGUMENT',
    error: `"${filter}" is not a valid filter.`,
    hint: `Pass untagged, or FIELD:TEXT with one of the fields ${FIELDS.join(', ')}: for example application:code, weekday:monday, hour:9-17, text:"quarterly report".`,
  });
}
