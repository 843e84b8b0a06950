import { firstCodePoints } from '../message/code-points.ts';
import { type Notification, notification } from '../message/notification.ts';
import type { Clock } from './clock.ts';
import { durationText } from './duration-text.ts';

/** Different notifications that are watched for repeats at one time. */
const MOST_WATCHED = 500;
/** Length of a message by which it is told from others. */
const COMPARED = 500;

interface Watched {
  readonly first: Notification;
  repeats: number;
  readonly cancel: () => void;
}

/** Lets the first of many like it through, counts the others, and says at the end of the window how many. */
export class Folding {
  readonly #window: number;
  readonly #clock: Clock;
  readonly #release: (summary: Notification) => void;
  readonly #watched = new Map<string, Watched>();

  /** @param window milliseconds */
  constructor(window: number, clock: Clock, release: (summary: Notification) => void) {
    this.#window = window;
    this.#clock = clock;
    this.#release = release;
  }

  /** @returns true where this one was folded into an earlier one */
  fold(candidate: Notification): boolean {
    const key = signature(candidate);
    const known = this.#watched.get(key);
    if (known !== undefined) {
      known.repeats += 1;
      return true;
    }
    if (this.#watched.size < MOST_WATCHED) {
      const cancel = this.#clock.after(this.#window, () => this.#end(key));
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
    const { level, context, message } = watched.first;
    const now = this.#clock.now();
    const similar = `(+${watched.repeats} similar in ${durationText(now - watched.first.time)})`;
    this.#release(
      notification({ level, context, message: `${firstCodePoints(message, COMPARED)} ${similar}` }, now),
    );
  }
}

/** Numbers, hexadecimal ids and paths make no difference; for an error everything does. */
function signature({ level, context, message }: Notification): string {
  const compared = message.slice(0, COMPARED);
  const text =
    level === 'error'
      ? `${compared}${message.length}`
      : compared.replaceAll(/(?:[\w.-]*[/\\])+[\w.-]+/g, '/').replaceAll(/\b(?:0x)?[\da-f]{6,}\b|\d+/gi, '#');
  return `${level} ${context} ${text}`;
}
