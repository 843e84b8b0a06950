import { DAY, formatDate, type WallTime } from '@deskside/core/dates';
import type { DiagnosticNote } from '@deskside/core/errors';
import {
  fileOf,
  labelOf,
  localOf,
  type LocalRange,
  type Piece,
  siteOf,
  stateOf,
} from '../database/model/activity.ts';
import { piecesIn } from './active-time.ts';
import type { Atom } from './atoms.ts';
import type { Category } from './categories.ts';
import type { Day, Source } from './days.ts';
import { type ItemTotal, largestFirst, Sums, type UsageSubject } from './group.ts';
import { headlineSums, headlineText } from './headline.ts';
import { dayKey, itemKey } from './keys.ts';
import { permittedTexts } from './privacy.ts';
import { type CategorizedSource, countRange, type RangeRequest } from './range.ts';
import { segmentsOf } from './segments.ts';
import { MAX_GAP_SECONDS } from './stretches.ts';
import { tagTotals } from './totals.ts';

/** A span of one lane. */
export interface Bar {
  readonly start: WallTime;
  readonly end: WallTime;
  readonly seconds: number;
  readonly label: string;
  /** A second line: the window title, the address of a page. */
  readonly detail?: string | undefined;
  /** Of a tag: ManicTime's color, `#RRGGBB`. */
  readonly color?: string | undefined;
  /** Of a state of the computer. */
  readonly isActive?: boolean;
  /** Of an application: its kind decides the color. */
  readonly category?: Category;
}

/** What a picture shows of one day. */
export interface DayPicture {
  readonly day: WallTime;
  /** Active seconds. */
  readonly seconds: number;
  /** Active seconds by kind of program. */
  readonly categories: Readonly<Partial<Record<Category, number>>>;
  readonly computer: readonly Bar[];
  readonly applications: readonly Bar[];
  readonly documents: readonly Bar[];
  readonly tags: readonly Bar[];
}

export interface TopItem {
  readonly name: string;
  readonly category?: Category;
  readonly seconds: number;
}

export interface Picture {
  /** All of it in one sentence; undefined without active time. */
  readonly headline: string | undefined;
  readonly days: readonly DayPicture[];
  readonly top: Readonly<Record<UsageSubject | 'tags', readonly TopItem[]>>;
  readonly notes: readonly DiagnosticNote[];
  readonly concealed: number;
}

const MAX_TOP_ITEMS = 10;

/** The lanes of each day of a range, and its top lists. */
export function drawDays(source: CategorizedSource, { range }: RangeRequest): Picture {
  const { snapshot, categoryOf } = source;
  const top = (['applications', 'documents', 'websites'] as const).map(
    (subject) => new Sums({ by: [itemKey(subject)] }),
  );
  const whole = headlineSums();
  const daily = new Sums({ by: [dayKey, { valuesOf: ({ activity }) => [categoryOf(activity)] }] });
  const colors = snapshot.tags.colors(snapshot.timelines);
  const kinds = new Map<string, Category>();
  const lanes: Omit<DayPicture, 'seconds' | 'categories'>[] = [];
  const each = (rows: Day) => {
    for (const atom of rows.atoms) {
      kinds.set(labelOf(atom.activity) ?? 'Unknown', categoryOf(atom.activity));
    }
    lanes.push({
      day: rows.day,
      computer: barsOf(piecesIn(rows.usage, rows.range), ({ activity }) => ({
        label: activity.group?.name ?? activity.name ?? 'Unknown',
        isActive: stateOf(activity) === 'active',
      })),
      applications: applicationBars(rows.atoms, kinds),
      documents: documentBars(rows.atoms),
      tags: tagBars(source, rows, colors),
    });
  };
  const facts = countRange({ ...source, range }, [...top, whole, daily], { each });
  const [applications = [], documents = [], websites = []] = top.map(({ total }) =>
    largestFirst(total.parts()),
  );
  const { totals } = tagTotals(source, { range });
  const tags = totals
    .map(({ name, seconds, activeSeconds }) => ({ name, seconds: activeSeconds ?? seconds }))
    .toSorted((a, b) => b.seconds - a.seconds)
    .slice(0, MAX_TOP_ITEMS);
  const named = (items: readonly ItemTotal[]) =>
    items.slice(0, MAX_TOP_ITEMS).map(({ item: { name }, seconds }) => ({ name, seconds }));
  return {
    headline: headlineText(range, whole, applications, facts),
    days: lanes.map((lane) => {
      const parts = daily.total.of(lane.day)?.parts() ?? [];
      return Object.assign(lane, {
        seconds: whole.total.of(lane.day)?.seconds ?? 0,
        categories: Object.fromEntries(parts.map(({ name, seconds }) => [name, seconds])),
      });
    }),
    top: {
      applications: named(applications).map((item) =>
        Object.assign(item, { category: kinds.get(item.name) ?? ('other' as const) }),
      ),
      documents: named(documents),
      websites: named(websites),
      tags,
    },
    notes: facts.notes(),
    concealed: facts.concealed,
  };
}

function applicationBars(atoms: readonly Atom[], kinds: ReadonlyMap<string, Category>): Bar[] {
  const segments = segmentsOf(atoms, MAX_GAP_SECONDS).map((builder) => builder.segment());
  return segments.map(({ localStart, localEnd, seconds, application, title }) => ({
    start: localStart,
    end: localEnd,
    seconds,
    label: application ?? 'Unknown',
    detail: title,
    category: kinds.get(application ?? 'Unknown') ?? 'other',
  }));
}

function documentBars(atoms: readonly Atom[]): Bar[] {
  const opened = atoms.filter(({ page, file }) => page !== undefined || file !== undefined);
  return barsOf(opened, ({ page, file }) => ({
    label: (page === undefined ? file && fileOf(file) : siteOf(page)) ?? 'Unknown',
    detail: page?.name,
  }));
}

function tagBars(
  { snapshot, rules }: Source,
  rows: Day,
  colors: ReadonlyMap<string, string | undefined>,
): Bar[] {
  const tagged = piecesIn([...rows.tags, ...rows.applications], rows.range)
    .map(({ start, end, activity }) => {
      const label = permittedTexts(snapshot.tags.of(activity), rules).join(', ');
      return { start, end, activity, label };
    })
    .filter(({ label }) => label !== '');
  return barsOf(tagged, ({ label }) => ({
    label,
    color: colors.get(label) ?? colors.get(label.split(', ')[0] ?? ''),
  }));
}

/** Joins neighbors with one label. */
function barsOf<Part extends Piece>(
  pieces: readonly Part[],
  describe: (piece: Part) => Pick<Bar, 'label' | 'detail' | 'color' | 'isActive'>,
): Bar[] {
  const bars: { -readonly [Key in keyof Bar]: Bar[Key] }[] = [];
  let lastEnd = Number.NEGATIVE_INFINITY;
  for (const piece of pieces) {
    const described = describe(piece);
    const last = bars.at(-1);
    const end = localOf(piece.activity, piece.end);
    if (last?.label === described.label && piece.start - lastEnd <= MAX_GAP_SECONDS) {
      // Rows of several computers, and of one tag, overlap.
      if (piece.end <= lastEnd) continue;
      last.end = end;
      last.seconds += piece.end - Math.max(piece.start, lastEnd);
    } else {
      const start = localOf(piece.activity, piece.start);
      bars.push({ start, end, seconds: piece.end - piece.start, ...described });
    }
    lastEnd = piece.end;
  }
  return bars;
}

/** `2026-11-20` or `2026-11-16 to 2026-11-22` */
export function titleOf({ from, to }: LocalRange): string {
  const last = to - DAY;
  return last <= from ? formatDate(from) : `${formatDate(from)} to ${formatDate(last)}`;
}
