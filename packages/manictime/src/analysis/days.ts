import { DAY, startOfDay, type WallTime } from '@deskside/core/dates';
import type { DiagnosticNote } from '@deskside/core/errors';
import { byStart, type Snapshot } from '../database/snapshot.ts';
import { tagNames } from '../database/tags.ts';
import { emptyRangeNote } from '../database/timelines.ts';
import {
  type Activity,
  type LocalRange,
  ofKind,
  type Timeline,
  type TimelineKind,
  touches,
} from '../database/model/activity.ts';
import {
  activitiesPrivate,
  noApplicationsTimeline,
  notActive,
  notYetAttributable,
  noUsageTimeline,
  unknownUsageStates,
} from '../database/model/notes.ts';
import { type ActiveTime, activeTime, type TrackedRows } from './active-time.ts';
import {
  applyPrivacyToRows,
  hasRules,
  privacyFilter,
  type PrivacyRules,
  type ScreenTimes,
} from './privacy.ts';

/** The rows that overlap one day of a range, not clipped, sorted by start, with privacy rules applied. */
export interface DayRows extends TrackedRows {
  /** The part of the range on this day. */
  readonly range: LocalRange;
  /** Midnight at the start of the day. */
  readonly day: WallTime;
  readonly documents: readonly Activity[];
  readonly tags: readonly Activity[];
  /** When screenshots may be shown; undefined without rules. */
  readonly screen: ScreenTimes | undefined;
  /** The rows of this part of the range that the rules conceal, as stored. */
  readonly concealed: readonly Activity[];
  /** Those of them that no known window covers. */
  readonly unattributed: readonly Activity[];
  /** Whether the day has application rows before any rule. Other days count with ManicTime's own totals. */
  readonly isRecorded: boolean;
  /** Whether the day has rows of a Tags timeline before any rule, if they are read. */
  readonly isTagged: boolean;
}

export interface DayOptions {
  readonly documents?: boolean;
  readonly tags?: boolean;
}

/**
 * Reads a range with one query, day by day: memory holds the rows of a few days, however long the range is. Computer
 * usage and privacy rules cover whole days: neither depends on the requested hours.
 */
export function* readDays(
  snapshot: Snapshot,
  range: LocalRange,
  rules: PrivacyRules,
  options: DayOptions = {},
): Generator<DayRows> {
  const timelines = timelinesFor(snapshot.timelines, rules, options);
  // A page over midnight can be private because of its window on the other day.
  const margin = hasRules(rules) ? DAY : 0;
  const whole = { from: startOfDay(range.from) - margin, to: startOfDay(range.to + DAY - 1) + margin };
  const batches = snapshot.batches(timelines, whole);
  const dayRows = dayRowsOf(snapshot, timelines, rules);
  let open: Activity[] = [];
  try {
    let batch = batches.next();
    for (let day = startOfDay(range.from); day < range.to; day += DAY) {
      const window = { from: day - margin, to: day + DAY + margin };
      open = open.filter(({ localStart, localEnd }) => Math.max(localStart, localEnd) > window.from);
      for (; batch.done !== true && batch.value.day < window.to; batch = batches.next()) {
        for (const activity of batch.value.activities) open.push(activity);
      }
      const part = { from: Math.max(day, range.from), to: Math.min(day + DAY, range.to) };
      yield dayRows(day, part, within(open, window).toSorted(byStart));
    }
  } finally {
    batches.return(undefined);
  }
}

function timelinesFor(
  timelines: readonly Timeline[],
  rules: PrivacyRules,
  { documents = false, tags = false }: DayOptions,
): Timeline[] {
  const kinds: TimelineKind[] = ['applications', 'usage'];
  // A rule may match the name of a document only.
  if (documents || hasRules(rules)) kinds.push('documents', 'urls');
  if (tags) kinds.push('tags');
  return ofKind(timelines, ...kinds);
}

function dayRowsOf(snapshot: Snapshot, timelines: readonly Timeline[], rules: PrivacyRules) {
  const filter = privacyFilter(rules);
  const usageTimelines = ofKind(timelines, 'usage');
  const trackedDevices = new Set(
    usageTimelines.map(({ environment }) => environment).filter((device) => device !== undefined),
  );
  return (day: WallTime, range: LocalRange, rows: readonly Activity[]): DayRows => {
    const ofDay = (activities: readonly Activity[]) => within(activities, { from: day, to: day + DAY });
    const applications = rowsOf(rows, 'applications');
    const screen = filter({ applications, documents: rowsOf(rows, 'documents', 'urls') });
    const tags = applyTagPrivacy(snapshot, within(rowsOf(rows, 'tags'), range), rules);
    const usage = ofDay(rowsOf(rows, 'usage'));
    return {
      day,
      range,
      applications: within(screen.applications, range),
      documents: within(screen.documents, range),
      tags: tags.rows,
      screen: screen.screen,
      concealed: [...within(screen.concealed, range), ...tags.concealed],
      unattributed: within([...screen.unattributed], range),
      usage,
      statesEnd: statesEnd(snapshot, usageTimelines, ofDay(applications), usage),
      isRecorded: ofDay(applications).length > 0,
      isTagged: ofDay(rowsOf(rows, 'tags')).length > 0,
      trackedDevices,
    };
  };
}

function within(activities: readonly Activity[], range: LocalRange): Activity[] {
  return activities.filter((activity) => touches(activity, range));
}

export function rowsOf(activities: readonly Activity[], ...kinds: readonly TimelineKind[]): Activity[] {
  return activities.filter(({ timeline }) => kinds.includes(timeline.kind));
}

/** A row of a Tags timeline names its tags itself or by a list. */
export function applyTagPrivacy(snapshot: Snapshot, rows: readonly Activity[], rules: PrivacyRules) {
  return applyPrivacyToRows(rows, rules, (row) => tagNames(row, snapshot.listedTags).join(', '));
}

function statesEnd(
  snapshot: Snapshot,
  timelines: readonly Timeline[],
  applications: readonly Activity[],
  usage: readonly Activity[],
): Map<string | undefined, number> {
  const ends = new Map<string | undefined, number>();
  const lastApplication = lastOf(applications);
  if (lastApplication === undefined) return ends;
  for (const device of new Set([undefined, ...timelines.map(({ environment }) => environment)])) {
    const own =
      device === undefined ? timelines : timelines.filter(({ environment }) => environment === device);
    const last = lastOf(usage.filter(({ timeline }) => own.includes(timeline)));
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

/** Adds up over the days of a range what every answer reports about it. */
export class RangeFacts {
  /** Seconds of active time. */
  seconds = 0;
  /** How many rows the rules conceal. */
  concealed = 0;
  /** How many of them no known window covers. */
  unattributed = 0;
  readonly #snapshot: Snapshot;
  readonly #range: LocalRange;
  #hasApplications = false;
  #hasUnknownStates = false;

  constructor(snapshot: Snapshot, range: LocalRange) {
    this.#snapshot = snapshot;
    this.#range = range;
  }

  /** Call it once per day, in order. Returns the active time of the day. */
  add(rows: DayRows): ActiveTime {
    const active = activeTime(rows, rows.range);
    for (const { start, end } of active.pieces) this.seconds += end - start;
    // A row over midnight is in both days and counts once.
    const isNew = ({ localStart }: Activity) =>
      localStart >= rows.range.from || rows.range.from === this.#range.from;
    this.concealed += rows.concealed.filter(isNew).length;
    this.#hasApplications ||= rows.applications.length > 0;
    this.unattributed += rows.unattributed.filter(isNew).length;
    this.#hasUnknownStates ||= active.unknownStates;
    return active;
  }

  /** What is missing for active time. */
  trackingNotes(): DiagnosticNote[] {
    const { timelines } = this.#snapshot;
    return [
      ...(ofKind(timelines, 'applications').length === 0 ? [noApplicationsTimeline] : []),
      ...(this.#hasUnknownStates ? [unknownUsageStates] : []),
      ...(ofKind(timelines, 'usage').length === 0 && this.seconds > 0 ? [noUsageTimeline] : []),
    ];
  }

  /** What the rules hide because its window is not known yet. */
  privacyNotes(): DiagnosticNote[] {
    return this.unattributed > 0 ? [notYetAttributable] : [];
  }

  /** The reason why an answer about the range has no active time. */
  emptyNote(): DiagnosticNote {
    if (this.#hasApplications) return notActive;
    return this.concealed > 0 ? activitiesPrivate : emptyRangeNote(this.#snapshot, this.#range);
  }
}
