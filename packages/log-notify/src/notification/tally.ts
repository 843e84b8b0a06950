import { createHash } from 'node:crypto';
import { codePointLength, truncateCodePoints } from '@deskside/core/text';
import { LEVELS, type Level, type Notification } from './notification.ts';
import { MAX_SHOWN_CODE_POINTS } from './safe-text.ts';

/** How many first lines are listed: the newest. The rest is counted. */
const MAX_BRIEF = 20;
const MAX_BRIEF_CODE_POINTS = 200;

/** Room for the first line of a summary and for the number of what it does not list. */
const FRAME_CODE_POINTS = 120;

/** One listed message, and how often it came. */
interface Line {
  /** Identifies the whole message. */
  readonly key: string;
  readonly level: Level;
  /** The sender, and of an info the first line, of others the message. */
  readonly text: string;
  readonly count: number;
}

/** How many notifications came per level, and what they say. */
export interface Tally {
  readonly counts: Readonly<Record<Level, number>>;
  /** In the order in which they came first, repeated infos in that of the last. */
  readonly lines: readonly Line[];
}

/** Messages that differ are listed separately, even if their first lines are equal. */
export function tallyOf(notifications: readonly Notification[]): Tally {
  return mergedTallies(
    notifications.map((counted) => {
      const { level, caller, message } = counted;
      const sender = caller === undefined ? '' : `[${caller}] `;
      const body = message.trim();
      const text = level === 'info' ? firstLine(body) : truncateCodePoints(body, MAX_SHOWN_CODE_POINTS);
      const line = { key: contentKey(counted), level, text: `${sender}${text}`, count: 1 };
      return { counts: countsOf([line]), lines: [line] };
    }),
  );
}

export function mergedTallies(tallies: readonly Tally[]): Tally {
  const counts = countsOf([]);
  const lines = new Map<string, Line>();
  for (const tally of tallies) {
    for (const level of LEVELS) counts[level] += tally.counts[level];
    for (const line of tally.lines) {
      const known = lines.get(line.key);
      if (line.level === 'info') lines.delete(line.key);
      lines.set(line.key, { ...line, count: line.count + (known?.count ?? 0) });
    }
  }
  return { counts, lines: [...lines.values()] };
}

/** The first lines of the most important messages only, the newest of each level. */
export function briefly({ counts, lines }: Tally): Tally {
  const important = LEVELS.toReversed().flatMap((level) => ofLevel(lines, level).toReversed());
  const listed = new Set(important.slice(0, MAX_BRIEF));
  const brief = lines.filter((line) => listed.has(line));
  return {
    counts,
    lines: brief.map(({ key, level, text, count }) => ({ key, level, text: firstLine(text), count })),
  };
}

/**
 * Splits it into tallies that fit a message: the texts of all warnings and errors, then the newest infos that fit. The
 * last part counts what no part lists.
 *
 * @param maxCodePoints what a sink shows of a message. A longer text is alone in its part.
 */
export function partsOf({ counts, lines }: Tally, maxCodePoints: number): Tally[] {
  const room = Math.max(1, maxCodePoints - FRAME_CODE_POINTS);
  const before: Line[][] = [];
  let part: Line[] = [];
  let used = 0;
  for (const line of [...ofLevel(lines, 'error'), ...ofLevel(lines, 'warn')]) {
    const size = codePointLength(lineText(line));
    if (used + size > room && part.length > 0) {
      before.push(part);
      part = [];
      used = 0;
    }
    part.push(line);
    used += size;
  }
  const newest = ofLevel(lines, 'info').slice(-MAX_BRIEF).toReversed();
  const fitting = newest.filter((line) => {
    used += codePointLength(lineText(line));
    return used <= room;
  });
  const parts = before.map((listed) => ({ counts: countsOf(listed), lines: listed }));
  const rest = { ...counts };
  for (const { counts: counted } of parts) for (const level of LEVELS) rest[level] -= counted[level];
  return [...parts, { counts: rest, lines: [...part, ...fitting.toReversed()] }];
}

export function totalOf({ counts }: Tally): number {
  return LEVELS.reduce((sum, level) => sum + counts[level], 0);
}

/** The highest level counted. */
export function highestLevel({ counts }: Tally): Level {
  return LEVELS.findLast((level) => counts[level] > 0) ?? 'info';
}

/** `37 notifications were` */
export function subjectText(counted: Tally | number): string {
  const total = typeof counted === 'number' ? counted : totalOf(counted);
  return total === 1 ? '1 notification was' : `${total} notifications were`;
}

/** `7 warn, 30 info` */
export function levelsText({ counts }: Tally): string {
  const levels = LEVELS.toReversed().filter((level) => counts[level] > 0);
  return levels.map((level) => `${counts[level]} ${level}`).join(', ');
}

/** One entry per listed message, the highest level first, and the number of the others. Starts with a line feed. */
export function listText(tally: Tally): string {
  const lines = LEVELS.toReversed().flatMap((level) => ofLevel(tally.lines, level));
  if (lines.length === 0) return '';
  const rest = totalOf(tally) - lines.reduce((sum, { count }) => sum + count, 0);
  return [...lines.map(lineText), ...(rest > 0 ? [`\nand ${rest} more`] : [])].join('');
}

/** Equal for notifications that say exactly the same. */
export function contentKey({ level, context, caller = '', message }: Notification): string {
  const content = JSON.stringify([level, context, caller, message]);
  return createHash('sha256').update(content).digest('base64url').slice(0, 22);
}

function countsOf(lines: readonly Line[]): Record<Level, number> {
  const counts = { info: 0, warn: 0, error: 0 };
  for (const { level, count } of lines) counts[level] += count;
  return counts;
}

function ofLevel(lines: readonly Line[], level: Level): readonly Line[] {
  return lines.filter((line) => line.level === level);
}

function firstLine(text: string): string {
  const [first = ''] = text.split('\n', 1);
  return truncateCodePoints(first.trim(), MAX_BRIEF_CODE_POINTS);
}

/** The lines of a message stay, so each is indented under its first. */
function lineText({ text, count }: Line): string {
  return `\n- ${text.replaceAll('\n', '\n  ')}${count === 1 ? '' : ` (${count} times)`}`;
}
