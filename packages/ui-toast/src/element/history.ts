import type { Notification } from '../notification/notification.ts';

/** Entries the notification centre keeps. */
const HISTORY_LIMIT = 50;

export interface HistoryEntry {
  readonly notification: Notification;
  readonly count: number;
  /** When it came last. */
  readonly at: Date;
}

/** What was shown, newest first, as long as the page lives: a toast that went is not lost. */
export class History {
  #entries: readonly HistoryEntry[] = [];

  get entries(): readonly HistoryEntry[] {
    return this.#entries;
  }

  /** Puts it on top, in place of what it had under that id. */
  put(notification: Notification, count: number): void {
    const others = this.#entries.filter((entry) => entry.notification.id !== notification.id);
    this.#entries = [{ notification, count, at: new Date() }, ...others].slice(0, HISTORY_LIMIT);
  }

  clear(): void {
    this.#entries = [];
  }
}
