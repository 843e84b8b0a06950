import type { WallTime } from '@deskside/core/dates';
import { errnoOf } from '@deskside/core/errors';
import type { ScreenTimes } from '../analysis/private-rows.ts';
import type { Segment } from '../analysis/segments.ts';
import type { Checkpoint, TimeBase } from '../database/snapshot.ts';
import type { LocalRange } from '../database/model/activity.ts';
import { notYetAttributable } from '../database/model/notes.ts';
import type { ScreenshotFolder } from './folder.ts';
import {
  missingScreenshotsNote,
  nearestShots,
  pickEvenly,
  screenshotsUnreadable,
  visibleShots,
} from './selection.ts';

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
