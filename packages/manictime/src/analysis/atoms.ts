import { getOrAdd } from '@deskside/core/base';
import type { Snapshot } from '../database/snapshot.ts';
import {
  type Activity,
  documentKind,
  type DocumentKind,
  labelOf,
  type Piece,
} from '../database/model/activity.ts';
import { firstPlace, type Interval } from '../database/model/interval.ts';
import { foreground } from './active-time.ts';
import { permittedTexts, type PrivacyRules } from './privacy.ts';

/**
 * Active time during which nothing changes: one window, page, file and set of tags. Atoms are disjoint, and all answers about
 * active time are sums of them.
 */
export interface Atom extends Piece {
  readonly page: Activity | undefined;
  readonly file: Activity | undefined;
  /** Sorted. */
  readonly tags: readonly string[];
  /** The page to show for it: `page`, or one that was open just before. Only for names, never for sums. */
  readonly shownPage: Activity | undefined;
}

/** What active time is cut by, sorted by start. */
export interface Cuts {
  readonly documents: readonly Activity[];
  readonly tags: readonly Activity[];
}

/** A page is still shown this long after it was left. Also the maximum gap between two windows of one browser. */
const TOLERANCE_SECONDS = 5;

const BROWSER =
  /^((google )?chrome|(mozilla )?firefox|(microsoft )?edge|brave( browser)?|opera|safari|vivaldi|arc)$/i;

/** A time with names. */
export interface TagSpan extends Interval {
  readonly names: readonly string[];
}

/**
 * Returns a function that cuts the active time of one day at every change. A page or file counts on the computer of the window
 * only; a tag counts on all.
 */
export function atomCutter(
  snapshot: Snapshot,
  rules: PrivacyRules,
): (active: readonly Piece[], cuts: Cuts) => Atom[] {
  const namesOf = (row: Activity) => permittedTexts(snapshot.tags.of(row), rules);
  return (active, { documents, tags }) => {
    const tagged = spansOf(tags.map((row) => ({ start: row.start, end: row.end, names: namesOf(row) })));
    const devices = new Map<string | undefined, readonly [pages: Piece[], files: Piece[]]>();
    const openedOn = (device: string | undefined) =>
      getOrAdd(devices, device, () => {
        const own = documents.filter(
          ({ timeline: { environment } }) =>
            device === undefined || environment === undefined || environment === device,
        );
        return [piecesOf(own, 'website'), piecesOf(own, 'file')] as const;
      });
    const atoms: Atom[] = [];
    for (const piece of active) {
      const { activity } = piece;
      const [pages, files] = openedOn(activity.timeline.environment);
      const own = namesOf(activity);
      for (let start = piece.start; start < piece.end;) {
        const pageThere = lookAt(pages, start);
        const fileThere = lookAt(files, start);
        const tagsThere = lookAt(tagged, start);
        const end = Math.min(piece.end, pageThere.until, fileThere.until, tagsThere.until);
        const page = pageThere.found?.activity;
        const names = tagsThere.found?.names ?? [];
        atoms.push({
          start,
          end,
          activity,
          page,
          file: fileThere.found?.activity,
          tags: own.length === 0 ? names : sorted([...names, ...own]),
          shownPage: page ?? pageBefore(start, activity, atoms.at(-1), pageThere.before),
        });
        start = end;
      }
    }
    return atoms;
  };
}

/**
 * The page of the atom before, if that had the same application: in a browser until it shows another page, else for 5 seconds.
 * Without one, a browser shows a page that no window had.
 */
function pageBefore(
  start: number,
  activity: Activity,
  previous: Atom | undefined,
  last: Piece | undefined,
): Activity | undefined {
  const label = labelOf(activity);
  const isBrowser = BROWSER.test(label ?? '');
  if (previous !== undefined && label === labelOf(previous.activity)) {
    const follows = start - previous.end <= TOLERANCE_SECONDS;
    if (follows && (isBrowser || previous.page !== undefined)) return previous.shownPage;
  }
  if (last === undefined || start - last.end >= TOLERANCE_SECONDS || !isBrowser) return undefined;
  return previous === undefined || previous.end <= last.start ? last.activity : undefined;
}

function piecesOf(rows: readonly Activity[], kind: DocumentKind): Piece[] {
  const pieces = rows
    .filter((row) => documentKind(row) === kind)
    .map((activity) => ({ start: activity.start, end: activity.end, activity }));
  return foreground(pieces);
}

/**
 * The interval with an instant in it, until when that is so, and the last interval that ended by then.
 *
 * @param intervals sorted and disjoint
 */
function lookAt<Item extends Interval>(intervals: readonly Item[], instant: number) {
  const place = firstPlace(intervals, ({ end }) => end > instant);
  const next = intervals[place];
  const until = next === undefined ? Number.POSITIVE_INFINITY : next.start > instant ? next.start : next.end;
  const found = next !== undefined && next.start <= instant ? next : undefined;
  return { found, until, before: intervals[place - 1] };
}

/** The names at each time: disjoint, sorted, without times that have none. */
export function spansOf(rows: readonly TagSpan[]): TagSpan[] {
  const changes = rows
    .flatMap(({ start, end, names }) =>
      names.length === 0 || end <= start
        ? []
        : [
            { at: start, names, step: 1 },
            { at: end, names, step: -1 },
          ],
    )
    .toSorted((a, b) => a.at - b.at);
  const spans: TagSpan[] = [];
  const open = new Map<string, number>();
  let [start, last] = [0, 0];
  for (const { at, names, step } of changes) {
    if (at > last && open.size > 0) {
      const opened = sorted([...open.keys()]);
      const before = spans.at(-1);
      // A year of rows that follow each other with the same names is a few spans.
      if (before?.end === last && before.names.join('\n') === opened.join('\n')) spans.pop();
      else start = last;
      spans.push({ start, end: at, names: opened });
    }
    last = at;
    for (const name of names) {
      const depth = (open.get(name) ?? 0) + step;
      if (depth === 0) open.delete(name);
      else open.set(name, depth);
    }
  }
  return spans;
}

function sorted(names: readonly string[]): readonly string[] {
  return [...new Set(names)].toSorted();
}
