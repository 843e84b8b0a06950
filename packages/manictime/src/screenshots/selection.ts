import { parseWallTime } from '@deskside/core/dates';
import type { DiagnosticNote } from '@deskside/core/errors';
import type { PrivacyRules, ScreenTimes } from '../analysis/privacy.ts';
import { loadRange } from '../analysis/range.ts';
import type { Clock, Snapshot } from '../database/snapshot.ts';
import { type Activity, labelOf, type LocalRange } from '../model/activity.ts';
import { contains, type Interval } from '../model/interval.ts';
import type { ScreenshotFolder } from './folder.ts';
import type { StoredShot } from './shot.ts';

export type SamplingStrategy = 'activity_transition' | 'interval';

export interface Sample {
  /** Ordered by time. */
  readonly shots: readonly StoredShot[];
  /** The strategy that was used. Without transitions it is `interval`. */
  readonly sampling: SamplingStrategy;
}

/** A screenshot within this time of a transition belongs to it. */
const TRANSITION_SECONDS = 120;

/**
 * At most `maxCount` screenshots, spread over all of them. Screenshots of several monitors at one moment stay
 * together. Returns all of them if they fit.
 *
 * @param shots ordered by time
 * @param transitions when the foreground window changed, ordered
 */
export function sample(
  shots: readonly StoredShot[],
  maxCount: number,
  strategy: SamplingStrategy,
  transitions: readonly number[],
): Sample {
  if (shots.length <= maxCount) return { shots, sampling: strategy };
  const moments = [...momentsOf(shots).values()];
  const perMoment = Math.max(...moments.map(({ length }) => length));
  const room = Math.max(1, Math.floor(maxCount / perMoment));
  const chosen = strategy === 'activity_transition' ? nearTransitions(moments, transitions) : [];
  const sampling = chosen.length === 0 ? 'interval' : strategy;
  const picked = pickEvenly(chosen.length === 0 ? moments : chosen, room);
  return { shots: picked.flat().slice(0, maxCount), sampling };
}

function momentsOf(shots: readonly StoredShot[]): Map<number, StoredShot[]> {
  const moments = new Map<number, StoredShot[]>();
  for (const shot of shots) {
    const moment = moments.get(shot.instant);
    if (moment === undefined) moments.set(shot.instant, [shot]);
    else moment.push(shot);
  }
  return moments;
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

/** The moment nearest to each transition. One pass over both lists. */
function nearTransitions(moments: readonly StoredShot[][], transitions: readonly number[]): StoredShot[][] {
  const chosen = new Set<StoredShot[]>();
  let at = 0;
  const distance = (index: number, instant: number) =>
    Math.abs((moments[index]?.[0]?.instant ?? Number.POSITIVE_INFINITY) - instant);
  for (const instant of transitions) {
    while (at + 1 < moments.length && distance(at + 1, instant) <= distance(at, instant)) at += 1;
    const moment = moments[at];
    if (moment !== undefined && distance(at, instant) <= TRANSITION_SECONDS) chosen.add(moment);
  }
  return [...chosen];
}

/** Time of a screenshot on the clock that activities are counted on. */
function positionOf(shot: StoredShot, clock: Clock): number {
  return clock === 'utc' ? shot.instant : shot.local;
}

export interface VisibleShots {
  readonly shots: readonly StoredShot[];
  /** How many the rules hide. */
  readonly hidden: number;
  /** How many of them no known window covers. */
  readonly unattributed: number;
}

/**
 * Screenshots without those taken while something private, or nothing known, was in the foreground.
 *
 * @param screen undefined if no rule exists
 */
export function visibleShots(
  shots: readonly StoredShot[],
  screen: ScreenTimes | undefined,
  clock: Clock,
): VisibleShots {
  if (screen === undefined) return { shots, hidden: 0, unattributed: 0 };
  const attributed = shots.filter((shot) => {
    const at = positionOf(shot, clock);
    return contains(screen.known, at) !== undefined || contains(screen.hidden, at, 'closed') !== undefined;
  });
  const shown = attributed.filter(
    (shot) => contains(screen.hidden, positionOf(shot, clock), 'closed') === undefined,
  );
  return {
    shots: shown,
    hidden: shots.length - shown.length,
    unattributed: shots.length - attributed.length,
  };
}

/**
 * For each interval, the screenshot inside it that is nearest to its middle.
 *
 * @param shots ordered by time; intervals in any order
 */
export function nearestShots(
  intervals: readonly Interval[],
  shots: readonly StoredShot[],
  clock: Clock,
): (StoredShot | undefined)[] {
  const places = shots.map((shot) => positionOf(shot, clock));
  return intervals.map(({ start, end }) => {
    const middle = (start + end) / 2;
    const after = firstFrom(places, middle);
    const near = [after - 1, after].filter((index) => {
      const place = places[index];
      return place !== undefined && place >= start && place < end;
    });
    const distance = (index: number) => Math.abs((places[index] ?? 0) - middle);
    const [nearest] = near.toSorted((a, b) => distance(a) - distance(b));
    return nearest === undefined ? undefined : shots[nearest];
  });
}

function firstFrom(places: readonly number[], place: number): number {
  let low = 0;
  let high = places.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((places[middle] ?? 0) < place) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** What the database contributes to the selection of screenshots in a range. */
export interface ScreenRecord {
  readonly clock: Clock;
  /** When the foreground window changed, ordered. */
  readonly transitions: readonly number[];
  /** When screenshots may be shown; undefined without rules. */
  readonly screen: ScreenTimes | undefined;
  /** How many rows the rules conceal. */
  readonly concealed: number;
}

export function loadScreenRecord(snapshot: Snapshot, range: LocalRange, rules: PrivacyRules): ScreenRecord {
  const { applications, screen, concealed } = loadRange(snapshot, range, rules);
  const transitions = transitionsOf(applications);
  return { clock: snapshot.clock, screen, transitions, concealed: concealed.length };
}

function transitionsOf(applications: readonly Activity[]): number[] {
  return applications
    .filter((row, index) => {
      const before = applications[index - 1];
      return before !== undefined && (before.name !== row.name || labelOf(before) !== labelOf(row));
    })
    .map(({ start }) => start);
}

const absent: DiagnosticNote = {
  degraded: true,
  reasonCode: 'ScreenshotDirectoryAbsent',
  remediationHint:
    'The screenshots folder does not exist. Switch on screenshots in ManicTime, or set MANICTIME_SCREENSHOTS_DIR if they are stored in another folder.',
};

const empty: DiagnosticNote = {
  degraded: true,
  reasonCode: 'ScreenshotDirectoryEmpty',
  remediationHint:
    "The screenshots folder is empty. ManicTime deletes screenshots after some days. Check ManicTime's settings for taking and keeping screenshots.",
};

export const screenshotsUnreadable: DiagnosticNote = {
  degraded: true,
  reasonCode: 'ScreenshotsUnreadable',
  remediationHint: 'The screenshots folder cannot be read. Check that this account can read it.',
};

const allPrivate: DiagnosticNote = {
  degraded: false,
  reasonCode: 'ScreenshotsPrivate',
  remediationHint:
    'The privacy rules of the person (MANICTIME_EXCLUDE, MANICTIME_REDACT) hide all screenshots of this range.',
};

/** The reason why no screenshot is listed. */
export async function noScreenshotsNote(
  folder: ScreenshotFolder,
  range: LocalRange,
  hidden: boolean,
): Promise<DiagnosticNote> {
  const state = await folder.state();
  if (state === 'absent') return absent;
  if (state === 'empty') return empty;
  if (state === 'unreadable') return screenshotsUnreadable;
  if (hidden) return allPrivate;
  const days = await folder.days();
  const [first, last] = [days[0], days.at(-1)];
  const known = first === undefined ? '' : `Screenshots exist from ${first} to ${last}. `;
  const expired = first !== undefined && range.to <= (parseWallTime(first) ?? 0);
  return {
    degraded: false,
    reasonCode: expired ? 'Retention' : 'NoScreenshotsInRange',
    remediationHint: expired
      ? `${known}ManicTime deletes older ones according to its settings.`
      : `${known}None was taken in this range: the computer was off or idle, or screenshots were paused.`,
  };
}
