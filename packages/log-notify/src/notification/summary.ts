import { createHash } from 'node:crypto';
import { codePointLength, truncateCodePoints } from '@deskside/core/text';
import { createNotification, LEVELS, type Level, type Notification, OWN_CONTEXT } from './notification.ts';
import { MAX_SHOWN_CODE_POINTS } from './safe-text.ts';

/** How many first lines are listed: the newest. The rest is counted. */
const MAX_LISTED = 20;
const MAX_LINE_CODE_POINTS = 200;
const MAX_CAUSES = 5;

/** Room for the first line of a summary and for the number of what it does not list. */
const FRAME_CODE_POINTS = 120;

type Counts = Readonly<Record<Level, number>>;

/** What waits for a summary. */
export interface Held {
  readonly time: number;
  readonly notification: Notification;
  /** The sink got the same shortly before. */
  readonly isRepeat: boolean;
}

/** Notifications that a sink lost and that its people do not know about yet, as plain data. */
export interface Losses {
  readonly counts: Counts;
  /** As in `because …`. */
  readonly causes: readonly string[];
  readonly lines: readonly string[];
}

/**
 * As much of what was held as one message shows: the texts of errors and warnings, and if all of them fit, the newest
 * infos that fit, and the number of the others. A notification that is alone comes unchanged; but a repeat would look
 * like a new one.
 *
 * @param maxCodePoints what the sink shows of a message. A longer text is alone.
 * @returns the rows that the message stands for
 */
export function summaryOf<Row extends Held>(
  held: readonly Row[],
  maxCodePoints: number,
  nowMs: number,
): { readonly notification: Notification; readonly rows: readonly Row[] } | undefined {
  const groups = [...Map.groupBy(held, ({ notification }) => contentKey(notification)).values()];
  const important = (['error', 'warn'] as const).flatMap((level) => ofLevel(groups, level));
  let room = Math.max(1, maxCodePoints - FRAME_CODE_POINTS);
  const fits = (group: readonly Row[]) => (room -= codePointLength(lineOf(group))) >= 0;
  const end = important.findIndex((group, index) => !fits(group) && index > 0);
  const texts = end === -1 ? important : important.slice(0, end);
  const infos =
    end === -1 ? ofLevel(groups, 'info').slice(-MAX_LISTED).toReversed().filter(fits).toReversed() : [];
  const rows = end === -1 ? held : texts.flat();
  const [only] = rows;
  if (only === undefined) return undefined;
  if (rows.length === 1 && !only.isRepeat) return { notification: only.notification, rows };
  const all = rows.map(({ notification }) => notification);
  const counts = countsOf(all);
  const more = rows.length - texts.flat().length - infos.flat().length;
  const lines = [...texts, ...infos].map(lineOf).join('');
  const waited = durationText(nowMs - Math.min(...rows.map(({ time }) => time)));
  const message = `${subjectText(rows.length)} held back in ${waited} (${levelsText(counts)}):${lines}${moreText(more)}`;
  // Each attempt has the same id, so that a receiver recognizes it.
  const { id } = only.notification;
  const level = LEVELS.findLast((each) => counts[each] > 0) ?? 'info';
  const summary = createNotification({ id, level, context: OWN_CONTEXT, message }, nowMs);
  // Whole notifications would keep their texts in memory.
  return { notification: { ...summary, summarizes: all.map(({ id, caller }) => ({ id, caller })) }, rows };
}

export function lossesOf(lost: readonly Held[], cause: string): Losses {
  const all = lost.map(({ notification }) => notification);
  return { counts: countsOf(all), causes: [cause], lines: all.slice(-MAX_LISTED).map(firstLine) };
}

/** @returns all of them together */
export function mergedLosses(all: readonly Losses[]): Losses {
  const count = (level: Level) => all.reduce((sum, { counts }) => sum + counts[level], 0);
  return {
    counts: { info: count('info'), warn: count('warn'), error: count('error') },
    causes: [...new Set(all.flatMap(({ causes }) => causes))].slice(-MAX_CAUSES),
    lines: all.flatMap(({ lines }) => lines).slice(-MAX_LISTED),
  };
}

/** Reports losses to the people of the sink. Who sees it has seen no notification. */
export function noticeOf(losses: Losses, { id, time }: Pick<Notification, 'id' | 'time'>): Notification {
  const { counts, causes, lines } = losses;
  const total = totalOf(losses);
  const listed = lines.map((line) => `\n- ${line}`).join('');
  const more = lines.length === 0 ? '' : moreText(total - lines.length);
  const message = `${subjectText(total)} lost because ${causes.join(', or because ')}: ${levelsText(counts)}.${listed}${more}`;
  const level = counts.error > 0 ? 'error' : 'warn';
  return { ...createNotification({ id, level, context: OWN_CONTEXT, message }, time), summarizes: [] };
}

export function totalOf({ counts }: Losses): number {
  return counts.info + counts.warn + counts.error;
}

/** `37 notifications were` */
export function subjectText(count: number): string {
  return count === 1 ? '1 notification was' : `${count} notifications were`;
}

/** Equal for notifications that say exactly the same. */
export function contentKey({ level, context, caller = '', message }: Notification): string {
  return createHash('sha256')
    .update(JSON.stringify([level, context, caller, message]))
    .digest('base64url');
}

/** Formats a duration for people: `60 s`, `15 min`, `9 h`. */
export function durationText(durationMs: number): string {
  const seconds = Math.max(1, Math.round(durationMs / 1000));
  if (seconds < 120) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 120 ? `${minutes} min` : `${Math.round(minutes / 60)} h`;
}

function countsOf(notifications: readonly Notification[]): Counts {
  const counts = { info: 0, warn: 0, error: 0 };
  for (const { level } of notifications) counts[level] += 1;
  return counts;
}

/** `7 warn, 30 info` */
function levelsText(counts: Counts): string {
  const levels = LEVELS.toReversed().filter((level) => counts[level] > 0);
  return levels.map((level) => `${counts[level]} ${level}`).join(', ');
}

function moreText(count: number): string {
  return count > 0 ? `\nand ${count} more` : '';
}

function ofLevel<Row extends Held>(groups: readonly (readonly Row[])[], level: Level): (readonly Row[])[] {
  return groups.filter(([first]) => first?.notification.level === level);
}

/** Of notifications that say the same. The lines of a message stay, so each is indented under its first. */
function lineOf([first, ...others]: readonly Held[]): string {
  if (first === undefined) return '';
  const { caller, level, message } = first.notification;
  const sender = caller === undefined ? '' : `[${caller}] `;
  const text =
    level === 'info'
      ? firstLine(first.notification)
      : truncateCodePoints(message.trim(), MAX_SHOWN_CODE_POINTS);
  const times = others.length === 0 ? '' : ` (${others.length + 1} times)`;
  return `\n- ${sender}${text.replaceAll('\n', '\n  ')}${times}`;
}

function firstLine({ message }: Notification): string {
  const [first = ''] = message.trim().split('\n', 1);
  return truncateCodePoints(first.trim(), MAX_LINE_CODE_POINTS);
}
