import { HOUR, localTime, MINUTE } from '@deskside/core/dates';
import type { WallTime } from '@deskside/core/dates';
import type { Interval } from './interval.ts';

/** One zone for each rule by which clocks change. The first that explains both ends of a row is taken. */
const ZONES = `
  Europe/Berlin Europe/London Europe/Helsinki America/New_York America/Chicago
  America/Denver America/Los_Angeles America/Halifax America/St_Johns America/Anchorage
  Australia/Sydney Australia/Adelaide Australia/Lord_Howe Pacific/Auckland America/Santiago
  America/Asuncion America/Havana America/Sao_Paulo Asia/Jerusalem Asia/Beirut Africa/Cairo`
  .trim()
  .split(/\s+/);

/** No zone changes its clock by more, or by a part of a quarter of an hour. */
const MAX_CHANGE_SECONDS = 2 * HOUR;
const CHANGE_STEP_SECONDS = 15 * MINUTE;

type OffsetAt = (instant: number) => number;

let zones: readonly OffsetAt[] | undefined;

/**
 * The instant during a row at which its local clock changed: that of this machine's zone or of another known one, if it explains
 * both ends; else (a trip) the middle of the row.
 */
export function clockChange({
  start,
  end,
  localStart,
  localEnd,
}: Interval & { readonly localStart: WallTime; readonly localEnd: WallTime }): number {
  const [before, after] = [localStart - start, localEnd - end];
  const change = Math.abs(after - before);
  if (change <= MAX_CHANGE_SECONDS && change % CHANGE_STEP_SECONDS === 0) {
    zones ??= [(instant) => localTime(instant) - instant, ...ZONES.map(offsetsOf)];
    const offsetAt = zones.find((offset) => offset(start) === before && offset(end) === after);
    if (offsetAt !== undefined) return changeIn(offsetAt, start, end);
  }
  return (start + end) / 2;
}

function changeIn(offsetAt: OffsetAt, start: number, end: number): number {
  const before = offsetAt(start);
  let [low, high] = [start, end];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (offsetAt(middle) === before) low = middle;
    else high = middle;
  }
  return high;
}

function offsetsOf(timeZone: string): OffsetAt {
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'medium' });
  return (instant) => Date.parse(`${format.format(instant * 1000).replace(' ', 'T')}Z`) / 1000 - instant;
}
