import { type McpSubscription, ProtocolError } from '@modelcontextprotocol/client';
import type { StartTimer } from '../mounts/timer.ts';
import type { LosslessClient } from './lossless-client.ts';

const CONFIRM_TIMEOUT_MS = 10_000;
const LISTEN_PAUSE_MS = 5000;

export interface SubscriptionsOptions {
  readonly client: LosslessClient;
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
  readonly #channel: Channel;
  readonly #offersResources: boolean;
  #wanted: ReadonlySet<string> = new Set();
  #turn: Promise<void> = Promise.resolve();
  /** The refused resources of the last report. */
  #reported: string | undefined;
  #isClosed = false;

  /** @param options with a client that is connected */
  constructor(options: SubscriptionsOptions) {
    const { client, startTimer } = options;
    this.#options = options;
    this.#offersResources = client.getServerCapabilities()?.resources?.subscribe === true;
    this.#channel =
      client.getProtocolEra() === 'modern'
        ? new ModernChannel(client, startTimer, () => void this.#change())
        : new LegacyChannel(client);
  }

  /** Subscribes to these resources instead of those of the call before, and in the modern era to changed lists. */
  want(uris: ReadonlySet<string>): Promise<void> {
    this.#wanted = this.#offersResources ? new Set(uris) : new Set();
    return this.#change();
  }

  close(): void {
    this.#isClosed = true;
    this.#channel.close();
  }

  #change(): Promise<void> {
    this.#turn = this.#turn.then(() => this.#reach());
    return this.#turn;
  }

  async #reach(): Promise<void> {
    if (this.#isClosed) return;
    const refusal = await this.#channel.reach(this.#wanted);
    const refused = refusal && JSON.stringify(refusal.uris);
    // A connection that has ended refuses everything; the next one is asked again.
    if (refusal !== undefined && refused !== this.#reported && !this.#isClosed) {
      this.#options.onRefused(refusal);
    }
    this.#reported = refused;
  }
}

/** How one era subscribes. */
interface Channel {
  /** One attempt. Never rejects. */
  reach(wanted: ReadonlySet<string>): Promise<Refusal | undefined>;
  close(): void;
}

/** One request per resource. */
class LegacyChannel implements Channel {
  readonly #client: LosslessClient;
  readonly #confirmed = new Set<string>();

  constructor(client: LosslessClient) {
    this.#client = client;
  }

  async reach(wanted: ReadonlySet<string>): Promise<Refusal | undefined> {
    for (const uri of without(this.#confirmed, wanted)) {
      try {
        await this.#client.unsubscribeResource({ uri });
        this.#confirmed.delete(uri);
      } catch {
        // Its updates reach no subscriber. It is tried again at the next change.
      }
    }
    const refused = new Map<string, unknown>();
    for (const uri of without(wanted, this.#confirmed)) {
      try {
        await this.#client.subscribeResource({ uri });
        this.#confirmed.add(uri);
      } catch (error) {
        refused.set(uri, error);
      }
    }
    return refusalOf(refused);
  }

  close(): void {
    // Its requests end with the connection.
  }
}

interface Listening {
  readonly subscription: McpSubscription;
  readonly uris: ReadonlySet<string>;
}

/** One stream for lists and resources. A new one begins before the old one ends. */
class ModernChannel implements Channel {
  readonly #client: LosslessClient;
  readonly #startTimer: StartTimer;
  readonly #tryAgain: () => void;
  #listening: Listening | undefined;
  /** The server has ended the stream, and the next one has not begun. */
  #isLost = false;
  #stopTimer: (() => void) | undefined;

  /** @param tryAgain called some time after the server has ended the stream */
  constructor(client: LosslessClient, startTimer: StartTimer, tryAgain: () => void) {
    this.#client = client;
    this.#startTimer = startTimer;
    this.#tryAgain = tryAgain;
  }

  async reach(wanted: ReadonlySet<string>): Promise<Refusal | undefined> {
    try {
      return await this.#listen(wanted);
    } catch (error) {
      const added = without(wanted, this.#listening?.uris ?? NONE);
      const refusal =
        error instanceof ProtocolError && added.size > 1
          ? await this.#listenOneByOne(wanted, added)
          : { uris: [...added], cause: error };
      if (this.#isLost) this.#tryLater();
      return refusal;
    }
  }

  close(): void {
    this.#listening = undefined;
    this.#stopTimer?.();
  }

  /** The server refused them together, perhaps because of one of them. */
  async #listenOneByOne(
    wanted: ReadonlySet<string>,
    added: ReadonlySet<string>,
  ): Promise<Refusal | undefined> {
    const refused = new Map<string, unknown>();
    let accepted = without(wanted, added);
    for (const uri of added) {
      const next = new Set([...accepted, uri]);
      try {
        await this.#listen(next);
        accepted = next;
      } catch (error) {
        refused.set(uri, error);
      }
    }
    return refusalOf(refused);
  }

  async #listen(uris: ReadonlySet<string>): Promise<Refusal | undefined> {
    const { tools, prompts, resources } = this.#client.getServerCapabilities() ?? {};
    const filter = {
      ...(tools?.listChanged === true ? { toolsListChanged: true } : {}),
      ...(prompts?.listChanged === true ? { promptsListChanged: true } : {}),
      ...(resources?.listChanged === true ? { resourcesListChanged: true } : {}),
      ...(uris.size === 0 ? {} : { resourceSubscriptions: [...uris] }),
    };
    const before = this.#listening;
    if (Object.keys(filter).length === 0) this.#listening = undefined;
    else {
      const subscription = await this.#client.listen(filter, { timeout: CONFIRM_TIMEOUT_MS });
      const confirmed = new Set(subscription.honoredFilter.resourceSubscriptions);
      this.#listening = { subscription, uris: new Set([...uris].filter((uri) => confirmed.has(uri))) };
      void this.#watchEnd(this.#listening);
    }
    this.#isLost = false;
    await before?.subscription.close();
    const missing = without(uris, this.#listening?.uris ?? NONE);
    if (missing.size === 0) return undefined;
    return { uris: [...missing], cause: new Error('It does not report their changes.') };
  }

  /** A server over HTTP may end the stream, for example when it restarts. */
  async #watchEnd(listening: Listening): Promise<void> {
    const cause = await listening.subscription.closed;
    if (cause === 'local' || this.#listening !== listening) return;
    this.#listening = undefined;
    this.#isLost = true;
    this.#tryLater();
  }

  #tryLater(): void {
    this.#stopTimer?.();
    this.#stopTimer = this.#startTimer(LISTEN_PAUSE_MS, this.#tryAgain);
  }
}

function without(uris: ReadonlySet<string>, others: ReadonlySet<string>): ReadonlySet<string> {
  return new Set([...uris].filter((uri) => !others.has(uri)));
}

const NONE: ReadonlySet<string> = new Set();

function refusalOf(refused: ReadonlyMap<string, unknown>): Refusal | undefined {
  const [cause] = refused.values();
  return refused.size === 0 ? undefined : { uris: [...refused.keys()], cause };
}
