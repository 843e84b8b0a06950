import type { WallTime } from '../time/wall-clock.ts';

export interface ShownSegment {
  readonly localStart: WallTime;
  readonly seconds: number;
  readonly application: string | undefined;
  readonly screenshotRef: string | undefined;
}

export interface Suggestion {
  readonly screenshotRef: string;
  readonly localStart: WallTime;
  readonly application: string | undefined;
  readonly hint: 'long session' | 'app transition';
}

const MOST = 5;
const LONGEST = 5;
/** Seconds between two suggestions. */
const APART = 300;

/**
 * Up to five screenshots worth looking at, in order of time: of the longest segments, and of those in which
 * another application begins. The range is divided among them, so that the morning does not take them all.
 */
export function suggestScreenshots(segments: readonly ShownSegment[]): Suggestion[] {
  const longest = new Set(segments.toSorted((a, b) => b.seconds - a.seconds).slice(0, LONGEST));
  const candidates = segments.flatMap((segment, index) => {
    const { screenshotRef, localStart, application, seconds } = segment;
    if (screenshotRef === undefined) return [];
    const isLong = longest.has(segment);
    const changes = index === 0 || segments[index - 1]?.application !== application;
    if (!isLong && !changes) return [];
    const hint: Suggestion['hint'] = isLong ? 'long session' : 'app transition';
    return [{ screenshotRef, localStart, application, hint, seconds }];
  });
  const start = candidates[0]?.localStart ?? 0;
  const span = Math.max((candidates.at(-1)?.localStart ?? 0) - start, 1);
  const slots = new Map<number, (typeof candidates)[number]>();
  for (const candidate of candidates.toSorted((a, b) => b.seconds - a.seconds)) {
    const slot = Math.min(Math.floor(((candidate.localStart - start) / span) * MOST), MOST - 1);
    const tooClose = [...slots.values()].some(
      (kept) =>
        kept.screenshotRef === candidate.screenshotRef ||
        Math.abs(kept.localStart - candidate.localStart) < APART,
    );
    if (!slots.has(slot) && !tooClose) slots.set(slot, candidate);
  }
  return [...slots.values()]
    .toSorted((a, b) => a.localStart - b.localStart)
    .map(({ seconds: _, ...suggestion }) => suggestion);
}
