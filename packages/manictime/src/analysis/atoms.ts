import { getOrAdd } from '@deskside/core/base';
import type { Snapshot } from '../database/snapshot.ts';
import {
  type Activity,
  documentKind,
  type DocumentKind,
  labelOf,
  type Piece,
} from '../database/model/activity.ts';
import type { Interval } from '../database/model/interval.ts';
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
    const tagged = new Layer(
      spansOf(tags.map((row) => ({ start: row.start, end: row.end, names: namesOf(row) }))),
    );
    const devices = new Map<string | undefined, readonly [pages: Layer<Piece>, files: Layer<Piece>]>();
    const layersOf = (device: string | undefined) =>
      getOrAdd(devices, device, () => {
        const own = documents.filter(
          ({ timeline: { environment } }) =>
            device === undefined || environment === undefined || environment === device,
        );
        return [layerOf(own, 'website'), layerOf(own, 'file')] as const;
      });
    const atoms: Atom[] = [];
    for (const piece of active) {
      const { activity } = piece;
      const [pages, files] = layersOf(activity.timeline.environment);
      const own = namesOf(activity);
      for (let start = piece.start; start < piece.end;) {
        const page = pages.at(start)?.activity;
        const file = files.at(start)?.activity;
        const names = tagged.at(start)?.names ?? [];
        const end = Math.min(
          piece.end,
          pages.changeAfter(start),
          files.changeAfter(start),
          tagged.changeAfter(start),
        );
        atoms.push({
          start,
          end,
          activity,
          page,
          file,
          tags: own.length === 0 ? names : sorted([...names, ...own]),
          shownPage: page ?? pageBefore(start, activity, atoms.at(-1), pages),
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
  pages: Layer<Piece>,
): Activity | undefined {
  const label = labelOf(activity);
  const isBrowser = BROWSER.test(label ?? '');
  if (previous !== undefined && label === labelOf(previous.activity)) {
    const follows = start - previous.end <= TOLERANCE_SECONDS;
    if (follows && (isBrowser || previous.page !== undefined)) return previous.shownPage;
  }
  const last = pages.before(start);
  if (last === undefined || start - last.end >= TOLERANCE_SECONDS || !isBrowser) return undefined;
  return previous === undefined || previous.end <= last.start ? last.activity : undefined;
}

function layerOf(rows: readonly Activity[], kind: DocumentKind): Layer<Piece> {
  const pieces = rows
    .filter((row) => documentKind(row) === kind)
    .map((activity) => ({ start: activity.start, end: activity.end, activity }));
  return new Layer(foreground(pieces));
}

/** Intervals that are sorted and disjoint, read from the first to the last. */
class Layer<Item extends Interval> {
  readonly #items: readonly Item[];
  #next = 0;

  constructor(items: readonly Item[]) {
    this.#items = items;
  }

  /** @param instant not before that of an earlier call */
  at(instant: number): Item | undefined {
    for (let item = this.#items[this.#next]; item !== undefined && item.end <= instant;) {
      this.#next += 1;
      item = this.#items[this.#next];
    }
    const found = this.#items[this.#next];
    return found !== undefined && found.start <= instant ? found : undefined;
  }

  /** When {@link at} would return something else. */
  changeAfter(instant: number): number {
    const item = this.#items[this.#next];
    if (item === undefined) return Number.POSITIVE_INFINITY;
    return item.start > instant ? item.start : item.end;
  }

  /** The last interval that ended at or before the instant of the last call of {@link at}. */
  before(instant: number): Item | undefined {
    const item = this.#items[this.#next - 1];
    return item !== undefined && item.end <= instant ? item : undefined;
  }
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
