import { createHash } from 'node:crypto';
import type { Clock } from '@deskside/core/base';
import { createNotification, type Notification, OWN_CONTEXT } from '../notification/notification.ts';
import {
  contentKey,
  highestLevel,
  levelsText,
  listText,
  partsOf,
  subjectText,
  tallyOf,
} from '../notification/tally.ts';
import type { Row } from './sink-records.ts';

/** What a sink gets in one message: a notification, or a summary of several. */
export interface Item {
  readonly notification: Notification;
  readonly rows: readonly Row[];
}

/**
 * What was held, for as few messages as possible. A notification that is alone in one comes unchanged; but a repeat
 * would look like a new notification.
 *
 * @param maxCodePoints what the sink shows of a message
 */
export function summarized(held: readonly Row[], maxCodePoints: number, clock: Clock): Item[] {
  if (held.length === 0) return [];
  const since = Math.min(...held.map(({ time }) => time));
  const waited = durationText(clock.now().getTime() - since);
  const byContent = Map.groupBy(held, ({ notification }) => contentKey(notification));
  const parts = partsOf(tallyOf(held.map(({ notification }) => notification)), maxCodePoints);
  return parts.map((part, index) => {
    const keys = index === parts.length - 1 ? [...byContent.keys()] : part.lines.map(({ key }) => key);
    const rows = keys.flatMap((key) => byContent.get(key) ?? []);
    for (const key of keys) byContent.delete(key);
    const [only] = rows;
    if (rows.length === 1 && only?.isRepeat === false) return { notification: only.notification, rows };
    const message = `${subjectText(part)} held back in ${waited} (${levelsText(part)}):${listText(part)}`;
    const summary = { id: idOf(rows), level: highestLevel(part), context: OWN_CONTEXT, message };
    // Whole notifications would keep their texts in memory.
    const summarizes = rows.map(({ notification: { id, caller } }) => ({ id, caller }));
    return { notification: { ...createNotification(summary, clock.now().getTime()), summarizes }, rows };
  });
}

/** The same for each attempt to deliver it, so that a receiver recognizes it. In the form of a UUID. */
function idOf(rows: readonly Row[]): string {
  const hash = createHash('sha256')
    .update(rows.map(({ id }) => id).join(' '))
    .digest('hex');
  return hash.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*$/, '$1-$2-$3-$4-$5');
}

/** Formats a duration for people: `60 s`, `15 min`, `9 h`. */
export function durationText(durationMs: number): string {
  const seconds = Math.max(1, Math.round(durationMs / 1000));
  if (seconds < 120) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 120 ? `${minutes} min` : `${Math.round(minutes / 60)} h`;
}
