import { formatDate } from '@deskside/core/dates';
import { labelOf, localOf, type LocalRange } from '../database/model/activity.ts';
import type { Atom } from './atoms.ts';
import type { Day } from './days.ts';
import { noMatch } from './near-names.ts';
import { type CategorizedSource, countRange } from './range.ts';
import { openedIn, type Segment } from './segments.ts';
import { MAX_GAP_SECONDS } from './stretches.ts';
import { containedIn } from './sum-filters.ts';

/** Each text must be contained in its field, as {@link containedIn} compares them. */
export interface SearchTerms {
  /** In any of the other fields, or in the address of a page. */
  readonly text?: string | undefined;
  readonly application?: string | undefined;
  readonly title?: string | undefined;
  readonly document?: string | undefined;
  readonly website?: string | undefined;
  readonly tag?: string | undefined;
}

export interface SearchRequest {
  readonly range: LocalRange;
  readonly terms: SearchTerms;
  /** How many matches are skipped. */
  readonly offset: number;
  readonly limit: number;
}

/** Active time with one title, website, document and set of tags, without longer interruptions. */
export type Match = Pick<
  Segment,
  'localStart' | 'localEnd' | 'seconds' | 'application' | 'title' | 'website' | 'document' | 'tags'
>;

const NO_MATCH =
  'No activity of this range contains these texts. Use fewer or shorter texts, or a longer range.';

/** Finds active time by application, title, document, website or tag, and keeps one page of it. */
export function search(source: CategorizedSource, request: SearchRequest) {
  const { range, offset, limit } = request;
  const isMatch = matcherOf(request.terms);
  const matches: Match[] = [];
  const days: { date: string; seconds: number; matches: number }[] = [];
  let total = 0;
  const each = (day: Day) => {
    const ofDay = { date: formatDate(day.day), seconds: 0, matches: 0 };
    let last: { match: { -readonly [Key in keyof Match]: Match[Key] }; id: string; end: number } | undefined;
    for (const atom of day.atoms) {
      if (!isMatch(atom)) continue;
      const { start, end, activity, page, tags } = atom;
      const fields = { application: labelOf(activity), ...openedIn(atom, page), tags };
      const id = JSON.stringify(fields);
      const [localStart, localEnd, seconds] = [localOf(activity, start), localOf(activity, end), end - start];
      ofDay.seconds += seconds;
      if (last?.id === id && start - last.end <= MAX_GAP_SECONDS) {
        last.match.localEnd = localEnd;
        last.match.seconds += seconds;
        last.end = end;
        continue;
      }
      last = { match: { localStart, localEnd, seconds, ...fields }, id, end };
      if (total >= offset && matches.length < limit) matches.push(last.match);
      total += 1;
      ofDay.matches += 1;
    }
    if (ofDay.matches > 0) days.push(ofDay);
  };
  const asked = { ...source, range };
  const facts = countRange(asked, [], { each });
  return {
    matches,
    total,
    seconds: days.reduce((sum, { seconds }) => sum + seconds, 0),
    days,
    concealed: facts.concealed,
    notes: facts.notes([], total === 0 && noMatch(asked, NO_MATCH, Object.entries(request.terms))),
  };
}

/** The fields that filters of `sum_time` call otherwise. */
const FIELDS: Readonly<Record<string, string>> = { document: 'file', website: 'site' };

function matcherOf(terms: SearchTerms): (atom: Atom) => boolean {
  const tests = Object.entries(terms).flatMap(([term, text]: [string, string | undefined]) =>
    text === undefined ? [] : [containedIn(FIELDS[term] ?? term, text)],
  );
  return (atom) => tests.every((test) => test(atom));
}
