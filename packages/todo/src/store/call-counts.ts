import { DAY_MS, type Outcome } from './records.ts';
import type { CallCount, CallerContext } from './task-store.ts';

/** How long a count may wait to be written: a process that is killed loses it. */
const WRITE_DELAY_MS = 1000;

/** Counts reads and refused calls, and writes the counts together after a moment: no call waits for it. */
export class CallCounter {
  readonly #write: (counts: readonly CallCount[]) => Promise<void>;
  #counts = new Map<string, CallCount>();
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> | undefined;

  constructor(write: (counts: readonly CallCount[]) => Promise<void>) {
    this.#write = write;
  }

  count({ actor, tool }: CallerContext, outcome: Outcome, at: Date): void {
    this.#add({ actor, day: Math.floor(at.getTime() / DAY_MS), tool, outcome, calls: 1 });
    this.#timer ??= setTimeout(() => void this.flush(), WRITE_DELAY_MS).unref();
  }

  /** What cannot be written now is written with the next count. */
  async flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    // Without a turn of the event loop if nothing is written: the database may be closed after this one.
    if (this.#writing !== undefined) await this.#writing;
    // In one order, so that two servers do not wait for each other.
    const counts = [...this.#counts].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, count]) => count);
    if (counts.length === 0) return;
    this.#counts = new Map();
    this.#writing = this.#write(counts)
      .catch(() => {
        for (const count of counts) this.#add(count);
      })
      .finally(() => void (this.#writing = undefined));
    await this.#writing;
  }

  #add({ actor, day, tool, outcome, calls }: CallCount): void {
    const key = JSON.stringify([actor, day, tool, outcome]);
    const before = this.#counts.get(key)?.calls ?? 0;
    this.#counts.set(key, { actor, day, tool, outcome, calls: before + calls });
  }
}
