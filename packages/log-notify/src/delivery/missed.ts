import { DEFAULT_USER } from '@deskside/core/base';
import type { Journal, Via } from '@deskside/desktop';
import { firstCodePoints } from '@deskside/core/text';
import { datedTime } from '../notification/display.ts';
import type { Level, Notification, SeenNotification } from '../notification/notification.ts';
import { escapeLine } from '../notification/safe-text.ts';

/** How many warnings and errors of all callers are watched. */
const MAX_WATCHED = 200;
/** The person gets this time before an agent reads that something was not seen. */
const GRACE_MS = 60_000;
const MAX_QUOTED_CODE_POINTS = 120;

const NOUNS: Readonly<Record<Level, string>> = { info: 'a message', warn: 'a warning', error: 'an error' };

type Watched = Pick<Notification, 'time' | 'level' | 'message'> & { readonly caller: string };

/** Whether the person has seen notifications: the journal knows, whatever process they saw it in. */
export class Missed {
  readonly #journal: Journal;
  /** By id, the newest last. Only what each of its sinks would report as seen. */
  readonly #watched = new Map<string, Watched>();

  constructor(journal: Journal) {
    this.#journal = journal;
  }

  async isSeen(id: string): Promise<boolean> {
    return (await this.#seen([id])).has(id);
  }

  /** The person has seen it on the desktop of this process. */
  onSeen(notification: SeenNotification): void {
    this.#watched.delete(notification.id);
    recordSeen(this.#journal, notification, 'desktop');
  }

  /** @param caller who may learn later that it was not seen */
  watch(id: string, { time, level, message }: Omit<Watched, 'caller'>, caller: string): void {
    if (level === 'info') return;
    this.#watched.set(id, { time, level, message, caller });
    const [oldest = id] = this.#watched.keys();
    if (this.#watched.size > MAX_WATCHED) this.#watched.delete(oldest);
  }

  /** @returns one line for an agent about what it sent and the person has not seen; undefined if nothing was missed */
  async sentence(caller: string, now: Date): Promise<string | undefined> {
    const waiting = [...this.#watched].filter(
      ([, each]) => each.caller === caller && now.getTime() - each.time >= GRACE_MS,
    );
    if (waiting.length === 0) return undefined;
    // Without the journal it is not known what was missed.
    const seen = await this.#seen(waiting.map(([id]) => id)).catch(() => undefined);
    if (seen === undefined) return undefined;
    for (const id of seen) this.#watched.delete(id);
    const missed = waiting.flatMap(([id, each]) => (this.#watched.has(id) ? [each] : []));
    const last = missed.at(-1);
    if (last === undefined) return undefined;
    const text = firstCodePoints(escapeLine(last.message), MAX_QUOTED_CODE_POINTS);
    const which = missed.length === 1 ? '' : `${missed.length} of your notifications. The last one is `;
    return `The person has not seen ${which}${NOUNS[last.level]} of ${datedTime(last.time, now)}: "${text}"`;
  }

  /** @returns those of them that the person has seen */
  async #seen(ids: readonly string[]): Promise<ReadonlySet<string>> {
    const records = await this.#journal.records({ kind: 'notification', ids: new Set(ids) });
    return new Set(records.filter(({ seen }) => seen !== undefined).map(({ id }) => id));
  }
}

/** Records where the person has seen a notification. */
export function recordSeen(journal: Journal, { id, caller = '' }: SeenNotification, via: Via): void {
  const item = journal.begin({ id, kind: 'notification', caller, user: DEFAULT_USER });
  item.seen(via);
  item.end('delivered', via);
}
