import {
  type ClientCapabilities,
  type ClientOptions,
  type LoggingMessageNotificationParams,
  type Prompt,
  type RequestOptions,
  type Resource,
  type ResourceTemplateType,
  type Result,
  type Tool,
} from '@modelcontextprotocol/client';
import manifest from '../../package.json' with { type: 'json' };
import type { StartTimer } from '../mounts/timer.ts';
import type { ServerListing } from './listing.ts';
import { LosslessClient, type Method } from './lossless-client.ts';
import { allPages } from './pages.ts';
import { type Refusal, Subscriptions } from './subscriptions.ts';
import type { ServerTransport } from './transport.ts';

/** A server that does not answer the question about its era is of the legacy era. */
const PROBE_TIMEOUT_MS = 20_000;
const LISTING_TIMEOUT_MS = 30_000;
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
  /** The server does not report what is subscribed. */
  onRefused(refusal: Refusal): void;
  onClosed(): void;
  /** A failure that ends nothing. */
  onProblem(error: unknown): void;
}

export interface ConnectionOptions {
  readonly transport: ServerTransport;
  /** The server is known to speak the legacy era only, so it is not asked. */
  readonly isLegacy: boolean;
  readonly capabilities: ClientCapabilities;
  readonly signal: AbortSignal;
  readonly startTimer: StartTimer;
  readonly events: ConnectionEvents;
}

/** One running server, initialized. */
export class Connection {
  readonly #client: LosslessClient;
  readonly #options: ConnectionOptions;
  readonly #subscriptions: Subscriptions;
  #openRequests = 0;
  #isRetired = false;

  private constructor(client: LosslessClient, options: ConnectionOptions) {
    const { events, startTimer } = options;
    this.#client = client;
    this.#options = options;
    this.#subscriptions = new Subscriptions({
      client,
      startTimer,
      onRefused: (refusal) => events.onRefused(refusal),
    });
  }

  /** @throws Error of any kind if the server cannot be reached or initialized; then the transport is closed */
  static async open(options: ConnectionOptions): Promise<Connection> {
    const { transport, capabilities, isLegacy, signal, events } = options;
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
    client.onclose = () => events.onClosed();
    client.onerror = (error) => events.onProblem(error);
    const close = () => transport.close().catch((error: unknown) => events.onProblem(error));
    const giveUp = () => void close();
    signal.addEventListener('abort', giveUp, { once: true });
    try {
      await client.connect(transport, { timeout: NO_TIMEOUT_MS, signal });
    } catch (error) {
      await close();
      throw error;
    } finally {
      signal.removeEventListener('abort', giveUp);
    }
    const connection = new Connection(client, options);
    client.onclose = () => {
      connection.#subscriptions.close();
      events.onClosed();
    };
    // A server that does not confirm a subscription must not delay the start.
    if (connection.era === 'modern') void connection.watch(new Set());
    return connection;
  }

  get era(): 'legacy' | 'modern' {
    return this.#client.getProtocolEra() ?? 'legacy';
  }

  get hasLogging(): boolean {
    return this.#client.getServerCapabilities()?.logging !== undefined;
  }

  /** How the program ended; undefined over HTTP, while it runs, and if it was closed. */
  get exit(): string | undefined {
    return this.#options.transport.exit;
  }

  async forward(method: Method, params: Record<string, unknown>, options: RequestOptions): Promise<Result> {
    this.#openRequests += 1;
    try {
      return await this.#client.forward({ method, params }, { ...options, timeout: NO_TIMEOUT_MS });
    } finally {
      this.#openRequests -= 1;
      this.#closeIfUnused();
    }
  }

  /** Everything that the server says about itself now. @throws Error for an invalid or endless list */
  async listing(): Promise<ServerListing> {
    const limit = new AbortController();
    const stopTimer = this.#options.startTimer(LISTING_TIMEOUT_MS, () =>
      limit.abort(new Error('Its lists did not come in time.')),
    );
    try {
      return await this.#listing(limit.signal);
    } finally {
      stopTimer();
    }
  }

  async #listing(signal: AbortSignal): Promise<ServerListing> {
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
    return this.#subscriptions.want(uris);
  }

  /** A server of the modern era asks for roots in a call only. */
  async rootsChanged(): Promise<void> {
    if (this.era === 'legacy') await this.#client.sendRootsListChanged();
  }

  /** Closes as soon as no request is open. */
  retire(): void {
    this.#isRetired = true;
    this.#closeIfUnused();
  }

  #closeIfUnused(): void {
    if (!this.#isRetired || this.#openRequests > 0) return;
    this.close().catch((error: unknown) => this.#options.events.onProblem(error));
  }

  async close(): Promise<void> {
    this.#isRetired = true;
    this.#subscriptions.close();
    // Not `client.close()`: the SDK forgets a transport that has closed itself.
    await this.#options.transport.close();
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
