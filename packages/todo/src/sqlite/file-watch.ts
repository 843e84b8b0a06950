import type Database from 'better-sqlite3';

/** Each look takes some microseconds. */
const INTERVAL_MS = 1000;

/** Learns of the changes of other connections. SQLite says that one of them has changed the file, but not what. */
export class FileWatch implements Disposable {
  readonly #client: () => Database.Database | undefined;
  readonly #watchers = new Set<() => void>();
  #timer: NodeJS.Timeout | undefined;
  #version: unknown;

  /** @param client undefined before the file is open */
  constructor(client: () => Database.Database | undefined) {
    this.#client = client;
  }

  /** @returns a function that ends it */
  watch(changed: () => void): () => void {
    if (this.#watchers.size === 0) this.#version = this.#dataVersion();
    this.#watchers.add(changed);
    this.#timer ??= setInterval(() => this.#look(), INTERVAL_MS).unref();
    return () => {
      this.#watchers.delete(changed);
      if (this.#watchers.size === 0) this[Symbol.dispose]();
    };
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #look(): void {
    const before = this.#version;
    this.#version = this.#dataVersion();
    if (before === undefined || before === this.#version) return;
    for (const changed of this.#watchers) changed();
  }

  #dataVersion(): unknown {
    const client = this.#client();
    return client?.open === true ? client.pragma('data_version', { simple: true }) : undefined;
  }
}
