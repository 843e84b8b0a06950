import { formatDate, type WallTime } from '@deskside/core/dates';
import type { DiagnosticNote } from '@deskside/core/errors';
import type { Snapshot } from '../database/snapshot.ts';
import { fileOf, labelOf, localOf, type LocalRange, siteOf } from '../database/model/activity.ts';
import type { Atom } from './atoms.ts';
import { RangeFacts } from './days.ts';
import { NearNames } from './near-names.ts';
import { readAtoms } from './prepared-days.ts';
import type { PrivacyRules } from './privacy.ts';
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
export interface Match {
  readonly localStart: WallTime;
  readonly localEnd: WallTime;
  readonly seconds: number;
  readonly application: string | undefined;
  readonly title: string | undefined;
  readonly document: string | undefined;
  readonly website: string | undefined;
  readonly tags: readonly string[];
}

export interface SearchResult {
  /** In order of time. */
  readonly matches: readonly Match[];
  readonly total: number;
  readonly seconds: number;
  readonly days: readonly { readonly date: string; readonly seconds: number; readonly matches: number }[];
  readonly concealed: number;
  readonly notes: readonly DiagnosticNote[];
}

const NO_MATCH =
  'No activity of this range contains these texts. Use fewer or shorter texts, or a longer range.';

/** Finds active time by application, title, document, website or tag. */
export function search(snapshot: Snapshot, request: SearchRequest, rules: PrivacyRules): SearchResult {
  const { range } = request;
  const isMatch = matcherOf(request.terms);
  const facts = new RangeFacts(snapshot, range);
  const found = new MatchList(request);
  const { application, website, tag } = request.terms;
  const known = new NearNames({ application, website, tag });
  for (const day of readAtoms(snapshot, range, rules)) {
    facts.add(day);
    for (const atom of day.atoms) {
      const { activity, page, file, tags } = atom;
      const fields = {
        application: labelOf(activity),
        title: activity.name,
        document: file === undefined ? undefined : fileOf(file),
        website: page === undefined ? undefined : siteOf(page),
        tags,
      };
      known.add('application', [fields.application]);
      known.add('website', [fields.website]);
      known.add('tag', tags);
      if (isMatch(atom)) found.add(day.day, atom, fields);
    }
  }
  return {
    ...found.finish(),
    concealed: facts.concealed,
    notes: [
      ...facts.trackingNotes(),
      ...facts.privacyNotes(),
      ...(facts.seconds === 0 ? [facts.emptyNote()] : []),
      ...(found.total === 0 && facts.seconds > 0 ? [known.note(NO_MATCH)] : []),
    ],
  };
}

type Fields = Pick<Match, 'application' | 'title' | 'document' | 'website' | 'tags'>;

/** The fields that filters of `sum_time` call otherwise. */
const FIELDS: Readonly<Record<string, string>> = { document: 'file', website: 'site' };

function matcherOf(terms: SearchTerms): (atom: Atom) => boolean {
  const tests = Object.entries(terms).flatMap(([term, text]: [string, string | undefined]) =>
    text === undefined ? [] : [containedIn(FIELDS[term] ?? term, text)],
  );
  return (atom) => tests.every((test) => test(atom));
}

/** Joins matches with the same fields, keeps one page of them, and adds up all. */
class MatchList {
  readonly #request: SearchRequest;
  readonly #matches: Match[] = [];
  readonly #days = new Map<WallTime, { seconds: number; matches: number }>();
  #last: { readonly match: { -readonly [Key in keyof Match]: Match[Key] }; end: number } | undefined;
  total = 0;

  constructor(request: SearchRequest) {
    this.#request = request;
  }

  add(day: WallTime, { start, end, activity }: Atom, fields: Fields): void {
    const ofDay = this.#days.get(day) ?? { seconds: 0, matches: 0 };
    this.#days.set(day, ofDay);
    ofDay.seconds += end - start;
    const last = this.#last;
    if (
      last !== undefined &&
      ofDay.matches > 0 &&
      start - last.end <= MAX_GAP_SECONDS &&
      isSame(last.match, fields)
    ) {
      last.match.localEnd = localOf(activity, end);
      last.match.seconds += end - start;
      last.end = end;
      return;
    }
    ofDay.matches += 1;
    const match = {
      localStart: localOf(activity, start),
      localEnd: localOf(activity, end),
      seconds: end - start,
      ...fields,
    };
    this.#last = { match, end };
    const { offset, limit } = this.#request;
    if (this.total >= offset && this.#matches.length < limit) this.#matches.push(match);
    this.total += 1;
  }

  finish(): Pick<SearchResult, 'matches' | 'total' | 'seconds' | 'days'> {
    const days = Array.from(this.#days, ([day, { seconds, matches }]) => ({
      date: formatDate(day),
      seconds,
      matches,
    }));
    return {
      matches: this.#matches,
      total: this.total,
      seconds: days.reduce((sum, { seconds }) => sum + seconds, 0),
      days,
    };
  }
}

function isSame(a: Fields, b: Fields): boolean {
  return (
    a.application === b.application &&
    a.title === b.title &&
    a.document === b.document &&
    a.website === b.website &&
    a.tags.join('\n') === b.tags.join('\n')
  );
}
