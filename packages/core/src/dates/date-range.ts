import { visible } from '../log/visible.ts';
import { ToolError } from '../results/tool-error.ts';
import { DAY, formatDate, formatDateTime, localTime, parseWallTime, type WallTime } from './wall-clock.ts';

/** A range on the local clock, and how an answer repeats it. */
export interface DateRange {
  readonly from: WallTime;
  /** Exclusive. */
  readonly to: WallTime;
  readonly startDate: string;
  readonly endDate: string;
}

export interface RangeRules {
  /** Days that one call may span. */
  readonly mostDays?: number;
  readonly names?: { readonly start: string; readonly end: string };
}

/**
 * Reads a range as every tool takes it: ISO-8601, start inclusive, end exclusive, a date alone is local
 * midnight, a datetime with an offset is converted to local time.
 *
 * @throws ToolError INVALID_DATE, INVALID_RANGE or RANGE_TOO_LARGE that names the argument
 */
export function readRangeArguments(start: string, end: string, rules: RangeRules = {}): DateRange {
  const { mostDays, names = { start: 'startDate', end: 'endDate' } } = rules;
  const from = readDate(start, names.start);
  const to = readDate(end, names.end);
  if (from >= to) {
    throw new ToolError({
      code: 'INVALID_RANGE',
      error: `${names.end} (${shownDate(to)}) must be after ${names.start} (${shownDate(from)}).`,
      hint: `${names.end} is exclusive: for the one day ${formatDate(from)} pass ${names.end}=${formatDate(from + DAY)}.`,
    });
  }
  if (mostDays !== undefined && to - from > mostDays * DAY) {
    throw new ToolError({
      code: 'RANGE_TOO_LARGE',
      error: `Date range exceeds maximum of ${mostDays} days.`,
      hint: `Ask for at most ${mostDays} days at once, for example ${names.end}=${formatDate(from + mostDays * DAY)}, then go on from there.`,
    });
  }
  return { from, to, startDate: shownDate(from), endDate: shownDate(to) };
}

const OFFSET = /^(.+[ T]\d{2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?)\s?(Z|[+-]\d{2}(?::?\d{2})?)$/i;

/** @throws ToolError INVALID_DATE */
export function readDate(text: string, argument: string): WallTime {
  const trimmed = text.trim();
  const [, local, offset] = OFFSET.exec(trimmed) ?? [];
  const time = parseWallTime(local ?? trimmed);
  if (time === undefined || (local === undefined && trimmed.endsWith('Z'))) throw invalidDate(text, argument);
  return offset === undefined ? time : localTime(time - offsetSeconds(offset));
}

/** A date where it is midnight, else a datetime. */
function shownDate(time: WallTime): string {
  return time % DAY === 0 ? formatDate(time) : formatDateTime(time);
}

function offsetSeconds(offset: string): number {
  if (offset.toUpperCase() === 'Z') return 0;
  const [hours = 0, minutes = 0] = [offset.slice(1, 3), offset.slice(-2)].map(Number);
  return (offset.startsWith('-') ? -1 : 1) * (hours * 3600 + (offset.length > 3 ? minutes * 60 : 0));
}

function invalidDate(text: string, argument: string): ToolError {
  return new ToolError({
    code: 'INVALID_DATE',
    error: `Invalid date format in ${argument}: "${visible(text.slice(0, 40))}" is no ISO-8601 date or datetime that exists.`,
    hint: `Pass ${argument} as 2026-11-21 or 2026-11-21T09:30:00.`,
  });
}
