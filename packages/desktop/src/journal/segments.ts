import { accessSync, constants, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { allNamesIn } from '@deskside/core/base';

/**
 * The journal is a folder of segments, `2026-11-22.000001.jsonl`: the day (UTC) on which it began, and a number. The last
 * one in the order of the names is written. All processes compute the same next name, so they need no lock.
 */
const SEGMENT = /^(\d{4}-\d{2}-\d{2})\.(\d{6})\.jsonl$/;

/** Ends each line. */
export const LINE_FEED = 0x0a;
export const MAX_SEGMENT_BYTES = 1024 * 1024;
const MAX_TOTAL_BYTES = 16 * MAX_SEGMENT_BYTES;
const MAX_AGE_DAYS = 30;
export const DAY_MS = 86_400_000;

/** In the order of their beginning. @throws StartError for a folder that cannot be read */
export function segmentNames(folder: string): readonly string[] {
  return allNamesIn(folder)
    .filter((name) => SEGMENT.test(name))
    .toSorted();
}

/** The segment to write now. It may not exist yet. */
export function presentSegment(
  folder: string,
  now: Date,
): { readonly name: string; readonly isNew: boolean } {
  const today = dayOf(now);
  const names = segmentNames(folder);
  const newest = names.findLast((name) => !isAhead(name, now)) ?? names.at(-1);
  const [, day = '', number] = SEGMENT.exec(newest ?? '') ?? [];
  // A clock that was set back does not move the end.
  if (newest === undefined || day < today) return { name: nameOf(today, 1), isNew: true };
  const file = join(folder, newest);
  if (sizeOf(file) < MAX_SEGMENT_BYTES && isWritable(file)) return { name: newest, isNew: false };
  return { name: nameOf(day, Number(number) + 1), isNew: true };
}

/**
 * Deletes what began more than 30 days ago, and the oldest segments beyond 16 MB. Never the newest one. A journal that
 * begins again after more than 30 days may have a wrong date: for a week then nothing is too old.
 */
export function deleteOldSegments(folder: string, now: Date): void {
  const oldest = dayOf(new Date(now.getTime() - MAX_AGE_DAYS * DAY_MS));
  const names = segmentNames(folder)
    .toReversed()
    .toSorted((a, b) => Number(isAhead(a, now)) - Number(isAhead(b, now)));
  const weekAgo = dayOf(new Date(now.getTime() - 7 * DAY_MS));
  const isLate = (names.find((name) => name < weekAgo) ?? '') < oldest;
  let bytes = 0;
  for (const [index, name] of names.entries()) {
    bytes += sizeOf(join(folder, name));
    const isOver = bytes > MAX_TOTAL_BYTES || (name < oldest && !isLate);
    if (index > 0 && isOver) rmSync(join(folder, name), { force: true });
  }
}

/** A segment that is more than a day ahead began with a wrong date. */
function isAhead(name: string, now: Date): boolean {
  return name > dayOf(new Date(now.getTime() + 2 * DAY_MS));
}

function nameOf(day: string, number: number): string {
  return `${day}.${String(number).padStart(6, '0')}.jsonl`;
}

function dayOf(time: Date): string {
  return time.toISOString().slice(0, 10);
}

/** False for a segment of root: `sudo` may keep HOME. */
function isWritable(file: string): boolean {
  try {
    accessSync(file, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/** 0 if another process has deleted it. */
function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}
