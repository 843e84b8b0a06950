import { isObject, parseObject } from '@deskside/core/base';
import { type Message, readMessage, rpcLine } from './message.ts';

/** What the connection asks of its surroundings. Lines have no line feed. No function may call the connection at once. */
export interface Surroundings {
  toClient(line: string): void;
  toDesk(line: string): void;
  /** Find a desk, or start one; then call `attached` or `failed`. */
  connect(): void;
  /** Close the connection to the desk without waiting for its answers. */
  disconnect(): void;
}

/** A request of the client without an answer. */
interface OpenRequest {
  readonly id: string | number;
  readonly line: string;
  readonly method: string;
  readonly isModern: boolean;
  /** True if a desk has ended while it worked on this request. */
  hasFailed: boolean;
}

/** `initialize` of a legacy client and its answer, to repeat it at the next desk. */
interface Handshake {
  readonly params: Readonly<Record<string, unknown>>;
  readonly protocolVersion: unknown;
  /** The lists of which the client expects to get changes. */
  readonly lists: readonly string[];
}

type Phase = 'connecting' | 'replaying' | 'attached' | 'detached';

const PROTOCOL_META_KEY = 'io.modelcontextprotocol/protocolVersion';
const SUBSCRIPTION_META_KEY = 'io.modelcontextprotocol/subscriptionId';
const LISTS = ['tools', 'prompts', 'resources'];
const INTERNAL_ERROR = -32_603;
/** Of ids that this process chooses. No client and no desk uses them. */
const OWN_ID = 'deskside/';

const ENDED = {
  error: 'The desk ended before it answered.',
  hint: 'Check whether the call took effect before you repeat it.',
};
const UNREACHABLE = {
  error: 'The desk cannot be reached.',
  hint: 'The call was not carried out. Try again in a moment. If that does not help, the person can restart this client.',
};

/**
 * The conversation of one client with one desk after another, without any I/O. Every request of the client is sent to a desk
 * at most once, except requests that change nothing: they are sent once more. A tool call that was open when a desk
 * ended is answered `UNAVAILABLE`. Without a desk only requests wait: the next one knows nothing of what notifications are about.
 */
export class ClientConnection {
  #phase: Phase = 'connecting';
  /** By the JSON of their ids, in the order in which they came. */
  readonly #open = new Map<string, OpenRequest>();
  #handshake: Handshake | undefined;
  #isInitialized = false;
  /** The latest log level, and the subscriptions of a legacy client: they hold for the whole conversation. */
  readonly #lasting = new Map<string, string>();
  /** Subscriptions of a modern client that a desk has confirmed, by the JSON of their ids. */
  readonly #subscriptions = new Set<string>();
  /** Requests of the present desk without an answer, by the JSON of their ids. No other desk uses the same id. */
  readonly #asked = new Set<string>();
  /** Number of ids that this process has chosen. */
  #ownIds = 0;
  #replayId = '';
  readonly #surroundings: Surroundings;

  constructor(surroundings: Surroundings) {
    this.#surroundings = surroundings;
  }

  get phase(): Phase {
    return this.#phase;
  }

  /** True if nothing waits for an answer. A subscription gets none. */
  get isIdle(): boolean {
    return [...this.#open.values()].every(({ method }) => method === 'subscriptions/listen');
  }

  /** A desk accepted the session. */
  attached(): void {
    if (this.#handshake === undefined) this.#resume();
    else {
      this.#phase = 'replaying';
      this.#replayId = this.#ownId();
      const params = { ...this.#handshake.params, protocolVersion: this.#handshake.protocolVersion };
      this.#surroundings.toDesk(rpcLine({ id: this.#replayId, method: 'initialize', params }));
    }
  }

  /** No desk can be reached. The next request asks again. */
  failed(): void {
    for (const request of this.#open.values()) this.#answerFailure(request, UNREACHABLE);
    this.#open.clear();
    this.#phase = 'detached';
  }

  /** The connection to the desk ended. Without a request the next desk is looked for when the client needs one. */
  lost(): void {
    // A desk that ends during the replay got no request of the client.
    if (this.#phase !== 'attached') {
      this.failed();
      return;
    }
    for (const request of this.#open.values()) this.#interrupt(request);
    for (const asked of this.#asked) {
      const params = { requestId: JSON.parse(asked), reason: 'The desk ended.' };
      this.#surroundings.toClient(rpcLine({ method: 'notifications/cancelled', params }));
    }
    this.#asked.clear();
    this.#phase = 'detached';
    if (!this.isIdle) this.#connect();
  }

  fromClient(line: string): void {
    const message = readMessage(line);
    switch (message.kind) {
      case 'request':
        this.#remember(line, message);
        break;
      case 'notification':
        if (message.method === 'notifications/cancelled') this.#forget(keyOf(message.params['requestId']));
        // Without a desk the replay sends it.
        if (message.method === 'notifications/initialized') this.#isInitialized = true;
        break;
      case 'response':
        this.#asked.delete(keyOf(message.id));
        break;
      case 'other':
    }
    if (this.#phase === 'attached') this.#surroundings.toDesk(line);
    else if (this.#phase === 'detached' && message.kind === 'request') this.#connect();
  }

  fromDesk(line: string): void {
    const message = readMessage(line);
    if (message.kind === 'response') {
      this.#answered(line, message);
      return;
    }
    if (message.kind === 'request') this.#asked.add(keyOf(message.id));
    if (message.kind === 'notification') {
      const { method, params } = message;
      if (method === 'notifications/cancelled') this.#asked.delete(keyOf(params['requestId']));
      if (method === 'notifications/subscriptions/acknowledged' && this.#isKnown(params)) return;
    }
    this.#surroundings.toClient(line);
  }

  #remember(line: string, message: Message & { readonly kind: 'request' }): void {
    const { id, method, params } = message;
    const meta = params['_meta'];
    const isModern = isObject(meta) && PROTOCOL_META_KEY in meta;
    this.#open.set(keyOf(id), { id, line, method, isModern, hasFailed: false });
    if (method === 'logging/setLevel') this.#lasting.set(method, line);
    if (method === 'resources/subscribe') this.#lasting.set(keyOf(params['uri']), line);
    if (method === 'resources/unsubscribe') this.#lasting.delete(keyOf(params['uri']));
  }

  #forget(key: string): void {
    this.#open.delete(key);
    this.#subscriptions.delete(key);
  }

  #answered(line: string, { id, result }: Message & { readonly kind: 'response' }): void {
    if (typeof id === 'string' && id.startsWith(OWN_ID)) {
      if (id === this.#replayId) this.#replayed(result());
      return;
    }
    const request = this.#open.get(keyOf(id));
    const greeting = request?.method === 'initialize' ? result() : undefined;
    if (request !== undefined && isObject(greeting)) {
      const params = parseObject(request.line)?.['params'];
      this.#handshake = handshakeOf(isObject(params) ? params : {}, greeting);
    }
    this.#open.delete(keyOf(id));
    this.#surroundings.toClient(line);
  }

  /** A further desk confirms a subscription: the client must learn that the lists may have changed meanwhile. */
  #isKnown({ _meta: meta, notifications }: Readonly<Record<string, unknown>>): boolean {
    const id = isObject(meta) ? meta[SUBSCRIPTION_META_KEY] : undefined;
    if (!this.#subscriptions.has(keyOf(id))) {
      this.#subscriptions.add(keyOf(id));
      return false;
    }
    for (const list of LISTS) {
      if (!isObject(notifications) || notifications[`${list}ListChanged`] !== true) continue;
      const params = { _meta: { [SUBSCRIPTION_META_KEY]: id } };
      this.#surroundings.toClient(rpcLine({ method: `notifications/${list}/list_changed`, params }));
    }
    return true;
  }

  /** The next desk answered the repeated `initialize`. */
  #replayed(result: unknown): void {
    const version = isObject(result) ? result['protocolVersion'] : undefined;
    if (this.#handshake === undefined || version !== this.#handshake.protocolVersion) {
      this.#surroundings.disconnect();
      this.failed();
      return;
    }
    if (this.#isInitialized) this.#surroundings.toDesk(rpcLine({ method: 'notifications/initialized' }));
    for (const line of this.#lasting.values()) {
      this.#surroundings.toDesk(JSON.stringify({ ...parseObject(line), id: this.#ownId() }));
    }
    for (const list of this.#handshake.lists) {
      this.#surroundings.toClient(rpcLine({ method: `notifications/${list}/list_changed` }));
    }
    this.#resume();
  }

  #resume(): void {
    this.#phase = 'attached';
    for (const { line } of this.#open.values()) this.#surroundings.toDesk(line);
  }

  /** A desk ended while it worked on the request. Only a request that changes nothing is sent once more. */
  #interrupt(request: OpenRequest): void {
    const { method, hasFailed } = request;
    if (method === 'subscriptions/listen') return;
    if (method !== 'tools/call' && !hasFailed) {
      request.hasFailed = true;
      return;
    }
    this.#answerFailure(request, ENDED);
    this.#open.delete(keyOf(request.id));
  }

  #connect(): void {
    this.#phase = 'connecting';
    this.#surroundings.connect();
  }

  #answerFailure({ id, method, isModern }: OpenRequest, { error, hint }: typeof ENDED): void {
    if (method !== 'tools/call') {
      const data = { code: 'UNAVAILABLE', hint };
      this.#surroundings.toClient(rpcLine({ id, error: { code: INTERNAL_ERROR, message: error, data } }));
      return;
    }
    const text = JSON.stringify({ error, code: 'UNAVAILABLE', hint });
    const result = { content: [{ type: 'text', text }], isError: true };
    this.#surroundings.toClient(
      rpcLine({ id, result: isModern ? { ...result, resultType: 'complete' } : result }),
    );
  }

  #ownId(): string {
    this.#ownIds += 1;
    return `${OWN_ID}${this.#ownIds}`;
  }
}

function handshakeOf(
  params: Readonly<Record<string, unknown>>,
  { protocolVersion, capabilities }: Readonly<Record<string, unknown>>,
): Handshake {
  const offered = isObject(capabilities) ? capabilities : {};
  const lists = LISTS.filter((list) => {
    const capability = offered[list];
    return isObject(capability) && capability['listChanged'] === true;
  });
  return { params, protocolVersion, lists };
}

/** 1 and "1" are different ids. */
function keyOf(id: unknown): string {
  return JSON.stringify(id) ?? '';
}
