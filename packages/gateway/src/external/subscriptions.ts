import { type Client, type McpSubscription, ProtocolError } from '@modelcontextprotocol/client';
import type { StartTimer } from '../mounts/timer.ts';

const CONFIRM_TIMEOUT_MS = 10_000;
const LISTEN_PAUSE_MS = 5000;

export interface SubscriptionsOptions {
  readonly client: Client;
  readonly startTimer: StartTimer;
  /** Called when other subscriptions are refused than before. They are tried again at the next change. */
  readonly onRefused: (refusal: Refusal) => void;
}

/** What a server was asked to report, and did not confirm. */
export interface Refusal {
  /** Empty if only the changes of lists were refused. */
  readonly uris: readonly string[];
  readonly cause: unknown;
}

/** Keeps what a server reports equal to what is wanted. Changes are made one after the other. */
export class Subscriptions {
  readonly #options: SubscriptionsOptions;
  #wanted: ReadonlySet<string> = new Set();
  #confirmed: ReadonlySet<string> = new Set();
  /** Of the modern era, for lists and resources. A new one begins before the old one ends. */
  #stream: McpSubscription | undefined;
  /** The server has ended the stream, and the next one has not begun. */
  #isLost = false;
  #stopTimer: (() => void) | undefined;
  #turn: Promise<void> = Promise.resolve();
  /** The refused resources of the last report. */
  #reported: string | undefined;
  #isClosed = false;

  /** @param options with a client that is connected */
  constructor(options: SubscriptionsOptions) {
    this.#options = options;
  }

  /** Subscribes to these resources instead of those of the call before, and in the modern era to changed lists. */
  want(uris: ReadonlySet<string>): Promise<void> {
    const isOffered = this.#options.client.getServerCapabilities()?.resources?.subscribe === true;
    this.#wanted = isOffered ? new Set(uris) : new Set();
    return this.#change();
  }

  close(): void {
    this.#isClosed = true;
    this.#stopTimer?.();
  }

  #change(): Promise<void> {
    this.#turn = this.#turn.then(() => this.#reach());
    return this.#turn;
  }

  async #reach(): Promise<void> {
    if (this.#isClosed) return;
    const isModern = this.#options.client.getProtocolEra() === 'modern';
    const wanted = this.#wanted;
    const reached = isModern ? this.#listenToAll([...wanted]) : this.#subscribe(wanted);
    const cause = await reached.catch((error: unknown) => error);
    // A connection that has ended refuses everything; the next one is asked again.
    if (this.#isClosed) return;
    if (this.#isLost) this.#tryLater();
    const uris = [...wanted].filter((uri) => !this.#confirmed.has(uri));
    const refused = cause === undefined ? undefined : JSON.stringify(uris);
    if (refused !== undefined && refused !== this.#reported) this.#options.onRefused({ uris, cause });
    this.#reported = refused;
  }

  /** One request per resource. @returns why one is refused */
  async #subscribe(wanted: ReadonlySet<string>): Promise<unknown> {
    const { client } = this.#options;
    const confirmed = new Set<string>();
    let cause: unknown;
    for (const uri of this.#confirmed) {
      if (wanted.has(uri)) confirmed.add(uri);
      // If it fails, its updates reach no subscriber.
      else await client.unsubscribeResource({ uri }).catch(() => undefined);
    }
    for (const uri of wanted) {
      if (confirmed.has(uri)) continue;
      try {
        await client.subscribeResource({ uri });
        confirmed.add(uri);
      } catch (error) {
        cause ??= error;
      }
    }
    this.#confirmed = confirmed;
    return cause;
  }

  /** @returns why a resource is refused @throws Error if all are */
  async #listenToAll(wanted: readonly string[]): Promise<unknown> {
    try {
      return await this.#listen(wanted);
    } catch (error) {
      const accepted = wanted.filter((uri) => this.#confirmed.has(uri));
      const added = wanted.filter((uri) => !this.#confirmed.has(uri));
      if (!(error instanceof ProtocolError) || added.length < 2) throw error;
      // The server refused them together, perhaps because of one of them.
      const causes: unknown[] = [];
      for (const uri of added) {
        try {
          causes.push(await this.#listen([...accepted, uri]));
          accepted.push(uri);
        } catch (late) {
          causes.push(late);
        }
      }
      return causes.find((cause) => cause !== undefined);
    }
  }

  /** One stream. @returns why a resource is refused */
  async #listen(wanted: readonly string[]): Promise<unknown> {
    const { client } = this.#options;
    const { tools, prompts, resources } = client.getServerCapabilities() ?? {};
    const filter = {
      ...(tools?.listChanged === true ? { toolsListChanged: true } : {}),
      ...(prompts?.listChanged === true ? { promptsListChanged: true } : {}),
      ...(resources?.listChanged === true ? { resourcesListChanged: true } : {}),
      ...(wanted.length === 0 ? {} : { resourceSubscriptions: [...wanted] }),
    };
    const before = this.#stream;
    const isEmpty = Object.keys(filter).length === 0;
    const stream = isEmpty ? undefined : await client.listen(filter, { timeout: CONFIRM_TIMEOUT_MS });
    this.#stream = stream;
    this.#confirmed = new Set(stream?.honoredFilter.resourceSubscriptions);
    this.#isLost = false;
    void stream?.closed.then((cause) => this.#ended(stream, cause));
    await before?.close();
    const isWhole = wanted.every((uri) => this.#confirmed.has(uri));
    return isWhole ? undefined : new Error('It does not report their changes.');
  }

  /** A server over HTTP may end the stream, for example when it restarts. */
  #ended(stream: McpSubscription, cause: string): void {
    if (cause === 'local' || this.#stream !== stream || this.#isClosed) return;
    this.#stream = undefined;
    this.#confirmed = new Set();
    this.#isLost = true;
    this.#tryLater();
  }

  #tryLater(): void {
    this.#stopTimer?.();
    this.#stopTimer = this.#options.startTimer(LISTEN_PAUSE_MS, () => void this.#change());
  }
}
