import { escapeInvisible } from '@deskside/core/text';
import { UserError } from '@deskside/core/errors';
import {
  DAY,
  formatDate,
  formatDateTime,
  localTime,
  parseWallTime,
  type WallTime,
} from '@deskside/core/dates';

/** A range on the local clock. */
export interface DateRange {
  readonly from: WallTime;
  /** Exclusive. */
  readonly to: WallTime;
  /** `from` as answers repeat it: a date, or a date-time if the time is not midnight. */
  readonly startDate: string;
  /** `to` in the same form. */
  readonly endDate: string;
}

export interface RangeRules {
  /** The longest range that one call accepts, in days. */
  readonly maxDays?: number;
  /** Names of the two arguments, for error messages. Default: `startDate` and `endDate`. */
  readonly names?: { readonly start: string; readonly end: string };
}

/**
 * Reads a range: ISO 8601, start inclusive, end exclusive. A date without a time is local midnight, and a date-time
 * with an offset is converted to local time.
 *
 * @throws UserError INVALID_DATE, INVALID_RANGE or RANGE_TOO_LARGE that names the argument
 */
export function readRangeArguments(start: string, end: string, rules: RangeRules = {}): DateRange {
  const { maxDays, names = { start: 'startDate', end: 'endDate' } } = rules;
  const from = readDate(start, names.start);
  const to = readDate(end, names.end);
  if (from >= to) {
    throw new UserError({
      code: 'INVALID_RANGE',
      error: `${names.end} (${formatShort(to)}) must be after ${names.start} (${formatShort(from)}).`,
      hint: `${names.end} is exclusive: for one day, ${formatDate(from)}, pass ${names.end}=${formatDate(from + DAY)}.`,
    });
  }
  if (maxDays !== undefined && to - from > maxDays * DAY) {
    throw new UserError({
      code: 'RANGE_TOO_LARGE',
      error: `Date range exceeds maximum of ${maxDays} days.`,
      hint: `Request at most ${maxDays} days per call, for example ${names.end}=${formatDate(from + maxDays * DAY)}, and continue from there.`,
    });
  }
  return { from, to, startDate: formatShort(from), endDate: formatShort(to) };
}

const WITH_OFFSET = /^(.+[ T]\d{2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?)\s?(Z|[+-](?:[01]\d|2[0-3])(?::?[0-5]\d)?)$/i;
const MAX_QUOTED_LENGTH = 40;

/**
 * Reads a date or date-time as local time.
 *
 * @param argument the argument's name, for the error message
 * @param toLocal converts the instant of a date-time with an offset. Default: this machine's clock
 * @throws UserError INVALID_DATE
 */
export function readDate(
  text: string,
  argument: string,
  toLocal: (epochSeconds: number) => WallTime = localTime,
): WallTime {
  const trimmed = text.trim();
  const [, local, offset] = WITH_OFFSET.exec(trimmed) ?? [];
  const time = parseWallTime(local ?? trimmed);
  if (time === undefined || (local === undefined && trimmed.endsWith('Z'))) throw invalidDate(text, argument);
  return offset === undefined ? time : toLocal(time - offsetSeconds(offset));
}

/** A date if the time is midnight, otherwise a date-time. */
function formatShort(time: WallTime): string {
  return time % DAY === 0 ? formatDate(time) : formatDateTime(time);
}

function offsetSeconds(offset: string): number {
  if (offset.toUpperCase() === 'Z') return 0;
  const [hours = 0, minutes = 0] = [offset.slice(1, 3), offset.slice(-2)].map(Number);
  return (offset.startsWith('-') ? -1 : 1) * (hours * 3600 + (offset.length > 3 ? minutes * 60 : 0));
}

function invalidDate(text: string, argument: string): UserError {
  return new UserError({
    code: 'INVALID_DATE',
    error: `Invalid date format in ${argument}: "${escapeInvisible(text.slice(0, MAX_QUOTED_LENGTH))}" is not a valid ISO 8601 date or date-time.`,
    hint: `Pass ${argument} as 2026-11-21 or 2026-11-21T09:30:00.`,
  });
}
