import { HOUR, MINUTE } from '@deskside/core/dates';
import type { DiagnosticNote } from '@deskside/core/errors';
import { explained } from '../database/model/notes.ts';
import { safeText } from '../database/model/text.ts';
import type { Segment, SegmentBuilder } from './segments.ts';

export interface FittedSegments {
  readonly segments: readonly Segment[];
  /** Number of segments before any was absorbed. */
  readonly count: number;
  /** Names the limit that was needed; undefined if all segments fit. */
  readonly note: DiagnosticNote | undefined;
}

/** More segments than this are coarsened while a long range is read, so that memory holds a part of it. */
const MAX_OPEN_SEGMENTS = 4000;
/** With less of it, a group is no longer the use of one application that others interrupt. */
const MAIN_SHARE = 0.8;
/** Keys, times and numbers of a segment as JSON, and a reference of a screenshot. */
const FIXED_SEGMENT_BYTES = 175;

/** Collects the segments of a range, in order, and returns few enough of them that cover all of it. */
export class SegmentFitter {
  readonly #maxSegments: number;
  readonly #maxGap: number;
  #segments: SegmentBuilder[] = [];
  #limit = 0;
  #count = 0;

  /** @param maxGap seconds */
  constructor(maxSegments: number, maxGap: number) {
    this.#maxSegments = maxSegments;
    this.#maxGap = maxGap;
  }

  add(segment: SegmentBuilder): void {
    this.#count += 1;
    this.#segments.push(segment);
    while (this.#segments.length > Math.max(MAX_OPEN_SEGMENTS, 2 * this.#maxSegments)) {
      this.#limit = Math.max(1, 2 * this.#limit);
      this.#segments = coarsened(this.#segments, this.#limit, this.#maxGap);
    }
  }

  /**
   * Finds the shortest limit with which the segments fit.
   *
   * @param maxBytes of the segments as JSON
   */
  finish(maxBytes: number): FittedSegments {
    const fitting = (limit: number) =>
      this.#fitting(
        limit === this.#limit ? this.#segments : coarsened(this.#segments, limit, this.#maxGap),
        maxBytes,
      );
    let found = fitting(this.#limit);
    let limit = this.#limit;
    let tooShort = limit;
    while (found === undefined) {
      tooShort = limit;
      limit = Math.max(1, 2 * limit);
      found = fitting(limit);
    }
    while (limit - tooShort > 1) {
      const middle = Math.floor((tooShort + limit) / 2);
      const better = fitting(middle);
      if (better === undefined) tooShort = middle;
      else [limit, found] = [middle, better];
    }
    return {
      segments: found,
      count: this.#count,
      note: limit === 0 ? undefined : noteOf(limit, found.length, this.#count),
    };
  }

  /** One segment always fits. */
  #fitting(builders: readonly SegmentBuilder[], maxBytes: number): readonly Segment[] | undefined {
    if (builders.length > Math.max(1, this.#maxSegments)) return undefined;
    const segments = builders.map((builder) => builder.segment());
    const bytes = segments.reduce((sum, segment) => sum + bytesOf(segment), 0);
    return bytes <= maxBytes || segments.length <= 1 ? segments : undefined;
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
function coarsened(segments: readonly SegmentBuilder[], limit: number, maxGap: number): SegmentBuilder[] {
  const reach = Math.max(limit, maxGap);
  const groups: Group[] = [];
  for (const [index, segment] of segments.entries()) {
    const last = groups.at(-1);
    const gap = last === undefined ? Number.POSITIVE_INFINITY : segment.start - last.end;
    const next = segments[index + 1];
    if (last === undefined || Math.abs(gap) > reach || !joins(last, segment, next, limit, gap)) {
      groups.push(new Group(segment));
    } else last.add(segment);
  }
  return groups.map((group) => group.joined());
}

function joins(
  last: Group,
  segment: SegmentBuilder,
  next: SegmentBuilder | undefined,
  limit: number,
  gap: number,
): boolean {
  if (last.seconds < limit || last.isMostly(segment.application)) return true;
  if (segment.seconds >= limit) return false;
  const nextGap = next === undefined ? Number.POSITIVE_INFINITY : Math.abs(next.start - segment.end);
  if (Math.abs(gap) !== nextGap) return Math.abs(gap) < nextGap;
  return last.isMostly(next?.application) || last.seconds <= (next?.seconds ?? 0);
}

/** Adjacent segments that become one, named by the application with the most seconds. */
class Group {
  readonly #first: SegmentBuilder;
  readonly #more: SegmentBuilder[] = [];
  readonly #applications = new Map<string | undefined, number>();
  seconds = 0;
  end = 0;
  application: string | undefined;

  constructor(first: SegmentBuilder) {
    this.#first = first;
    this.application = first.application;
    this.#count(first);
  }

  add(segment: SegmentBuilder): void {
    this.#more.push(segment);
    this.#count(segment);
  }

  #count({ application, seconds, end }: SegmentBuilder): void {
    const sum = (this.#applications.get(application) ?? 0) + seconds;
    this.#applications.set(application, sum);
    if (sum > (this.#applications.get(this.application) ?? 0)) this.application = application;
    this.seconds += seconds;
    this.end = end;
  }

  isMostly(application: string | undefined): boolean {
    return (this.#applications.get(application) ?? 0) >= MAIN_SHARE * this.seconds;
  }

  joined(): SegmentBuilder {
    return this.#more.length === 0 ? this.#first : this.#first.joined(this.#more, this.application);
  }
}

function noteOf(limit: number, shown: number, count: number): DiagnosticNote {
  return explained(
    'Coarsened',
    `To fit, ${count} segments are joined to ${shown}: visits and breaks shorter than ${lengthText(limit)} belong to the segment beside them, which names the application that was used longest. Totals are exact. For all visits pass a shorter range, or a higher maxSegments without detail=brief.`,
  );
}

function lengthText(seconds: number): string {
  if (seconds < 2 * MINUTE) return `${seconds} seconds`;
  if (seconds < 2 * HOUR) return `${Math.ceil(seconds / MINUTE)} minutes`;
  return `${Math.ceil(seconds / HOUR)} hours`;
}
