import { setTimeout } from 'node:timers/promises';
import {
  type ClientCapabilities,
  type ClientOptions,
  type LoggingMessageNotificationParams,
  type McpSubscription,
  type Prompt,
  type RequestOptions,
  type Resource,
  type ResourceTemplateType,
  type Result,
  type Tool,
  type Transport,
} from '@modelcontextprotocol/client';
import manifest from '../../package.json' with { type: 'json' };
import { ChildTransport } from './child-transport.ts';
import type { ServerListing } from './listing.ts';
import { LosslessClient, type Method } from './lossless-client.ts';
import { allPages } from './pages.ts';

/** A server that does not answer the question about its era is of the legacy era. */
const PROBE_TIMEOUT_MS = 20_000;
const LISTING_TIMEOUT_MS = 30_000;
const LISTEN_TIMEOUT_MS = 10_000;
const LISTEN_PAUSE_MS = 5000;
/** The desk has its own limit for calls. */
const NO_TIMEOUT_MS = 2 ** 31 - 1;

export type ListName = 'tools' | 'prompts' | 'resources';

/** What a server asks its client, in the legacy era. */
export interface Question {
  readonly method: 'elicitation/create' | 'roots/list' | 'sampling/createMessage';
  readonly params: Readonly<Record<string, unknown>> | undefined;
  readonly signal: AbortSignal;
}

export interface ConnectionEvents {
  onListChanged(list: ListName): void;
  onUpdated(uri: string): void;
  onMessage(message: LoggingMessageNotificationParams): void;
  onQuestion(question: Question): Promise<Result>;
  onClosed(): void;
  onProblem(error: Error): void;
}

export interface ConnectionOptions {
  readonly transport: Transport;
  /** The server is known to speak the legacy era only, so it is not asked. */
  readonly isLegacy: boolean;
  readonly capabilities: ClientCapabilities;
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
  readonly events: ConnectionEvents;
}

/** One running server, initialized. */
export class Connection {
  readonly #client: LosslessClient;
  readonly #transport: Transport;
  #subscription: McpSubscription | undefined;
  #watched: ReadonlySet<string> = new Set();
  #watching: Promise<void> = Promise.resolve();
  #openRequests = 0;
  #isRetired = false;

  private constructor(client: LosslessClient, transport: Transport) {
    this.#client = client;
    this.#transport = transport;
  }

  /** @throws Error of any kind if the server cannot be reached or initialized; then the transport is closed */
  static async open(options: ConnectionOptions): Promise<Connection> {
    const { transport, capabilities, isLegacy, signal, timeoutMs, events } = options;
    const client = new LosslessClient(
      { name: 'deskside', title: 'Deskside', version: manifest.version },
      {
        capabilities,
        versionNegotiation: isLegacy
          ? { mode: 'legacy' }
          : { mode: 'auto', probe: { timeoutMs: PROBE_TIMEOUT_MS } },
        jsonSchemaValidator: noValidator,
      },
    );
    listenTo(client, capabilities, events);
    const connection = new Connection(client, transport);
    client.onclose = () => events.onClosed();
    client.onerror = (error) => events.onProblem(error);
    const giveUp = () => void transport.close();
    signal.addEventListener('abort', giveUp, { once: true });
    try {
      await client.connect(transport, { timeout: timeoutMs, signal });
      // A server that does not confirm a subscription must not delay the start.
      if (connection.era === 'modern') connection.#watching = connection.#listen().catch(() => undefined);
      return connection;
    } catch (error) {
      await transport.close().catch(() => undefined);
      throw error;
    } finally {
      signal.removeEventListener('abort', giveUp);
    }
  }

  get era(): 'legacy' | 'modern' {
    return this.#client.getProtocolEra() ?? 'legacy';
  }

  get hasLogging(): boolean {
    return this.#client.getServerCapabilities()?.logging !== undefined;
  }

  /** How the program ended; undefined over HTTP and while it runs. */
  get exit(): string | undefined {
    return this.#transport instanceof ChildTransport ? this.#transport.exit : undefined;
  }

  async forward(method: Method, params: Record<string, unknown>, options: RequestOptions): Promise<Result> {
    this.#openRequests += 1;
    try {
      return await this.#client.forward({ method, params }, { ...options, timeout: NO_TIMEOUT_MS });
    } finally {
      this.#openRequests -= 1;
      if (this.#isRetired && this.#openRequests === 0) void this.close().catch(() => undefined);
    }
  }

  /** Everything that the server says about itself now. @throws Error for an invalid or endless list */
  async listing(): Promise<ServerListing> {
    const signal = AbortSignal.timeout(LISTING_TIMEOUT_MS);
    const ask = (method: Method, params: Record<string, unknown>) =>
      this.#client.forward({ method, params }, { signal, timeout: NO_TIMEOUT_MS });
    const capabilities = this.#client.getServerCapabilities() ?? {};
    const instructions = this.#client.getInstructions();
    const { tools, prompts, resources } = capabilities;
    const list = async <Item>(isOffered: boolean, method: Method, member: string) =>
      isOffered ? allPages<Item>(ask, method, member) : [];
    return {
      serverInfo: this.#client.getServerVersion() ?? { name: '', version: '' },
      protocolVersion: this.#client.getNegotiatedProtocolVersion() ?? '',
      capabilities,
      ...(instructions === undefined ? {} : { instructions }),
      tools: await list<Tool>(tools !== undefined, 'tools/list', 'tools'),
      prompts: await list<Prompt>(prompts !== undefined, 'prompts/list', 'prompts'),
      resources: await list<Resource>(resources !== undefined, 'resources/list', 'resources'),
      resourceTemplates: await list<ResourceTemplateType>(
        resources !== undefined,
        'resources/templates/list',
        'resourceTemplates',
      ),
    };
  }

  /** Subscribes to these resources instead of those of the call before. */
  watch(uris: ReadonlySet<string>): Promise<void> {
    this.#watching = this.#watching.then(() => this.#watchNow(uris)).catch(() => undefined);
    return this.#watching;
  }

  async #watchNow(uris: ReadonlySet<string>): Promise<void> {
    if (this.#client.getServerCapabilities()?.resources?.subscribe !== true) return;
    const before = this.#watched;
    this.#watched = new Set(uris);
    if (this.era === 'modern') {
      await this.#listen();
      return;
    }
    for (const uri of before) if (!uris.has(uri)) await this.#client.unsubscribeResource({ uri });
    for (const uri of uris) if (!before.has(uri)) await this.#client.subscribeResource({ uri });
  }

  /** The modern era has one subscription for lists and resources. The new one begins before the old one ends. */
  async #listen(): Promise<void> {
    const { tools, prompts, resources } = this.#client.getServerCapabilities() ?? {};
    const filter = {
      ...(tools?.listChanged === true ? { toolsListChanged: true } : {}),
      ...(prompts?.listChanged === true ? { promptsListChanged: true } : {}),
      ...(resources?.listChanged === true ? { resourcesListChanged: true } : {}),
      ...(this.#watched.size === 0 ? {} : { resourceSubscriptions: [...this.#watched] }),
    };
    const before = this.#subscription;
    this.#subscription = undefined;
    if (Object.keys(filter).length > 0) {
      const subscription = await this.#client.listen(filter, { timeout: LISTEN_TIMEOUT_MS });
      this.#subscription = subscription;
      void this.#listenAgain(subscription);
    }
    await before?.close();
  }

  /** A server over HTTP may end the stream, for example when it restarts. */
  async #listenAgain(subscription: McpSubscription): Promise<void> {
    const cause = await subscription.closed;
    if (cause === 'local' || this.#subscription !== subscription || this.#isRetired) return;
    await setTimeout(LISTEN_PAUSE_MS, undefined, { ref: false });
    if (this.#subscription !== subscription || this.#isRetired) return;
    this.#subscription = undefined;
    this.#watching = this.#watching.then(() => this.#listen()).catch(() => undefined);
  }

  /** A server of the modern era asks for roots in a call only. */
  async rootsChanged(): Promise<void> {
    if (this.era === 'legacy') await this.#client.sendRootsListChanged();
  }

  /** Closes as soon as no request is open. */
  retire(): void {
    this.#isRetired = true;
    if (this.#openRequests === 0) void this.close().catch(() => undefined);
  }

  async close(): Promise<void> {
    this.#isRetired = true;
    await this.#client.close();
    // The SDK forgets a transport that has closed itself.
    await this.#transport.close();
  }
}

/** Never used: the desk does not call `callTool`, so the client that asked checks structured content itself. */
const noValidator: NonNullable<ClientOptions['jsonSchemaValidator']> = {
  getValidator() {
    throw new Error('The desk validates no structured content.');
  },
};

function listenTo(client: LosslessClient, capabilities: ClientCapabilities, events: ConnectionEvents): void {
  client.setNotificationHandler('notifications/tools/list_changed', () => events.onListChanged('tools'));
  client.setNotificationHandler('notifications/prompts/list_changed', () => events.onListChanged('prompts'));
  client.setNotificationHandler('notifications/resources/list_changed', () =>
    events.onListChanged('resources'),
  );
  client.setNotificationHandler('notifications/resources/updated', ({ params }) =>
    events.onUpdated(params.uri),
  );
  client.setNotificationHandler('notifications/message', ({ params }) => events.onMessage(params));
  const ask =
    (method: Question['method']) =>
    async (
      { params }: { readonly params?: object | undefined },
      { mcpReq }: { readonly mcpReq: { readonly signal: AbortSignal } },
    ) => {
      const question = { method, params: params && { ...params }, signal: mcpReq.signal };
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the SDK checks the answer
      return (await events.onQuestion(question)) as never;
    };
  if (capabilities.elicitation !== undefined) {
    client.setRequestHandler('elicitation/create', ask('elicitation/create'));
  }
  if (capabilities.roots !== undefined) client.setRequestHandler('roots/list', ask('roots/list'));
  if (capabilities.sampling !== undefined) {
    client.setRequestHandler('sampling/createMessage', ask('sampling/createMessage'));
  }
}
