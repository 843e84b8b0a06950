import type Database from 'better-sqlite3';

/** Each look takes some microseconds. */
const INTERVAL_MS = 1000;

/** Learns of the changes of other connections. SQLite says that one of them has changed the file, but not what. */
export class FileWatch implements Disposable {
  readonly #client: () => Database.Database | undefined;
  #timer: NodeJS.Timeout | undefined;
  #version: unknown;
  #lastChange: unknown = 0;

  /** @param client undefined before the file is open */
  constructor(client: () => Database.Database | undefined) {
    this.#client = client;
  }

  /** @returns a function that ends it */
  watch(user: string, changed: () => void): () => void {
    this[Symbol.dispose]();
    this.look(user);
    const timer = setInterval(() => this.look(user) && changed(), INTERVAL_MS).unref();
    this.#timer = timer;
    return () => clearInterval(timer);
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
  }

  /**
   * Counts of reads and uses of tokens change the file, too. A change of tasks has a row in the audit.
   *
   * @returns whether another connection has changed tasks of the user since the last look. Its first change is one that was known.
   */
  look(user?: string): boolean {
    const client = this.#client();
    const before = this.#version;
    try {
      // All of one moment.
      return (
        client?.transaction(() => {
          const isOfUser = client
            .prepare('SELECT 1 FROM audit WHERE id > ? AND user = ?')
            .get(this.#lastChange, user);
          this.#lastChange = client.prepare('SELECT max(id) FROM audit').pluck().get() ?? 0;
          this.#version = client.pragma('data_version', { simple: true });
          return before !== undefined && before !== this.#version && isOfUser !== undefined;
        })() ?? false
      );
    } catch {
      // The file cannot be read now: the next look may.
      return false;
    }
  }
}
