import type { Journal } from '@deskside/desktop';
import { type Scheduler, systemClock } from '@deskside/core/base';
import { recordSeen } from '../delivery/missed.ts';
import type { Notification } from '../notification/notification.ts';

/** Who used the computer this long before is still there. */
const ACTIVE_MS = 10_000;
/** How often it looks while something waits. On some platforms a program tells. */
const LOOK_INTERVAL_MS = 20_000;
const MAX_WAITING = 1000;

export interface SeenOptions {
  readonly journal: Journal;
  /** How long the person has not used the computer; undefined if the platform does not tell. */
  readonly idleMs: () => Promise<number | undefined>;
  readonly clock?: Scheduler;
}

/** What a terminal shows is seen when the person uses the computer afterwards, as far as the platform tells. */
export class SeenInTerminal implements AsyncDisposable {
  readonly #options: SeenOptions;
  readonly #clock: Scheduler;
  #waiting: { readonly id: string; readonly caller: string; readonly atMs: number }[] = [];
  #cancel: (() => void) | undefined;
  #looking: Promise<void> | undefined;

  constructor({ clock = systemClock, ...options }: SeenOptions) {
    this.#options = options;
    this.#clock = clock;
  }

  add({ id, caller = '' }: Pick<Notification, 'id' | 'caller'>): void {
    this.#waiting.push({ id, caller, atMs: this.#clock.elapsedMs() });
    if (this.#waiting.length > MAX_WAITING) this.#waiting.shift();
    this.#cancel ??= this.#lookAfter(0);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#cancel?.();
    await this.#looking;
    if (this.#waiting.length > 0) await this.#look();
    this.#cancel?.();
    await this.#options.journal[Symbol.asyncDispose]();
  }

  #lookAfter(ms: number): () => void {
    const look = () => {
      this.#looking = this.#look();
    };
    return this.#clock.after(ms, look, { isBackground: true });
  }

  async #look(): Promise<void> {
    // A failure is as on a platform that does not tell.
    const idle = (await this.#options.idleMs().catch(() => undefined)) ?? 0;
    const usedAtMs = this.#clock.elapsedMs() - idle;
    const ids = new Set(this.#waiting.filter(({ atMs }) => atMs <= usedAtMs + ACTIVE_MS).map(({ id }) => id));
    // What cannot be read cannot be marked.
    const read = async () => this.#options.journal.records({ kind: 'notification', ids }).catch(() => []);
    const records = ids.size === 0 ? [] : await read();
    const seenAt = new Map(records.map(({ id, seen }) => [id, seen]));
    for (const waiting of this.#waiting.splice(0)) {
      const { id, atMs } = waiting;
      // The sender writes its journal a moment after the file.
      const isNew = !seenAt.has(id) && this.#clock.elapsedMs() - atMs < ACTIVE_MS;
      if (isNew || atMs > usedAtMs + ACTIVE_MS) this.#waiting.push(waiting);
      else if (seenAt.has(id) && seenAt.get(id) === undefined)
        recordSeen(this.#options.journal, waiting, 'terminal');
    }
    this.#cancel = this.#waiting.length === 0 ? undefined : this.#lookAfter(LOOK_INTERVAL_MS);
  }
}
