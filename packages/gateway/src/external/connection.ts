import {
  Client,
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  type ClientCapabilities,
  type ClientOptions,
  type LoggingMessageNotificationParams,
  PROTOCOL_VERSION_META_KEY,
  ProtocolError,
  type Result,
  SdkError,
  SdkErrorCode,
  SdkHttpError,
} from '@modelcontextprotocol/client';
import manifest from '../../package.json' with { type: 'json' };
import type { StartTimer } from '../mounts/timer.ts';
import type { ListMember, ListProblems, ServerListing } from './listing.ts';
import { allPages, listBudget } from './pages.ts';
import { checkResult, type Method } from './results.ts';
import { type Refusal, Subscriptions } from './subscriptions.ts';
import type { OwnRequestOptions, ServerTransport } from './server-transport.ts';

/** Clients give up after 60 s. A start takes as long at most before. */
const LISTING_TIMEOUT_MS = 20_000;
/** The desk has its own limits. */
const NO_TIMEOUT_MS = 2 ** 31 - 1;
const INFO = { name: 'deskside', title: 'Deskside', version: manifest.version };
const METHOD_NOT_FOUND = -32_601;

export type ListName = 'tools' | 'prompts' | 'resources';

/** What a server asks its client, in the legacy era. */
export interface ServerQuestion {
  readonly method: 'elicitation/create' | 'roots/list' | 'sampling/createMessage';
  readonly params: Readonly<Record<string, unknown>> | undefined;
  readonly signal: AbortSignal;
}

export interface ConnectionEvents {
  onListChanged(list: ListName): void;
  onUpdated(uri: string): void;
  onMessage(message: LoggingMessageNotificationParams): void;
  onQuestion(question: ServerQuestion): Promise<Result>;
  /** The server does not report what is subscribed. */
  onRefused(refusal: Refusal): void;
  /** The server has ended by itself. */
  onEnded(): void;
  /** A failure that ends nothing. */
  onProblem(error: unknown): void;
}

export interface ConnectionOptions {
  readonly transport: ServerTransport;
  /** The server is known to speak the legacy era only, so it is not asked. */
  readonly isLegacy: boolean;
  /** A server that does not answer the question about its era until then is of the legacy era. */
  readonly probeMs: number;
  readonly capabilities: ClientCapabilities;
  readonly signal: AbortSignal;
  readonly startTimer: StartTimer;
  readonly events: Partial<ConnectionEvents>;
}

/** One running server, initialized. It tells nothing more when it is retired. */
export class Connection {
  readonly #client: Client;
  readonly #options: ConnectionOptions;
  readonly #subscriptions: Subscriptions;
  /** How often in succession the server has answered with a fault of its own. */
  faults = 0;
  #users = 0;
  #isRetired = false;

  private constructor(options: ConnectionOptions) {
    const { events, startTimer, capabilities, isLegacy, probeMs } = options;
    const client = new Client(INFO, {
      capabilities,
      versionNegotiation: isLegacy ? { mode: 'legacy' } : { mode: 'auto', probe: { timeoutMs: probeMs } },
      jsonSchemaValidator: noValidator,
    });
    this.#client = client;
    this.#options = options;
    this.#subscriptions = new Subscriptions({
      client,
      startTimer,
      onRefused: (refusal) => events.onRefused?.(refusal),
    });
    listenTo(client, capabilities, {
      ...events,
      onListChanged: (list) => {
        if (!this.#isRetired) events.onListChanged?.(list);
      },
    });
    client.onerror = (error) => events.onProblem?.(error);
    client.onclose = () => {
      this.#subscriptions.close();
      if (!this.#isRetired) events.onEnded?.();
    };
  }

  /** @throws Error of any kind if the server cannot be reached or initialized; then the transport is closed */
  static async open(options: ConnectionOptions): Promise<Connection> {
    const { transport, capabilities, signal, events } = options;
    const connection = new Connection(options);
    const client = connection.#client;
    const close = () => connection.close().catch((error: unknown) => events.onProblem?.(error));
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
    // A server that does not confirm a subscription or a level must not delay the start.
    if (connection.era === 'modern') {
      transport.envelope = {
        [PROTOCOL_VERSION_META_KEY]: client.getNegotiatedProtocolVersion(),
        [CLIENT_INFO_META_KEY]: INFO,
        [CLIENT_CAPABILITIES_META_KEY]: capabilities,
      };
      void connection.watch(new Set());
    } else if (connection.hasLogging) {
      // Some servers send nothing before it; one that refuses it sends what it wants. Core filters for each client.
      client.setLoggingLevel('debug').catch(() => undefined);
    }
    return connection;
  }

  get era(): 'legacy' | 'modern' {
    return this.#client.getProtocolEra() ?? 'legacy';
  }

  get hasLogging(): boolean {
    return this.#client.getServerCapabilities()?.logging !== undefined;
  }

  get isOpen(): boolean {
    return this.#client.transport !== undefined;
  }

  /** Whether a session of Streamable HTTP is in use, which the server can forget. */
  get hasSession(): boolean {
    return this.#options.transport.sessionId !== undefined;
  }

  get exit(): string | undefined {
    return this.#options.transport.exit;
  }

  /** Sends a request of a caller. @throws SdkError for an invalid result, and as the transport */
  async request(
    method: Method,
    params: Readonly<Record<string, unknown>>,
    options: OwnRequestOptions,
  ): Promise<Result> {
    const result = await this.#options.transport.request(method, params, options);
    checkResult(method, this.era, result);
    return result;
  }

  /** A connection that is retired stays until the work is done. */
  async whileUsed<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
    this.#users += 1;
    try {
      return await work(this);
    } finally {
      this.#users -= 1;
      this.#closeIfUnused();
    }
  }

  /**
   * Everything that the server says about itself now. A list that fails is empty; without tools a server is of no use.
   *
   * @throws Error if the tools cannot be listed, or the server has ended
   */
  async listing(): Promise<{ readonly listing: ServerListing; readonly problems: ListProblems }> {
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

  async #listing(signal: AbortSignal) {
    const ask = (method: Method, params: Record<string, unknown>) => this.request(method, params, { signal });
    const capabilities = this.#client.getServerCapabilities() ?? {};
    const instructions = this.#client.getInstructions();
    const budget = listBudget();
    const failed: ListMember[] = [];
    const sentences: string[] = [];
    const list = async <Member extends ListMember>(member: Member, method: Method) => {
      try {
        const { items, problem } = await allPages<ServerListing[Member][number]>(ask, budget, method, member);
        if (problem !== undefined) sentences.push(problem);
        return items;
      } catch (error) {
        if (error instanceof ProtocolError && error.code === METHOD_NOT_FOUND) return [];
        if (member === 'tools' || !this.isOpen || this.exit !== undefined) throw error;
        failed.push(member);
        sentences.push(`${method} fails (${failureOf(error)}).`);
        return [];
      }
    };
    const { tools, prompts, resources } = capabilities;
    const listing: ServerListing = {
      serverInfo: this.#client.getServerVersion() ?? { name: '', version: '' },
      protocolVersion: this.#client.getNegotiatedProtocolVersion() ?? '',
      capabilities,
      ...(instructions === undefined ? {} : { instructions }),
      tools: tools === undefined ? [] : await list('tools', 'tools/list'),
      prompts: prompts === undefined ? [] : await list('prompts', 'prompts/list'),
      resources: resources === undefined ? [] : await list('resources', 'resources/list'),
      resourceTemplates:
        resources === undefined ? [] : await list('resourceTemplates', 'resources/templates/list'),
    };
    const leftOut = this.#options.transport.takeLeftOut();
    if (leftOut.length > 0) sentences.push(leftOutSentence(leftOut));
    return { listing, problems: { failed, sentences } };
  }

  /** Subscribes to these resources instead of those of the call before. */
  watch(uris: ReadonlySet<string>): Promise<void> {
    return this.#subscriptions.want(uris);
  }

  /** A server of the modern era asks for roots in a call only. */
  async rootsChanged(): Promise<void> {
    if (this.era === 'legacy') await this.#client.sendRootsListChanged();
  }

  /** Closes as soon as nothing uses it. */
  retire(): void {
    this.#isRetired = true;
    this.#closeIfUnused();
  }

  #closeIfUnused(): void {
    if (!this.#isRetired || this.#users > 0) return;
    this.close().catch((error: unknown) => this.#options.events.onProblem?.(error));
  }

  async close(): Promise<void> {
    this.#isRetired = true;
    this.#subscriptions.close();
    // Not `client.close()`: the SDK forgets a transport that has closed itself.
    await this.#options.transport.close();
  }
}

const MAX_LEFT_OUT_SHOWN = 5;

function leftOutSentence(items: readonly string[]): string {
  const more = items.length - MAX_LEFT_OUT_SHOWN;
  const shown = items.slice(0, MAX_LEFT_OUT_SHOWN).join(', ');
  return `Invalid, so left out: ${shown}${more > 0 ? ` and ${more} more` : ''}.`;
}

function failureOf(error: unknown): string {
  if (error instanceof ProtocolError) return `error ${error.code}`;
  if (error instanceof SdkHttpError) return `HTTP ${error.status}`;
  return error instanceof SdkError && error.code === SdkErrorCode.RequestTimeout
    ? 'no answer'
    : 'an invalid or too long list';
}

/** Never used: the desk does not call `callTool`, so the client that asked checks structured content itself. */
const noValidator: NonNullable<ClientOptions['jsonSchemaValidator']> = {
  getValidator() {
    throw new Error('The desk validates no structured content.');
  },
};

function listenTo(client: Client, capabilities: ClientCapabilities, events: Partial<ConnectionEvents>): void {
  for (const list of ['tools', 'prompts', 'resources'] as const)
    client.setNotificationHandler(`notifications/${list}/list_changed`, () => events.onListChanged?.(list));
  client.setNotificationHandler('notifications/resources/updated', ({ params }) =>
    events.onUpdated?.(params.uri),
  );
  client.setNotificationHandler('notifications/message', ({ params }) => events.onMessage?.(params));
  const ask =
    (method: ServerQuestion['method']) =>
    async (
      { params }: { readonly params?: object | undefined },
      { mcpReq }: { readonly mcpReq: { readonly signal: AbortSignal } },
    ) => {
      const question = { method, params: params && { ...params }, signal: mcpReq.signal };
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the SDK checks the answer
      return (await (events.onQuestion?.(question) ??
        Promise.reject(new Error('No one can be asked.')))) as never;
    };
  if (capabilities.elicitation !== undefined) {
    client.setRequestHandler('elicitation/create', ask('elicitation/create'));
  }
  if (capabilities.roots !== undefined) client.setRequestHandler('roots/list', ask('roots/list'));
  if (capabilities.sampling !== undefined) {
    client.setRequestHandler('sampling/createMessage', ask('sampling/createMessage'));
  }
}
