import type { WallTime } from '@deskside/core/dates';
import { errnoOf } from '@deskside/core/errors';
import type { ScreenTimes } from '../analysis/private-rows.ts';
import type { Segment } from '../analysis/segments.ts';
import type { Checkpoint, TimeBase } from '../database/snapshot.ts';
import type { LocalRange } from '../database/model/activity.ts';
import { notYetAttributable } from '../database/model/notes.ts';
import type { ScreenshotFolder } from './folder.ts';
import { missingScreenshotsNote, nearestShots, screenshotsUnreadable, visibleShots } from './selection.ts';

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
    const shots = nearestShots(segments, visible.shots, timeBase);
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

/**
 * Suggests up to five screenshots, ordered by time: of the longest segments, and of segments that start with
 * another application. They are distributed over the range.
 */
function suggestScreenshots(segments: readonly SegmentWithScreenshot[]): Suggestion[] {
  const longest = new Set(segments.toSorted((a, b) => b.seconds - a.seconds).slice(0, MAX_LONG_SEGMENTS));
  const candidates = segments.flatMap((segment, index) => {
    const { screenshotRef, takenAt, application, seconds } = segment;
    if (screenshotRef === undefined || takenAt === undefined) return [];
    const isLong = longest.has(segment);
    const changes = index === 0 || segments[index - 1]?.application !== application;
    if (!isLong && !changes) return [];
    const hint: Suggestion['hint'] = isLong ? 'long session' : 'app transition';
    return [{ screenshotRef, takenAt, application, hint, seconds }];
  });
  const start = candidates[0]?.takenAt ?? 0;
  const span = Math.max((candidates.at(-1)?.takenAt ?? 0) - start, 1);
  const slots = new Map<number, (typeof candidates)[number]>();
  for (const candidate of candidates.toSorted((a, b) => b.seconds - a.seconds)) {
    const slot = Math.min(
      Math.floor(((candidate.takenAt - start) / span) * MAX_SUGGESTIONS),
      MAX_SUGGESTIONS - 1,
    );
    const tooClose = [...slots.values()].some(
      (chosen) =>
        chosen.screenshotRef === candidate.screenshotRef ||
        Math.abs(chosen.takenAt - candidate.takenAt) < MIN_DISTANCE_SECONDS,
    );
    if (!slots.has(slot) && !tooClose) slots.set(slot, candidate);
  }
  return [...slots.values()]
    .toSorted((a, b) => a.takenAt - b.takenAt)
    .map(({ seconds: _, ...suggestion }) => suggestion);
}
