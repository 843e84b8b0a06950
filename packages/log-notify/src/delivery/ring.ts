import type { Level } from '../message/levels.ts';
import type { Notification } from '../message/notification.ts';

/** Length of all messages together, in UTF-16 units, that one ring holds. */
const MOST_TEXT = 8 * 1024 * 1024;

/** What waits for a sink: bounded, oldest first; when it is full, the mildest and oldest makes room. */
export class Ring {
  readonly #capacity: number;
  #waiting: Notification[] = [];
  #text = 0;

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  get size(): number {
    return this.#waiting.length;
  }

  /** @returns what had to go, which may be the newcomer itself */
  push(newcomer: Notification): readonly Notification[] {
    this.#waiting.push(newcomer);
    this.#text += newcomer.message.length;
    return this.#shrink();
  }

  /** Takes the oldest out. */
  take(count: number): Notification[] {
    const taken = this.#waiting.splice(0, count);
    for (const { message } of taken) this.#text -= message.length;
    return taken;
  }

  /** Puts back in front what was taken and could not be delivered. */
  putBack(taken: readonly Notification[]): readonly Notification[] {
    this.#waiting = [...taken, ...this.#waiting];
    for (const { message } of taken) this.#text += message.length;
    return this.#shrink();
  }

  #shrink(): readonly Notification[] {
    const gone: Notification[] = [];
    while (this.#waiting.length > this.#capacity || (this.#text > MOST_TEXT && this.#waiting.length > 1)) {
      const [victim] = this.#waiting.splice(this.#mildest(), 1);
      if (victim === undefined) break;
      this.#text -= victim.message.length;
      gone.push(victim);
    }
    return gone;
  }

  #mildest(): number {
    const oldest = (level: Level) => this.#waiting.findIndex((each) => each.level === level);
    const info = oldest('info');
    if (info !== -1) return info;
    return Math.max(0, oldest('warn'));
  }
}
