import type Database from 'better-sqlite3';

/** Each look takes some microseconds. */
const INTERVAL_MS = 1000;

/** Learns of the changes of other connections. SQLite says that one of them has changed the file, but not what. */
export class FileWatch implements Disposable {
  readonly #client: () => Database.Database | undefined;
  #timer: NodeJS.Timeout | undefined;
  #seen: { readonly version: unknown; readonly lastChange: unknown } | undefined;

  /** @param client undefined before the file is open */
  constructor(client: () => Database.Database | undefined) {
    this.#client = client;
  }

  /** @returns a function that ends it */
  watch(user: string, changed: () => void): () => void {
    this[Symbol.dispose]();
    this.#seen = this.#read();
    const timer = setInterval(() => this.#look(user, changed), INTERVAL_MS).unref();
    this.#timer = timer;
    return () => clearInterval(timer);
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
  }

  /** The file is open: what changes from now on is announced. */
  opened(): void {
    if (this.#timer !== undefined) this.#seen = this.#read();
  }

  #look(user: string, changed: () => void): void {
    const before = this.#seen;
    const now = this.#read();
    if (now === undefined) return;
    this.#seen = now;
    if (before === undefined || before.version === now.version) return;
    // Counts of reads and uses of tokens change the file, too. A change of tasks has a row in the audit.
    if (before.lastChange === now.lastChange) return;
    if (this.#hasChanged(user, before.lastChange)) changed();
  }

  /** Reads only the new rows. If it cannot read them, something may have changed. */
  #hasChanged(user: string, since: unknown): boolean {
    try {
      const rows = this.#client()?.prepare('SELECT 1 FROM audit WHERE id > ? AND user = ?');
      return rows?.get(since ?? 0, user) !== undefined;
    } catch {
      return true;
    }
  }

  /** Both of one moment. Undefined if the file cannot be read now: the next look may. */
  #read() {
    const client = this.#client();
    if (client?.open !== true) return undefined;
    try {
      return client.transaction(() => ({
        version: client.pragma('data_version', { simple: true }),
        lastChange: client.prepare('SELECT max(id) FROM audit').pluck().get(),
      }))();
    } catch {
      return undefined;
    }
  }
}
