import { DAY, HOUR, type WallTime } from '@deskside/core/dates';
import type { DiagnosticNote } from '@deskside/core/errors';
import type { TimelineKind } from './model/activity.ts';
import { addTo } from './model/interval.ts';
import { degraded } from './model/notes.ts';

/** No local clock differs more from UTC. */
export const MAX_UTC_OFFSET_SECONDS = 15 * HOUR;
/** The clocks of two computers can differ. */
const CLOCK_TOLERANCE_SECONDS = HOUR;
const MAX_ROW_SECONDS = 366 * DAY;

/** What was found wrong, and how often. */
export type Damage = ReadonlyMap<string, number>;

/** A stored row that rules correct in place. Seconds; undefined if the value is missing or of another type. */
export interface Draft {
  kind: TimelineKind;
  localStart: WallTime | undefined;
  localEnd: WallTime | undefined;
  utcStart: number | undefined;
  utcEnd: number | undefined;
  /** Of the local clock from UTC, for a row that does not tell it. */
  offset: number;
  activityId: unknown;
  name: unknown;
  hasDamagedGroup: boolean;
  /** Local start of the next row of the timeline on the same day. */
  nextStart: () => WallTime | undefined;
}

interface Rule {
  /** As a diagnostic names it. */
  readonly reason: string;
  readonly isBroken: (row: Draft, latest: number) => boolean;
  /** Tells whether the row is now right. Without it, or if not, the row is left out of all answers. */
  readonly correct?: (row: Draft) => boolean;
}

/** All that can be wrong with a row, in the order in which it is looked for. */
const RULES: readonly Rule[] = [
  {
    reason: 'without a valid start and end',
    isBroken: ({ localStart, localEnd }) => localStart === undefined || localEnd === undefined,
  },
  {
    reason: 'with a UTC start over 15 hours from the local one',
    isBroken: ({ localStart, utcStart }) => isFar(localStart, utcStart),
    correct: (row) => assigned(row, { utcStart: undefined }),
  },
  {
    reason: 'with a UTC end over 15 hours from the local one',
    isBroken: ({ localEnd, utcEnd }) => isFar(localEnd, utcEnd),
    correct: (row) => assigned(row, { utcEnd: undefined }),
  },
  { reason: 'that end before they start', isBroken: (row) => endOf(row) < startOf(row) },
  {
    reason: 'that end in the future',
    // Calendars and planned tags may.
    isBroken: (row, latest) => row.kind !== 'tags' && row.kind !== 'other' && endOf(row) > latest,
    // Windows and states follow each other.
    correct: (row) => {
      const next = row.nextStart();
      return next !== undefined && assigned(row, { localEnd: next, utcEnd: undefined });
    },
  },
  {
    reason: 'longer than a year',
    isBroken: (row) => endOf(row) - startOf(row) > MAX_ROW_SECONDS,
  },
  {
    reason: 'with an id that is not a number',
    isBroken: ({ activityId }) => !Number.isSafeInteger(activityId),
    correct: (row) => assigned(row, { activityId: undefined }),
  },
  {
    reason: 'with a name that is not text',
    isBroken: ({ name }) => name !== undefined && typeof name !== 'string',
    correct: (row) => assigned(row, { name: undefined }),
  },
  {
    reason: 'of a group whose name is not text',
    isBroken: ({ hasDamagedGroup }) => hasDamagedGroup,
    correct: () => true,
  },
];

function assigned(row: Draft, values: Partial<Draft>): boolean {
  Object.assign(row, values);
  return true;
}

function isFar(local: number | undefined, utc: number | undefined): boolean {
  return local !== undefined && utc !== undefined && Math.abs(local - utc) > MAX_UTC_OFFSET_SECONDS;
}

/** How far the clock of a row is from UTC: its own times decide. */
function offsetOf({ localStart = 0, localEnd = 0, utcStart, utcEnd, offset }: Draft): number {
  if (utcStart !== undefined) return localStart - utcStart;
  return utcEnd === undefined ? offset : localEnd - utcEnd;
}

export function startOf(row: Draft): number {
  return row.utcStart ?? (row.localStart ?? 0) - offsetOf(row);
}

export function endOf(row: Draft): number {
  return row.utcEnd ?? (row.localEnd ?? 0) - offsetOf(row);
}

/** The last instant at which a row can end. @param nowSeconds UTC seconds */
export function latestEnd(nowSeconds: number, timeBase: 'utc' | 'local'): number {
  return nowSeconds + (timeBase === 'utc' ? CLOCK_TOLERANCE_SECONDS : MAX_UTC_OFFSET_SECONDS);
}

/**
 * Corrects a row, or tells that it must be left out.
 *
 * @param found counts what is wrong
 */
export function judge(row: Draft, latest: number, found: Map<string, number>): boolean {
  for (const { reason, isBroken, correct } of RULES) {
    if (!isBroken(row, latest)) continue;
    addTo(found, reason, 1);
    if (correct?.(row) !== true) return false;
  }
  return true;
}

/** Whether one of ManicTime's own totals can be: a local hour can have two hours when clocks change. */
export function isPossibleTotal(seconds: unknown, step: number): seconds is number {
  return typeof seconds === 'number' && seconds > 0 && seconds <= step + HOUR;
}

export const IMPOSSIBLE_TOTAL =
  "in ManicTime's own totals that are longer than their hour or day, or not a number";

/** The only diagnostic about damaged rows; undefined if none is. */
export function damageNote(damage: Damage): DiagnosticNote | undefined {
  if (damage.size === 0) return undefined;
  const reasons = Array.from(damage, ([reason, times]) => `${times} ${reason}`).join(', ');
  return degraded(
    'DamagedRows',
    `Rows of this range that cannot be are corrected or left out: ${reasons}. The rest is exact. If there are many, restore a backup of ManicTime's database.`,
  );
}
