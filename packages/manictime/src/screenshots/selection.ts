import { parseWallTime, type WallTime } from '@deskside/core/dates';
import { type DiagnosticNote, errnoOf } from '@deskside/core/errors';
import type { Asked, Day } from '../analysis/days.ts';
import { countRange } from '../analysis/range.ts';
import type { ScreenTimes } from '../analysis/private-rows.ts';
import type { Segment } from '../analysis/segments.ts';
import type { Checkpoint, TimeBase } from '../database/snapshot.ts';
import { type Activity, labelOf, type LocalRange } from '../database/model/activity.ts';
import { firstPlace, type Interval, intervalAt } from '../database/model/interval.ts';
import { degraded, explained, notYetAttributable } from '../database/model/notes.ts';
import type { ScreenshotFolder } from './folder.ts';
import type { TakenShot } from './shot.ts';

export type SamplingStrategy = 'activity_transition' | 'interval';

export interface Sample {
  /** Ordered by time. */
  readonly shots: readonly TakenShot[];
  /** The strategy that was used. Without transitions it is `interval`. */
  readonly sampling: SamplingStrategy;
}

/** A screenshot within this time of a transition belongs to it. */
const TRANSITION_SECONDS = 120;

/**
 * At most `maxCount` screenshots, spread over all of them. Screenshots of several monitors at one moment stay
 * together. Returns all of them if they fit.
 *
 * @param transitions when the foreground window changed, ordered
 */
export function sample(
  shots: readonly TakenShot[],
  maxCount: number,
  strategy: SamplingStrategy,
  transitions: readonly number[],
): Sample {
  if (shots.length <= maxCount) return { shots, sampling: strategy };
  const moments = Array.from(
    Map.groupBy(shots, ({ instant }) => instant),
    ([instant, ofMoment]) => ({ instant, shots: ofMoment }),
  );
  const perMoment = moments.reduce((most, { shots }) => Math.max(most, shots.length), 1);
  const room = Math.max(1, Math.floor(maxCount / perMoment));
  const chosen = strategy === 'activity_transition' ? nearTransitions(moments, transitions) : [];
  const sampling = chosen.length === 0 ? 'interval' : strategy;
  const picked = pickEvenly(chosen.length === 0 ? moments : chosen, room).flatMap(({ shots }) => shots);
  return { shots: picked.slice(0, maxCount), sampling };
}

/** The screenshots of all monitors at one time. */
interface Moment {
  readonly instant: number;
  readonly shots: readonly TakenShot[];
}

/** Picks items at even distances, including the first and the last. */
function pickEvenly<Item>(items: readonly Item[], count: number): Item[] {
  if (items.length <= count) return [...items];
  if (count === 1) return items.slice(0, 1);
  const places = Array.from({ length: count }, (_, index) =>
    Math.round((index * (items.length - 1)) / (count - 1)),
  );
  return places.flatMap((place) => items.slice(place, place + 1));
}

/** The moment nearest to each transition. */
function nearTransitions(moments: readonly Moment[], transitions: readonly number[]): Moment[] {
  const near = transitions.flatMap((instant) => {
    const moment = nearest(moments, instant);
    return moment !== undefined && Math.abs(moment.instant - instant) <= TRANSITION_SECONDS ? [moment] : [];
  });
  return [...new Set(near)];
}

/** The item nearest to a time, the first of equals. @param items ordered by their time */
function nearest<Item extends { readonly instant: number }>(
  items: readonly Item[],
  time: number,
): Item | undefined {
  const place = firstPlace(items, ({ instant }) => instant >= time);
  const distance = ({ instant }: Item) => Math.abs(instant - time);
  return items.slice(Math.max(0, place - 1), place + 1).toSorted((a, b) => distance(a) - distance(b))[0];
}

/**
 * Screenshots without those taken while something private, or nothing known, was in the foreground, and how many are `hidden`.
 * Of these no known window covers the `unattributed` ones. If rows have local times only, these are the instants of the shots.
 *
 * @param screen undefined if no rule exists
 */
export function visibleShots(
  taken: readonly TakenShot[],
  screen: ScreenTimes | undefined,
  timeBase: TimeBase,
) {
  const shots =
    timeBase === 'utc' ? taken : taken.map((shot) => Object.assign({}, shot, { instant: shot.local }));
  if (screen === undefined) return { shots, hidden: 0, unattributed: 0 };
  let unattributed = 0;
  const shown = shots.filter(({ instant }) => {
    if (intervalAt(screen.hidden, instant) !== undefined) return false;
    const isKnown = intervalAt(screen.known, instant) !== undefined;
    if (!isKnown) unattributed += 1;
    return isKnown;
  });
  return { shots: shown, hidden: shots.length - shown.length, unattributed };
}

/**
 * For each interval, the screenshot inside it that is nearest to its middle.
 *
 * @param intervals in any order
 */
function nearestShots(
  intervals: readonly Interval[],
  shots: readonly TakenShot[],
): (TakenShot | undefined)[] {
  const ordered = shots.toSorted((a, b) => a.instant - b.instant);
  return intervals.map(({ start, end }) => {
    const shot = nearest(ordered, (start + end) / 2);
    return shot !== undefined && shot.instant >= start && shot.instant < end ? shot : undefined;
  });
}

/** What the database contributes to the selection of screenshots in a range. */
export type ScreenRecord = ReturnType<typeof loadScreenRecord>;

export function loadScreenRecord(asked: Asked) {
  /** When the foreground window changed, ordered. */
  const transitions: number[] = [];
  let last: Activity | undefined;
  const each = (day: Day) => {
    for (const row of day.applications) {
      if (last !== undefined && (last.name !== row.name || labelOf(last) !== labelOf(row)))
        transitions.push(row.start);
      last = row;
    }
  };
  const { screen, concealed } = countRange(asked, [], { each });
  return { timeBase: asked.snapshot.timeBase, screen, transitions, concealed };
}

const absent = degraded(
  'ScreenshotDirectoryAbsent',
  'The screenshots folder does not exist. Switch on screenshots in ManicTime, or set MANICTIME_SCREENSHOTS_DIR if they are stored in another folder.',
);

const empty = degraded(
  'ScreenshotDirectoryEmpty',
  "The screenshots folder contains no screenshot. ManicTime deletes screenshots after some days. Check ManicTime's settings for taking and keeping screenshots.",
);

export const screenshotsUnreadable = degraded(
  'ScreenshotsUnreadable',
  'The screenshots folder cannot be read. Check that this account can read it.',
);

const allPrivate = explained(
  'ScreenshotsPrivate',
  'The privacy rules of the person (MANICTIME_EXCLUDE, MANICTIME_REDACT) hide all screenshots of this range.',
);

/** What is wrong with a folder of screenshots. */
export const FOLDER_NOTES = { absent, empty, unreadable: screenshotsUnreadable };

/** What is wrong with the folder of screenshots; undefined if it has some. */
async function missingScreenshotsNote(folder: ScreenshotFolder): Promise<DiagnosticNote | undefined> {
  const { kind } = await folder.state();
  return kind === 'present' ? undefined : FOLDER_NOTES[kind];
}

/** The reason why no screenshot is listed. */
export async function noScreenshotsNote(
  folder: ScreenshotFolder,
  range: LocalRange,
  hidden: boolean,
): Promise<DiagnosticNote> {
  const state = await folder.state();
  if (state.kind !== 'present') return FOLDER_NOTES[state.kind];
  if (hidden) return allPrivate;
  const { firstDay, lastDay } = state;
  const known = `Screenshots exist from ${firstDay} to ${lastDay}. `;
  if (range.to <= (parseWallTime(firstDay) ?? 0))
    return explained('Retention', `${known}ManicTime deletes older ones according to its settings.`);
  return explained(
    'NoScreenshotsInRange',
    `${known}None was taken in this range: the computer was off or idle, or screenshots were paused.`,
  );
}

export interface SegmentWithScreenshot extends Segment {
  readonly screenshotRef?: string | undefined;
  /** When the screenshot was taken. */
  readonly takenAt?: WallTime | undefined;
}

/** Finds a screenshot for each segment, and suggests a few of them. */
export async function addScreenshots(
  { segments, screen }: { readonly segments: readonly Segment[]; readonly screen: ScreenTimes | undefined },
  range: LocalRange,
  timeBase: TimeBase,
  screenshots: ScreenshotFolder,
  checkpoint: Checkpoint,
) {
  const none = { segments, suggestions: [], notes: [], hiddenShots: 0 };
  if (segments.length === 0 && screen === undefined) return none;
  try {
    // Without rules only the screenshots of the segments matter, not how many the range has.
    const taken = await screenshots.shotsIn(screen === undefined ? spanOf(segments) : range, checkpoint);
    const missing =
      taken.length === 0 && segments.length > 0 ? await missingScreenshotsNote(screenshots) : undefined;
    const visible = visibleShots(taken, screen, timeBase);
    const shots = nearestShots(segments, visible.shots);
    const illustrated = segments.map((segment, index) => ({
      ...segment,
      screenshotRef: shots[index]?.reference,
      takenAt: shots[index]?.local,
    }));
    return {
      segments: illustrated,
      suggestions: suggestScreenshots(illustrated),
      notes: [
        ...(visible.unattributed > 0 ? [notYetAttributable] : []),
        ...(missing === undefined ? [] : [missing]),
      ],
      hiddenShots: visible.hidden,
    };
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    return { ...none, notes: [screenshotsUnreadable] };
  }
}

function spanOf(segments: readonly Segment[]): LocalRange {
  const from = Math.min(...segments.map(({ localStart }) => localStart));
  return { from, to: Math.max(from, ...segments.map(({ localEnd }) => localEnd)) };
}

export interface Suggestion {
  readonly screenshotRef: string;
  readonly takenAt: WallTime;
  readonly application: string | undefined;
  readonly hint: 'long session' | 'app transition';
}

const MAX_SUGGESTIONS = 5;
/** How many of the longest segments are candidates. */
const MAX_LONG_SEGMENTS = 5;
/** Minimum time between two suggestions. */
const MIN_DISTANCE_SECONDS = 300;

/** Suggests screenshots of the longest segments and of changes of the application, spread over the range. */
function suggestScreenshots(segments: readonly SegmentWithScreenshot[]): Suggestion[] {
  const longestFirst = segments.toSorted((a, b) => b.seconds - a.seconds);
  const long = new Set(longestFirst.slice(0, MAX_LONG_SEGMENTS));
  const changed = new Set(
    segments.filter(({ application }, index) => segments[index - 1]?.application !== application),
  );
  const chosen: Suggestion[] = [];
  for (const segment of longestFirst) {
    const { screenshotRef, takenAt, application } = segment;
    if (screenshotRef === undefined || takenAt === undefined) continue;
    const isLong = long.has(segment);
    const isClose = chosen.some((other) => Math.abs(other.takenAt - takenAt) < MIN_DISTANCE_SECONDS);
    if (isClose || !(isLong || changed.has(segment))) continue;
    chosen.push({ screenshotRef, takenAt, application, hint: isLong ? 'long session' : 'app transition' });
  }
  return pickEvenly(
    chosen.toSorted((a, b) => a.takenAt - b.takenAt),
    MAX_SUGGESTIONS,
  );
}
