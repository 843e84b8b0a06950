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
    this.#seen = this.#read();
  }

  /** Counts of reads and uses of tokens change the file, too. A change of tasks has a row in the audit. */
  #look(user: string, changed: () => void): void {
    const before = this.#seen;
    const now = this.#read(user, before?.lastChange);
    this.#seen = now ?? before;
    if (now?.isOfUser === true && before !== undefined && before.version !== now.version) changed();
  }

  /** All of one moment. Undefined if the file cannot be read now: the next look may. */
  #read(user?: string, since: unknown = 0) {
    const client = this.#client();
    try {
      return client?.transaction(() => ({
        version: client.pragma('data_version', { simple: true }),
        lastChange: client.prepare('SELECT max(id) FROM audit').pluck().get() ?? 0,
        isOfUser:
          client.prepare('SELECT 1 FROM audit WHERE id > ? AND user = ?').get(since, user) !== undefined,
      }))();
    } catch {
      return undefined;
    }
  }
}
