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
export function seenInTerminal({ journal, idleMs, clock = systemClock }: SeenOptions) {
  const waiting: { readonly id: string; readonly caller: string; readonly atMs: number }[] = [];
  let cancel: (() => void) | undefined;
  let looking: Promise<void> | undefined;
  return {
    add({ id, caller = '' }: Pick<Notification, 'id' | 'caller'>): void {
      waiting.push({ id, caller, atMs: clock.elapsedMs() });
      if (waiting.length > MAX_WAITING) waiting.shift();
      cancel ??= lookAfter(0);
    },
    async [Symbol.asyncDispose](): Promise<void> {
      cancel?.();
      await looking;
      if (waiting.length > 0) await look();
      cancel?.();
      await journal[Symbol.asyncDispose]();
    },
  };

  function lookAfter(ms: number): () => void {
    return clock.after(ms, () => void (looking = look()), { isBackground: true });
  }

  async function look(): Promise<void> {
    // A failure is as on a platform that does not tell.
    const idle = (await idleMs().catch(() => undefined)) ?? 0;
    const usedAtMs = clock.elapsedMs() - idle;
    const ids = new Set(waiting.filter(({ atMs }) => atMs <= usedAtMs + ACTIVE_MS).map(({ id }) => id));
    // What cannot be read cannot be marked.
    const read = async () => journal.records({ kind: 'notification', ids }).catch(() => []);
    const records = ids.size === 0 ? [] : await read();
    const seenAt = new Map(records.map(({ id, seen }) => [id, seen]));
    for (const each of waiting.splice(0)) {
      const { id, atMs } = each;
      // The sender writes its journal a moment after the file.
      const isNew = !seenAt.has(id) && clock.elapsedMs() - atMs < ACTIVE_MS;
      if (isNew || atMs > usedAtMs + ACTIVE_MS) waiting.push(each);
      else if (seenAt.has(id) && seenAt.get(id) === undefined) recordSeen(journal, each, 'terminal');
    }
    cancel = waiting.length === 0 ? undefined : lookAfter(LOOK_INTERVAL_MS);
  }
}
