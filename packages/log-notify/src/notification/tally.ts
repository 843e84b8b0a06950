import { createHash } from 'node:crypto';
import { truncateCodePoints } from '@deskside/core/text';
import { LEVELS, type Level, type Notification, severity } from './notification.ts';

/** How many different messages a summary lists. The rest is counted. */
const MAX_LINES = 20;
const MAX_LINE_CODE_POINTS = 200;

/** One listed message, and how often it came. */
interface Line {
  /** Identifies the whole message. */
  readonly key: string;
  readonly level: Level;
  readonly text: string;
  readonly count: number;
}

/** The content of a tally as plain data. */
export interface TallyData {
  readonly counts: Readonly<Record<Level, number>>;
  readonly lines: readonly Line[];
}

/** Counts notifications per level and lists the first line of the first different ones. */
export class Tally {
  #counts: Record<Level, number> = { info: 0, warn: 0, error: 0 };
  #lines = new Map<string, Line>();

  static from({ counts, lines }: TallyData): Tally {
    const tally = new Tally();
    tally.#counts = { ...counts };
    for (const line of lines) tally.#list(line);
    return tally;
  }

  /** Messages that differ are listed separately, even if their first lines are equal. */
  add(added: Notification): void {
    const { level, caller, message } = added;
    this.#counts[level] += 1;
    const [first = ''] = message.trim().split('\n', 1);
    const sender = caller === undefined ? '' : `[${caller}] `;
    const text = `${sender}${truncateCodePoints(first.trim(), MAX_LINE_CODE_POINTS)}`;
    this.#list({ key: contentKey(added), level, text, count: 1 });
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

  /** One line per listed message, and the number of the others. Starts with a line feed. */
  get list(): string {
    const lines = [...this.#lines.values()];
    const listed = lines.reduce((sum, { count }) => sum + count, 0);
    const rest = this.total - listed;
    return [
      ...lines.map(({ text, count }) => `\n- ${text}${count === 1 ? '' : ` (${count} times)`}`),
      ...(rest > 0 ? [`\nand ${rest} more`] : []),
    ].join('');
  }

  #list(line: Line): void {
    const known = this.#lines.get(line.key);
    if (known === undefined && this.#lines.size >= MAX_LINES) return;
    this.#lines.set(line.key, { ...line, count: line.count + (known?.count ?? 0) });
  }
}

/** Equal for notifications that say exactly the same. */
export function contentKey({ level, context, caller = '', message }: Notification): string {
  const content = JSON.stringify([level, context, caller, message]);
  return createHash('sha256').update(content).digest('base64url').slice(0, 22);
}
