import { spansOfActivities, timelineSummaries } from '../database/sql/timelines.ts';
import type { Snapshot } from '../database/snapshot.ts';
import { parseStoredTime, type WallTime } from '../time/wall-clock.ts';

/** From when to when there is data. */
export interface DataSpan {
  readonly start: WallTime | undefined;
  readonly end: WallTime | undefined;
}

export interface TimelineSpan extends DataSpan {
  readonly reportId: number;
  readonly activeStart: WallTime | undefined;
  readonly activeEnd: WallTime | undefined;
}

export interface DataSpans {
  readonly spans: readonly TimelineSpan[];
  /** Whether ManicTime's own summary is missing, so that the activities had to tell. */
  readonly computed: boolean;
}

export function dataSpans(snapshot: Snapshot): DataSpans {
  const kept = timelineSummaries(snapshot.database, snapshot.layout);
  const computed = kept.length === 0;
  const stored = computed ? spansOfActivities(snapshot.database) : kept;
  return {
    computed,
    spans: stored.map(({ reportId, start, end, activeStart, activeEnd }) => ({
      reportId,
      start: parseStoredTime(start),
      end: parseStoredTime(end),
      activeStart: parseStoredTime(activeStart),
      activeEnd: parseStoredTime(activeEnd),
    })),
  };
}

/** Of all timelines together. */
export function dataSpan(snapshot: Snapshot): DataSpan {
  const { spans } = dataSpans(snapshot);
  const starts = spans.map(({ start }) => start).filter((time) => time !== undefined);
  const ends = spans.map(({ end }) => end).filter((time) => time !== undefined);
  return {
    start: starts.length === 0 ? undefined : Math.min(...starts),
    end: ends.length === 0 ? undefined : Math.max(...ends),
  };
}
