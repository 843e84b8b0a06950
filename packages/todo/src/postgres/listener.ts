import { createHash } from 'node:crypto';
import { Client, type PoolClient } from 'pg';
import { connectionSettings } from './connection.ts';

const CHANNEL = 'deskside_todo';

/** The first number of the advisory locks that `change_v1` looks at; the second one names the user. */
const LOCK = 1_146_309_461;

const RECONNECT_MS = 5000;

/**
 * Learns of the changes of all servers through one connection, while somebody watches. It needs a session of its own: behind a
 * pooler that shares connections between transactions, subscribers see the changes of their own server only.
 */
export class Listener implements AsyncDisposable {
  readonly #url: string;
  readonly #own: ReadonlySet<number>;
  readonly #watched = new Map<string, Set<(taskId?: number) => void>>();
  #client: Promise<Client> | undefined;
  #retry: NodeJS.Timeout | undefined;

  /** @param own the processes of the server whose changes are known */
  constructor(url: string, own: ReadonlySet<number>) {
    this.#url = url;
    this.#own = own;
  }

  /** @returns a function that ends it */
  watch(user: string, changed: (taskId?: number) => void): () => void {
    const watchers = this.#watched.get(user) ?? new Set();
    this.#watched.set(user, watchers.add(changed));
    if (watchers.size === 1) void this.#listen();
    return () => {
      watchers.delete(changed);
      if (watchers.size > 0) return;
      this.#watched.delete(user);
      // A new session has no locks of users whom nobody watches any more.
      void this.#listen();
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#watched.clear();
    await this.#listen();
  }

  /** Replaces the connection by one that listens for the users who are watched. */
  async #listen(isAgain = false): Promise<void> {
    clearTimeout(this.#retry);
    const before = this.#client;
    const next = this.#watched.size === 0 ? undefined : this.#connect([...this.#watched.keys()]);
    this.#client = next;
    // The one before hears what changes until then. Without one, nothing was heard.
    await next?.then(
      () => (isAgain || before === undefined) && this.#notifyAll(),
      () => this.#listenLater(),
    );
    await before?.then(
      (client) => client.end(),
      () => undefined,
    );
  }

  async #connect(users: readonly string[]): Promise<Client> {
    const client = new Client(connectionSettings(this.#url));
    client.on('error', () => this.#listenLater());
    client.on('notification', ({ processId, payload = '' }) => {
      if (!this.#own.has(processId)) this.#notify(payload);
    });
    try {
      await client.connect();
      await client.query(`LISTEN ${CHANNEL}`);
      for (const user of users) {
        await client.query('SELECT pg_advisory_lock_shared($1, hashtext($2))', [LOCK, user]);
      }
      return client;
    } catch (error) {
      // Else each attempt would leave a session.
      await client.end().catch(() => undefined);
      throw error;
    }
  }

  #listenLater(): void {
    if (this.#watched.size === 0) return;
    clearTimeout(this.#retry);
    this.#retry = setTimeout(() => void this.#listen(true), RECONNECT_MS).unref();
  }

  /** What other servers changed without this connection was not announced. */
  #notifyAll(): void {
    for (const watchers of this.#watched.values()) for (const changed of watchers) changed();
  }

  /** @param payload the MD5 of the user and the id of the task: other programs may listen too */
  #notify(payload: string): void {
    const [digest, id] = payload.split(' ');
    for (const [user, watchers] of this.#watched) {
      if (createHash('md5').update(user).digest('hex') !== digest) continue;
      for (const changed of watchers) changed(Number(id));
    }
  }
}

/** Of the server's process, which notifications name. Its types do not know it. */
export function processOf(client: PoolClient): number {
  return Number(Reflect.get(client, 'processID'));
}
