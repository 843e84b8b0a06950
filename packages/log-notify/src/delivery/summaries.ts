import { firstCodePoints } from '@deskside/core/text';
import {
  LEVELS,
  type Level,
  type Notification,
  type NotificationInput,
  createNotification,
  severity,
} from '../notification/notification.ts';
import type { Clock } from './clock.ts';

/** Context of messages that log-notify itself writes. */
export const OWN_CONTEXT = 'log-notify';

/** How many different notifications are watched for repeats at the same time. */
const MAX_WATCHED = 500;
/** Length of the part of a message that is compared, in UTF-16 units. */
const COMPARED_UNITS = 500;

/** Timers are not longer than this, because they stop while the machine sleeps. */
const MAX_TIMER_MS = 60_000;

/** How many of the latest messages a summary quotes. */
const MAX_QUOTED = 5;
const MAX_QUOTED_CODE_POINTS = 200;

/** Counts notifications per level and remembers the latest ones. */
export class Counter {
  readonly #counts: Record<Level, number> = { info: 0, warn: 0, error: 0 };
  #latest: string[] = [];

  add({ level, message }: Notification): void {
    this.#counts[level] += 1;
    this.#latest.push(firstCodePoints(message, MAX_QUOTED_CODE_POINTS));
    if (this.#latest.length > MAX_QUOTED) this.#latest.shift();
  }

  get total(): number {
    return LEVELS.reduce((sum, level) => sum + this.#counts[level], 0);
  }

  /** `37 notifications were` */
  get subject(): string {
    return this.total === 1 ? '1 notification was' : `${this.total} notifications were`;
  }

  /** The highest level counted. */
  get level(): Level {
    return LEVELS.reduce((highest, level) =>
      this.#counts[level] > 0 && severity(level) > severity(highest) ? level : highest,
    );
  }

  /** `30 info, 7 warn` */
  get counts(): string {
    return LEVELS.filter((level) => this.#counts[level] > 0)
      .map((level) => `${this.#counts[level]} ${level}`)
      .join(', ');
  }

  /** The latest messages, oldest first. */
  get latest(): string {
    return this.#latest.join(' | ');
  }

  clear(): void {
    for (const level of LEVELS) this.#counts[level] = 0;
    this.#latest = [];
  }
}

/** Holds notifications for a time, then replaces them with one summary. */
export class Digest {
  readonly #clock: Clock;
  readonly #release: (summary: Notification) => void;
  readonly #counter = new Counter();
  #since = 0;
  #until = 0;
  #cancel: (() => void) | undefined;

  /** @param release receives the summary */
  constructor(clock: Clock, release: (summary: Notification) => void) {
    this.#clock = clock;
    this.#release = release;
  }

  /** @param durationMs time until the summary; the first notification starts it */
  hold(held: Notification, durationMs: number): void {
    if (this.#cancel === undefined) {
      this.#since = this.#clock.now();
      this.#until = this.#since + durationMs;
      this.#wait();
    }
    this.#counter.add(held);
  }

  /** Releases the summary now, if something is held. */
  flush(): void {
    this.#cancel?.();
    this.#cancel = undefined;
    if (this.#counter.total === 0) return;
    const now = this.#clock.now();
    const summary = summaryOf(this.#counter, now - this.#since);
    this.#counter.clear();
    this.#release(createNotification(summary, now));
  }

  #wait(): void {
    const remainingMs = this.#until - this.#clock.now();
    if (remainingMs <= 0) this.flush();
    else this.#cancel = this.#clock.startTimer(Math.min(remainingMs, MAX_TIMER_MS), () => this.#wait());
  }
}

function summaryOf(counter: Counter, durationMs: number): NotificationInput {
  const { subject, counts, latest, level } = counter;
  const message = `${subject} held back in ${durationText(durationMs)} (${counts}). Latest: ${latest}`;
  return { level, context: OWN_CONTEXT, message };
}

interface Watched {
  readonly first: Notification;
  repeats: number;
  readonly cancel: () => void;
}

/** Passes the first of several similar notifications, counts the others and reports the count after a time window. */
export class Deduplicator {
  readonly #windowMs: number;
  readonly #clock: Clock;
  readonly #release: (summary: Notification) => void;
  readonly #watched = new Map<string, Watched>();

  /** @param release receives the summaries */
  constructor(windowMs: number, clock: Clock, release: (summary: Notification) => void) {
    this.#windowMs = windowMs;
    this.#clock = clock;
    this.#release = release;
  }

  /** @returns true if the notification repeats an earlier one and was counted */
  isRepeat(candidate: Notification): boolean {
    const key = signature(candidate);
    const known = this.#watched.get(key);
    if (known !== undefined) {
      known.repeats += 1;
      return true;
    }
    if (this.#watched.size < MAX_WATCHED) {
      const cancel = this.#clock.startTimer(this.#windowMs, () => this.#end(key));
      this.#watched.set(key, { first: candidate, repeats: 0, cancel });
    }
    return false;
  }

  flush(): void {
    for (const key of this.#watched.keys()) this.#end(key);
  }

  #end(key: string): void {
    const watched = this.#watched.get(key);
    this.#watched.delete(key);
    watched?.cancel();
    if (watched === undefined || watched.repeats === 0) return;
    const { first, repeats } = watched;
    const now = this.#clock.now();
    const similar = `(+${repeats} similar in ${durationText(now - first.time)})`;
    const message = `${firstCodePoints(first.message, COMPARED_UNITS)} ${similar}`;
    this.#release(createNotification({ level: first.level, context: first.context, message }, now));
  }
}

/** Ignores numbers, hexadecimal ids and paths, except in errors. */
function signature({ level, context, message }: Notification): string {
  const compared = message.slice(0, COMPARED_UNITS);
  const text =
    level === 'error'
      ? `${compared}${message.length}`
      : compared.replaceAll(/(?:[\w.-]*[/\\])+[\w.-]+/g, '/').replaceAll(/\b(?:0x)?[\da-f]{6,}\b|\d+/gi, '#');
  return `${level} ${context} ${text}`;
}

/** Formats a duration for people: `60 s`, `15 min`, `9 h`. */
export function durationText(durationMs: number): string {
  const seconds = Math.max(1, Math.round(durationMs / 1000));
  if (seconds < 120) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 120 ? `${minutes} min` : `${Math.round(minutes / 60)} h`;
}
