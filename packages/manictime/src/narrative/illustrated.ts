import type { Note } from '../timeline/note.ts';
import type { TimeAxis } from '../database/activity-rows.ts';
import type { ManicTime } from '../manictime.ts';
import { shotsWithin, withoutHidden } from '../screenshots/shown-shots.ts';
import type { Narrative, ToldSegment } from './narrative.ts';
import { type Suggestion, suggestScreenshots } from './suggestions.ts';

export interface IllustratedSegment extends ToldSegment {
  readonly screenshotRef: string | undefined;
}

export interface Illustrated {
  readonly segments: readonly IllustratedSegment[];
  readonly suggestions: readonly Suggestion[];
  readonly notes: readonly Note[];
}

const screenshotsUnreadable: Note = {
  degraded: true,
  reasonCode: 'ScreenshotsUnreadable',
  remediationHint: 'The screenshots folder exists but cannot be read; check that this account may read it.',
};

/** Finds a screenshot within each segment, and the few of all that are worth looking at. */
export async function illustrate(
  { segments, hidden }: Narrative,
  axis: TimeAxis,
  { screenshots }: ManicTime,
): Promise<Illustrated> {
  const [first] = segments;
  const last = segments.at(-1);
  if (first === undefined || last === undefined) return { segments: [], suggestions: [], notes: [] };
  try {
    const taken = await screenshots.shotsIn({ from: first.localStart, to: last.localEnd + 1 });
    const shots = shotsWithin(segments, withoutHidden(taken, hidden, axis), axis);
    const illustrated = segments.map((segment, index) => ({
      ...segment,
      screenshotRef: shots[index]?.reference,
    }));
    return { segments: illustrated, suggestions: suggestScreenshots(illustrated), notes: [] };
  } catch {
    const plain = segments.map((segment) => ({ ...segment, screenshotRef: undefined }));
    return { segments: plain, suggestions: [], notes: [screenshotsUnreadable] };
  }
}
