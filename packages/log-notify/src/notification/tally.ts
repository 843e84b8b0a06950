import { createHash } from 'node:crypto';
import { codePointLength, truncateCodePoints } from '@deskside/core/text';
import { LEVELS, type Level, type Notification, severity } from './notification.ts';
import { MAX_SHOWN_CODE_POINTS } from './safe-text.ts';

/** How many first lines are listed: the newest. The rest is counted. */
const MAX_BRIEF = 20;
const MAX_BRIEF_CODE_POINTS = 200;

/** Bounds of the texts of warnings and errors together. Only beyond them is one counted without its text. */
const [MAX_TEXTS, MAX_TEXT_UNITS] = [10_000, 8 * 1024 * 1024];

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

/** The content of a tally as plain data. Spools of earlier versions have it too. */
export interface TallyData {
  readonly counts: Readonly<Record<Level, number>>;
  readonly lines: readonly Line[];
}

/** Counts notifications per level, with the text of each warning and error and the first line of the newest infos. */
export class Tally {
  readonly #counts: Record<Level, number> = { info: 0, warn: 0, error: 0 };
  /** In the order in which they came first, infos last. */
  readonly #lines = new Map<string, Line>();
  readonly #listed: Record<Level, number> = { info: 0, warn: 0, error: 0 };
  readonly #isBrief: boolean;
  #textUnits = 0;

  /** @param isBrief list the first lines of the most important messages only */
  constructor(isBrief = false) {
    this.#isBrief = isBrief;
  }

  static from(data: TallyData, isBrief = false): Tally {
    const tally = new Tally(isBrief);
    tally.merge(data);
    return tally;
  }

  /** Messages that differ are listed separately, even if their first lines are equal. */
  add(added: Notification): void {
    const { level, caller, message } = added;
    this.#counts[level] += 1;
    const sender = caller === undefined ? '' : `[${caller}] `;
    const text =
      level === 'info'
        ? firstLine(message.trim())
        : truncateCodePoints(message.trim(), MAX_SHOWN_CODE_POINTS);
    this.#list({ key: contentKey(added), level, text: `${sender}${text}`, count: 1 });
  }

  merge({ counts, lines }: TallyData): void {
    for (const level of LEVELS) this.#counts[level] += counts[level];
    for (const line of lines) this.#list(line);
  }

  get total(): number {
    return LEVELS.reduce((sum, level) => sum + this.#counts[level], 0);
  }

  /** The highest level counted. */
  get level(): Level {
    return LEVELS.reduce((highest, level) =>
      this.#counts[level] > 0 && severity(level) > severity(highest) ? level : highest,
    );
  }

  get data(): TallyData {
    return { counts: { ...this.#counts }, lines: [...this.#lines.values()] };
  }

  /** `37 notifications were` */
  get subject(): string {
    return this.total === 1 ? '1 notification was' : `${this.total} notifications were`;
  }

  /** `7 warn, 30 info` */
  get levels(): string {
    return LEVELS.toReversed()
      .filter((level) => this.#counts[level] > 0)
      .map((level) => `${this.#counts[level]} ${level}`)
      .join(', ');
  }

  /** One entry per listed message, the highest level first, and the number of the others. Starts with a line feed. */
  get list(): string {
    const lines = LEVELS.toReversed().flatMap((level) => this.#linesOf(level));
    if (lines.length === 0) return '';
    const rest = this.total - lines.reduce((sum, { count }) => sum + count, 0);
    return [...lines.map(lineText), ...(rest > 0 ? [`\nand ${rest} more`] : [])].join('');
  }

  /**
   * Splits it into tallies that fit a message: the texts of all warnings and errors, then the infos that fit.
   *
   * @param maxCodePoints what a sink shows of a message. A longer text is alone in its part.
   */
  parts(maxCodePoints: number): Tally[] {
    const room = Math.max(1, maxCodePoints - FRAME_CODE_POINTS);
    const parts: Tally[] = [];
    const rest = { ...this.#counts };
    let part = new Tally();
    let used = 0;
    const add = (line: Line) => {
      part.merge({ counts: { info: 0, warn: 0, error: 0, [line.level]: line.count }, lines: [line] });
      rest[line.level] -= line.count;
    };
    for (const line of [...this.#linesOf('error'), ...this.#linesOf('warn')]) {
      const size = codePointLength(lineText(line));
      if (used + size > room && part.total > 0) {
        parts.push(part);
        part = new Tally();
        used = 0;
      }
      add(line);
      used += size;
    }
    const infos = this.#linesOf('info').toReversed();
    const fitting = infos.filter((line) => {
      used += codePointLength(lineText(line));
      return used <= room;
    });
    for (const line of fitting.toReversed()) add(line);
    part.merge({ counts: rest, lines: [] });
    return [...parts, part];
  }

  has(key: string): boolean {
    return this.#lines.has(key);
  }

  #linesOf(level: Level): Line[] {
    return [...this.#lines.values()].filter((line) => line.level === level);
  }

  #list(line: Line): void {
    const known = this.#lines.get(line.key);
    if (known !== undefined && line.level !== 'info') {
      this.#lines.set(line.key, { ...known, count: known.count + line.count });
      return;
    }
    if (known !== undefined) this.#drop(known);
    const text = this.#isBrief ? firstLine(line.text) : line.text;
    this.#lines.set(line.key, { ...line, text, count: line.count + (known?.count ?? 0) });
    this.#listed[line.level] += 1;
    this.#textUnits += text.length;
    if (this.#listed.info > MAX_BRIEF) this.#dropOldest('info');
    while (this.#isFull) this.#dropOldest(LEVELS.find((level) => this.#listed[level] > 0) ?? 'error');
  }

  get #isFull(): boolean {
    const { size } = this.#lines;
    if (this.#isBrief) return size > MAX_BRIEF;
    return size > MAX_TEXTS || (this.#textUnits > MAX_TEXT_UNITS && size > 1);
  }

  #dropOldest(level: Level): void {
    for (const line of this.#lines.values()) if (line.level === level) return this.#drop(line);
  }

  #drop(line: Line): void {
    this.#lines.delete(line.key);
    this.#listed[line.level] -= 1;
    this.#textUnits -= line.text.length;
  }
}

function firstLine(text: string): string {
  const [first = ''] = text.split('\n', 1);
  return truncateCodePoints(first.trim(), MAX_BRIEF_CODE_POINTS);
}

/** The lines of a message stay, so each is indented under its first. */
function lineText({ text, count }: Line): string {
  return `\n- ${text.replaceAll('\n', '\n  ')}${count === 1 ? '' : ` (${count} times)`}`;
}

/** Equal for notifications that say exactly the same. */
export function contentKey({ level, context, caller = '', message }: Notification): string {
  const content = JSON.stringify([level, context, caller, message]);
  return createHash('sha256').update(content).digest('base64url').slice(0, 22);
}
