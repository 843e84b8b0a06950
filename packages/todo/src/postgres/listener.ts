import { createHash } from 'node:crypto';
import { Client, type PoolClient } from 'pg';
import { connectionSettings, currentHost } from './connection.ts';

const CHANNEL = 'deskside_todo';

/** The first number of the advisory locks that changes look at; the second one names the user. */
export const LISTENER_LOCK = 1_146_309_461;

const RECONNECT_MS = 5000;

/**
 * Learns of the changes of all servers through one connection, while somebody watches. It needs a session of its own: behind a
 * pooler that shares connections between transactions, subscribers see the changes of their own server only.
 */
export class Listener implements AsyncDisposable {
  readonly #url: string;
  readonly #own: ReadonlySet<number>;
  #watching: { readonly user: string; readonly changed: (taskId?: number) => void } | undefined;
  #client: Promise<Client> | undefined;
  #retry: NodeJS.Timeout | undefined;

  /** @param own the processes of the server whose changes are known */
  constructor(url: string, own: ReadonlySet<number>) {
    this.#url = url;
    this.#own = own;
  }

  /** @returns a function that ends it */
  watch(user: string, changed: (taskId?: number) => void): () => void {
    const watching = { user, changed };
    this.#watching = watching;
    void this.#listen();
    return () => {
      if (this.#watching !== watching) return;
      this.#watching = undefined;
      void this.#listen();
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#watching = undefined;
    await this.#listen();
  }

  /** Replaces the connection by one that listens for the user who is watched. */
  async #listen(isAgain = false): Promise<void> {
    clearTimeout(this.#retry);
    const before = this.#client;
    const next = this.#watching && this.#connect(this.#watching.user);
    this.#client = next;
    // The one before hears what changes until then. Without one, what other servers changed was not announced.
    await next?.then(
      () => (isAgain || before === undefined) && this.#watching?.changed(),
      () => this.#listenLater(),
    );
    await before?.then(
      (client) => client.end(),
      () => undefined,
    );
  }

  async #connect(user: string): Promise<Client> {
    // In the place of the user's name: other programs may listen too.
    const userDigest = createHash('md5').update(user).digest('hex');
    const client = new Client(connectionSettings(await currentHost(this.#url)));
    client.on('error', () => this.#listenLater());
    client.on('notification', ({ processId, payload = '' }) => {
      const [digest, id] = payload.split(' ');
      if (!this.#own.has(processId) && digest === userDigest) this.#watching?.changed(Number(id));
    });
    try {
      await client.connect();
      await client.query(`LISTEN ${CHANNEL}`);
      await client.query('SELECT pg_advisory_lock_shared($1, hashtext($2))', [LISTENER_LOCK, user]);
      return client;
    } catch (error) {
      // Else each attempt would leave a session.
      await client.end().catch(() => undefined);
      throw error;
    }
  }

  #listenLater(): void {
    if (this.#watching === undefined) return;
    clearTimeout(this.#retry);
    this.#retry = setTimeout(() => void this.#listen(true), RECONNECT_MS).unref();
  }
}

/** Of the server's process, which notifications name. Its types do not know it. */
export function processOf(client: PoolClient): number {
  return Number(Reflect.get(client, 'processID'));
}
