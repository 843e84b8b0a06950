import { firstCodePoints } from '../message/code-points.ts';
import { gravity, type Level, LEVELS } from '../message/levels.ts';
import type { Notification } from '../message/notification.ts';

/** Latest messages that a summary quotes, and the code points of each. */
const QUOTED = 5;
const QUOTED_LENGTH = 200;

/** Counts notifications by level, and remembers the latest. */
export class Tally {
  readonly #counts: Record<Level, number> = { info: 0, warn: 0, error: 0 };
  #latest: string[] = [];

  add({ level, message }: Notification): void {
    this.#counts[level] += 1;
    this.#latest.push(firstCodePoints(message, QUOTED_LENGTH));
    if (this.#latest.length > QUOTED) this.#latest.shift();
  }

  get total(): number {
    return LEVELS.reduce((sum, level) => sum + this.#counts[level], 0);
  }

  /** `37 notifications were` */
  get subject(): string {
    return this.total === 1 ? '1 notification was' : `${this.total} notifications were`;
  }

  /** The gravest level counted. */
  get level(): Level {
    return LEVELS.reduce((gravest, level) =>
      this.#counts[level] > 0 && gravity(level) > gravity(gravest) ? level : gravest,
    );
  }

  /** `30 info, 7 warn` */
  get counts(): string {
    return LEVELS.filter((level) => this.#counts[level] > 0)
      .map((level) => `${this.#counts[level]} ${level}`)
      .join(', ');
  }

  /** The last few messages, oldest first. */
  get latest(): string {
    return this.#latest.join(' | ');
  }

  clear(): void {
    for (const level of LEVELS) this.#counts[level] = 0;
    this.#latest = [];
  }
}
