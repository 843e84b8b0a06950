import { MINUTE } from '@deskside/core/dates';
import type { DiagnosticNote } from '@deskside/core/errors';
import { explained } from '../database/model/notes.ts';
import { durationText } from '../database/model/time.ts';
import { countFitting, safeText } from '../database/model/text.ts';
import type { Segment, SegmentBuilder } from './segments.ts';

/** How many segments are wanted. */
export interface FittingOptions {
  readonly maxSegments: number;
  readonly maxGapSeconds: number;
  /** Whether short visits are joined until the segments fit; else the list is cut. */
  readonly joins: boolean;
}

/** With less of it, a group is no longer the use of one application that others interrupt. */
const MAIN_SHARE = 0.8;
/** Keys, times and numbers of a segment as JSON, and a reference of a screenshot. */
const FIXED_SEGMENT_BYTES = 195;

/**
 * Few enough of the segments of a range, how many there were, and a note that names the limit if some were joined.
 *
 * @param maxBytes of the segments as JSON
 */
export function fitSegments(
  all: readonly SegmentBuilder[],
  { joins, maxSegments, maxGapSeconds }: FittingOptions,
  maxBytes: number,
) {
  const count = all.length;
  let builders = all;
  /** Shorter visits are joined already. */
  let limit = 0;
  for (;;) {
    const isFew = builders.length <= maxSegments && builders.length * FIXED_SEGMENT_BYTES <= maxBytes;
    if (!joins || isFew) {
      const segments = builders.slice(0, maxSegments).map((builder) => builder.segment());
      const fitting = countFitting(segments, maxBytes, bytesOf);
      if (!joins || fitting === builders.length) {
        const note = limit === 0 ? undefined : noteOf(limit, fitting, count);
        return { segments: segments.slice(0, fitting), count, note };
      }
    }
    limit = limit < MINUTE ? limit + 10 : Math.ceil((limit * 1.2) / MINUTE) * MINUTE;
    builders = joined(builders, limit, maxGapSeconds);
  }
}

function bytesOf({ application, title, document, website, tags }: Segment): number {
  const texts = [application, title, document, website, ...tags].map((text) => safeText(text ?? ''));
  return FIXED_SEGMENT_BYTES + Buffer.byteLength(JSON.stringify(texts));
}

/**
 * Joins each segment that is shorter than the limit with a neighbor: the nearer one, of equally near ones the shorter one, so
 * that many short visits become segments of a length near the limit. Breaks shorter than the limit are within a segment.
 */
function joined(segments: readonly SegmentBuilder[], limit: number, maxGap: number): SegmentBuilder[] {
  const reach = Math.max(limit, maxGap);
  const groups: SegmentBuilder[] = [];
  for (const [index, segment] of segments.entries()) {
    const last = groups.at(-1);
    const gap = last === undefined ? Number.POSITIVE_INFINITY : segment.start - last.end;
    const next = segments[index + 1];
    if (last === undefined || Math.abs(gap) > reach || !joins(last, segment, next, limit, gap))
      groups.push(segment);
    else last.join(segment);
  }
  return groups;
}

function joins(
  last: SegmentBuilder,
  segment: SegmentBuilder,
  next: SegmentBuilder | undefined,
  limit: number,
  gap: number,
): boolean {
  if (last.seconds < limit || last.shareOf(segment.application) >= MAIN_SHARE) return true;
  if (segment.seconds >= limit) return false;
  const nextGap = next === undefined ? Number.POSITIVE_INFINITY : Math.abs(next.start - segment.end);
  if (Math.abs(gap) !== nextGap) return Math.abs(gap) < nextGap;
  return last.shareOf(next?.application) >= MAIN_SHARE || last.seconds <= (next?.seconds ?? 0);
}

function noteOf(limit: number, shown: number, count: number): DiagnosticNote {
  return explained(
    'Coarsened',
    `To fit, ${count} segments are joined to ${shown}: visits and breaks shorter than ${durationText(limit)} belong to the segment beside them, which names the application that was used longest. Totals are exact. For all visits pass a shorter range, or maxSegments without detail=brief.`,
  );
}
