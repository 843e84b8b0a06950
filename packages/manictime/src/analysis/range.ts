import { DAY, startOfDay, type WallTime } from '@deskside/core/dates';
import type { DiagnosticNote } from '@deskside/core/errors';
import type { TitleScope } from '../database/activities.ts';
import type { Snapshot } from '../database/snapshot.ts';
import { tagNames } from '../database/tags.ts';
import { emptyRangeNote } from '../database/timelines.ts';
import {
  type Activity,
  labelOf,
  type LocalRange,
  ofKind,
  type Timeline,
  type TimelineKind,
} from '../model/activity.ts';
import { activitiesPrivate, notActive } from '../model/notes.ts';
import type { TrackedRows } from './active-time.ts';
import {
  applyPrivacy,
  applyPrivacyToRows,
  hasRules,
  type PrivacyRules,
  type ScreenTimes,
} from './privacy.ts';

/** Rows that overlap a range, not clipped, sorted by start, with privacy rules applied. */
export interface RangeRows extends TrackedRows {
  readonly documents: readonly Activity[];
  readonly tags: readonly Activity[];
  /** When screenshots may be shown; undefined without rules. */
  readonly screen: ScreenTimes | undefined;
  /** The rows of the range that the rules conceal, as stored. */
  readonly concealed: readonly Activity[];
  /** Those of them that no known window covers. */
  readonly unattributed: readonly Activity[];
  /** The days with application rows before any rule. The other days count with ManicTime's own totals. */
  readonly recordedDays: ReadonlySet<WallTime>;
  /** Number of Applications and ComputerUsage timelines. */
  readonly timelines: { readonly applications: number; readonly usage: number };
}

export interface LoadOptions {
  readonly documents?: boolean;
  readonly tags?: boolean;
  /** False reads no titles of windows, which is much faster. Default true. */
  readonly titles?: boolean;
}

/**
 * Reads the rows of a range with one query. Computer usage is read for whole days: whether a day was tracked
 * must not depend on the requested hours.
 */
export function loadRange(
  snapshot: Snapshot,
  range: LocalRange,
  rules: PrivacyRules,
  { documents = false, tags = false, titles = true }: LoadOptions = {},
): RangeRows {
  const kinds: TimelineKind[] = ['applications', 'usage'];
  // A rule may match the name of a document only.
  if (documents || hasRules(rules)) kinds.push('documents', 'urls');
  if (tags) kinds.push('tags');
  const timelines = ofKind(snapshot.timelines, ...kinds);
  const usageTimelines = ofKind(timelines, 'usage');
  // The state may be in the row's own name, and the name of a document says what it is.
  const titled = timelines.filter(({ kind }) => kind !== 'applications').map(({ reportId }) => reportId);
  // A page over midnight can be private because of its window on the other day.
  const margin = hasRules(rules) ? DAY : 0;
  const days = { from: startOfDay(range.from) - margin, to: startOfDay(range.to + DAY - 1) + margin };
  const read = (scope: TitleScope) => snapshot.activities(timelines, days, scope);
  let rows = read(titles || hasRules(rules) ? 'all' : titled);
  if (!titles && !hasRules(rules) && rows.some(isNameless)) rows = read('all');
  // Rules apply to whole days: what an hour hides must not depend on the requested hours.
  const screen = applyPrivacy(
    { applications: rowsOf(rows, 'applications'), documents: rowsOf(rows, 'documents', 'urls') },
    rules,
  );
  const inRange = (activities: readonly Activity[]) =>
    activities.filter(({ localStart, localEnd }) => localStart < range.to && localEnd > range.from);
  const tagRows = applyTagPrivacy(snapshot, inRange(rowsOf(rows, 'tags')), rules);
  return {
    applications: inRange(screen.applications),
    documents: inRange(screen.documents),
    tags: tagRows.rows,
    screen: screen.screen,
    concealed: [...inRange(screen.concealed), ...tagRows.concealed],
    unattributed: inRange([...screen.unattributed]),
    usage: rowsOf(rows, 'usage'),
    statesEnd: statesEnd(snapshot, usageTimelines, rows),
    recordedDays: daysOf(rowsOf(rows, 'applications')),
    trackedDevices: new Set(
      usageTimelines.map(({ environment }) => environment).filter((device) => device !== undefined),
    ),
    timelines: { applications: ofKind(timelines, 'applications').length, usage: usageTimelines.length },
  };
}

/** A row of a Tags timeline names its tags itself or by a list. */
function applyTagPrivacy(snapshot: Snapshot, rows: readonly Activity[], rules: PrivacyRules) {
  return applyPrivacyToRows(rows, rules, (row) => tagNames(row, snapshot.listedTags).join(', '));
}

function isNameless(row: Activity): boolean {
  return row.timeline.kind === 'applications' && labelOf(row) === undefined;
}

/** @param rows of whole days */
function statesEnd(
  snapshot: Snapshot,
  timelines: readonly Timeline[],
  rows: readonly Activity[],
): Map<string | undefined, number> {
  const ends = new Map<string | undefined, number>();
  const lastApplication = lastOf(rowsOf(rows, 'applications'));
  if (lastApplication === undefined) return ends;
  for (const device of new Set([undefined, ...timelines.map(({ environment }) => environment)])) {
    const own =
      device === undefined ? timelines : timelines.filter(({ environment }) => environment === device);
    const last = lastOf(rows.filter(({ timeline }) => own.includes(timeline)));
    if (last === undefined || last.end >= lastApplication.end) continue;
    if (!snapshot.hasActivityFrom(own, last.localEnd)) ends.set(device, last.end);
  }
  return ends;
}

function lastOf(rows: readonly Activity[]): Activity | undefined {
  let last: Activity | undefined;
  for (const row of rows) if (last === undefined || row.end > last.end) last = row;
  return last;
}

/** The local days that activities touch. */
export function daysOf(activities: readonly Pick<Activity, 'localStart' | 'localEnd'>[]): Set<WallTime> {
  const days = new Set<WallTime>();
  for (const { localStart, localEnd } of activities) {
    // The local clock may have been set back past midnight during the activity.
    const [first, end] = [Math.min(localStart, localEnd), Math.max(localStart + 1, localEnd)];
    for (let day = startOfDay(first); day < end; day += DAY) days.add(day);
  }
  return days;
}

/** The reason why an answer about a range has no active time. */
export function emptyAnswerNote(snapshot: Snapshot, range: LocalRange, rows: RangeRows): DiagnosticNote {
  if (rows.applications.length > 0) return notActive;
  return rows.concealed.length > 0 ? activitiesPrivate : emptyRangeNote(snapshot, range);
}

function rowsOf(activities: readonly Activity[], ...kinds: readonly TimelineKind[]): Activity[] {
  return activities.filter(({ timeline }) => kinds.includes(timeline.kind));
}

export interface RawRows {
  /** The first rows by start. */
  readonly activities: readonly Activity[];
  /** How many rows overlap the range, without excluded ones. */
  readonly total: number;
  /** How many rows of these timelines the rules conceal, and whether a known window is missing for some. */
  readonly concealed: number;
  readonly unattributed: boolean;
}

/** Up to this length all rows of a range are read. For longer ranges the database counts and returns the first rows. */
const SHORT_RANGE_SECONDS = 32 * DAY;

/** Rows of some timelines that overlap a range, clipped neither to the range nor to active time. */
export function rawRows(
  snapshot: Snapshot,
  timelines: readonly Timeline[],
  range: LocalRange,
  limit: number,
  rules: PrivacyRules,
): RawRows {
  const [only, ...others] = timelines;
  const isLong = range.to - range.from > SHORT_RANGE_SECONDS;
  if (only !== undefined && others.length === 0 && isLong && !hasRules(rules)) {
    return { ...snapshot.firstActivities(only, range, limit), concealed: 0, unattributed: false };
  }
  const { rows, ...hidden } = permittedRows(snapshot, timelines, range, rules);
  const activities = rows.toSorted((a, b) => a.localStart - b.localStart || a.activityId - b.activityId);
  return { activities: activities.slice(0, limit), total: activities.length, ...hidden };
}

function permittedRows(
  snapshot: Snapshot,
  timelines: readonly Timeline[],
  range: LocalRange,
  rules: PrivacyRules,
) {
  const ids = new Set(timelines.map(({ reportId }) => reportId));
  const onScreen = new Set(['applications', 'documents', 'urls']);
  const alone = timelines.filter(({ kind }) => !onScreen.has(kind));
  const rows = snapshot.activities(alone, range);
  const tags = applyTagPrivacy(snapshot, rowsOf(rows, 'tags'), rules);
  const others = applyPrivacyToRows(
    rows.filter(({ timeline }) => timeline.kind !== 'tags'),
    rules,
  );
  const own = [...tags.rows, ...others.rows];
  const concealed = tags.concealed.length + others.concealed.length;
  if (alone.length === timelines.length) return { rows: own, concealed, unattributed: false };
  const screen = loadRange(snapshot, range, rules, { documents: true });
  const ofTimelines = ({ timeline }: Activity) => ids.has(timeline.reportId);
  return {
    rows: [...own, ...[...screen.applications, ...screen.documents].filter(ofTimelines)],
    concealed: concealed + screen.concealed.filter(ofTimelines).length,
    unattributed: screen.unattributed.some(ofTimelines),
  };
}
