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

const ENDED = {
  error: 'The desk ended before it answered.',
  hint: 'Check whether the call took effect before you repeat it.',
};
const UNREACHABLE = {
  error: 'The desk cannot be reached.',
  hint: 'The call was not carried out. Try again in a moment.',
};

/**
 * The conversation of one client with one desk after another, without any I/O. Every line of the client is sent to a
 * desk at most once, except requests that a desk certainly did not work on, and requests that change nothing. A tool
 * call that was open when a desk crashed is answered `UNAVAILABLE`.
 */
export class ClientConnection {
  #phase: Phase = 'connecting';
  /** Counts the desks. */
  #generation = 0;
  /** Lines of the client that no desk has got. */
  #waiting: string[] = [];
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
  #replayId = '';
  readonly #surroundings: Surroundings;

  constructor(surroundings: Surroundings) {
    this.#surroundings = surroundings;
  }

  get phase(): Phase {
    return this.#phase;
  }

  /** True if nothing waits for an answer or for a desk. A subscription gets no answer. */
  get isIdle(): boolean {
    return !this.#hasUnanswered() && this.#waiting.length === 0;
  }

  #hasUnanswered(): boolean {
    return [...this.#open.values()].some(({ method }) => method !== 'subscriptions/listen');
  }

  /** A desk accepted the session. */
  attached(): void {
    if (this.#handshake === undefined) this.#resume();
    else {
      this.#phase = 'replaying';
      this.#replayId = this.#ownId('initialize');
      const params = { ...this.#handshake.params, protocolVersion: this.#handshake.protocolVersion };
      this.#surroundings.toDesk(rpcLine({ id: this.#replayId, method: 'initialize', params }));
    }
  }

  /** No desk can be reached. The next request asks again. */
  failed(): void {
    for (const request of this.#open.values()) this.#answerFailure(request, UNREACHABLE);
    const waiting = this.#waiting.map((line) => ({ line, message: readMessage(line) }));
    for (const { line, message } of waiting) {
      if (message.kind === 'request') this.#answerFailure(openRequest(line, message), UNREACHABLE);
    }
    this.#open.clear();
    this.#waiting = [];
    this.#phase = 'detached';
  }

  /**
   * The connection to the desk ended without notice.
   *
   * @param reconnect false: wait for the client's next request
   */
  lost(reconnect = true): void {
    // A desk that ends during the replay got no request of the client.
    if (this.#phase !== 'attached') {
      this.failed();
      return;
    }
    for (const request of this.#open.values()) this.#interrupt(request);
    this.#leave(reconnect);
  }

  fromClient(line: string): void {
    const message = readMessage(line);
    if (this.#phase === 'attached') this.#forward(line, message);
    else this.#hold(line, message);
  }

  fromDesk(line: string): void {
    const message = readMessage(line);
    switch (message.kind) {
      case 'desk':
        this.#handOver(message.content);
        break;
      case 'response':
        this.#answered(line, message);
        break;
      case 'request':
        this.#asked.add(keyOf(message.id));
        this.#surroundings.toClient(line);
        break;
      case 'notification':
        if (message.method === 'notifications/cancelled')
          this.#asked.delete(keyOf(message.params['requestId']));
        if (message.method === 'notifications/subscriptions/acknowledged')
          this.#subscribed(line, message.params);
        else this.#surroundings.toClient(line);
        break;
      case 'other':
        this.#surroundings.toClient(line);
    }
  }

  /** Sends a line of the client to the desk that it is attached to. */
  #forward(line: string, message: Message): void {
    switch (message.kind) {
      case 'request':
        this.#remember(line, message);
        break;
      case 'notification':
        if (message.method === 'notifications/cancelled') this.#forget(keyOf(message.params['requestId']));
        if (message.method === 'notifications/initialized') this.#isInitialized = true;
        break;
      case 'response':
        this.#asked.delete(keyOf(message.id));
        break;
      case 'desk':
      case 'other':
    }
    this.#surroundings.toDesk(line);
  }

  #remember(line: string, message: Message & { readonly kind: 'request' }): void {
    const { id, method, params } = message;
    this.#open.set(keyOf(id), openRequest(line, message));
    if (method === 'logging/setLevel') this.#lasting.set(method, line);
    if (method === 'resources/subscribe') this.#lasting.set(keyOf(params['uri']), line);
    if (method === 'resources/unsubscribe') this.#lasting.delete(keyOf(params['uri']));
  }

  /** Takes a line of the client while no desk is attached. */
  #hold(line: string, message: Message): void {
    if (message.kind === 'notification') {
      if (message.method === 'notifications/initialized' && this.#handshake !== undefined) {
        // The replay sends it.
        this.#isInitialized = true;
        return;
      }
      if (message.method === 'notifications/cancelled') {
        this.#withdraw(keyOf(message.params['requestId']));
        return;
      }
    }
    // The desk that asked has ended.
    if (message.kind === 'response') return;
    if (this.#phase !== 'detached') this.#waiting.push(line);
    else if (message.kind !== 'notification') {
      this.#waiting.push(line);
      this.#connect();
    }
  }

  #forget(key: string): void {
    this.#open.delete(key);
    this.#subscriptions.delete(key);
  }

  #withdraw(key: string): void {
    this.#forget(key);
    this.#waiting = this.#waiting.filter((line) => {
      const message = readMessage(line);
      return message.kind !== 'request' || keyOf(message.id) !== key;
    });
  }

  #answered(line: string, { id, result }: Message & { readonly kind: 'response' }): void {
    if (typeof id === 'string' && this.#isOwnId(id)) {
      if (id === this.#replayId) this.#replayed(result());
      return;
    }
    const key = keyOf(id);
    const request = this.#open.get(key);
    const greeting = request?.method === 'initialize' ? result() : undefined;
    if (request !== undefined && isObject(greeting)) {
      const params = parseObject(request.line)?.['params'];
      this.#handshake = handshakeOf(isObject(params) ? params : {}, greeting);
    }
    this.#open.delete(key);
    this.#surroundings.toClient(line);
  }

  /** A desk confirms a subscription. At a further desk the client must learn that the lists may have changed meanwhile. */
  #subscribed(line: string, { _meta: meta, notifications }: Readonly<Record<string, unknown>>): void {
    const id = isObject(meta) ? meta[SUBSCRIPTION_META_KEY] : undefined;
    if (!this.#subscriptions.has(keyOf(id))) {
      this.#subscriptions.add(keyOf(id));
      this.#surroundings.toClient(line);
      return;
    }
    for (const list of LISTS) {
      if (!isObject(notifications) || notifications[`${list}ListChanged`] !== true) continue;
      const params = { _meta: { [SUBSCRIPTION_META_KEY]: id } };
      this.#surroundings.toClient(rpcLine({ method: `notifications/${list}/list_changed`, params }));
    }
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
    for (const [key, line] of this.#lasting) this.#surroundings.toDesk(withId(line, this.#ownId(key)));
    for (const list of this.#handshake.lists) {
      this.#surroundings.toClient(rpcLine({ method: `notifications/${list}/list_changed` }));
    }
    this.#resume();
  }

  #resume(): void {
    this.#phase = 'attached';
    for (const { line } of this.#open.values()) this.#surroundings.toDesk(line);
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const line of waiting) this.#forward(line, readMessage(line));
  }

  /** The desk ends the connection. It worked only on the requests that it lists. */
  #handOver(content: unknown): void {
    const bye = isObject(content) && isObject(content['bye']) ? content['bye'] : {};
    const open = new Set(Array.isArray(bye['open']) ? bye['open'].map(keyOf) : []);
    for (const [key, request] of this.#open) if (open.has(key)) this.#interrupt(request);
    this.#surroundings.disconnect();
    this.#leave(bye['reconnect'] === true);
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

  #leave(reconnect: boolean): void {
    for (const asked of this.#asked) {
      this.#surroundings.toClient(
        rpcLine({
          method: 'notifications/cancelled',
          params: { requestId: JSON.parse(asked), reason: 'The desk ended.' },
        }),
      );
    }
    this.#asked.clear();
    this.#generation += 1;
    if (reconnect || this.#hasUnanswered() || this.#waiting.length > 0) this.#connect();
    else this.#phase = 'detached';
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

  /** Ids that this process chooses. No client and no desk uses the same. */
  #ownId(name: string): string {
    return `deskside/${this.#generation}/${name}`;
  }

  #isOwnId(id: string): boolean {
    return id.startsWith('deskside/');
  }
}

function openRequest(line: string, message: Message & { readonly kind: 'request' }): OpenRequest {
  const { id, method, params } = message;
  const meta = params['_meta'];
  return { id, line, method, isModern: isObject(meta) && PROTOCOL_META_KEY in meta, hasFailed: false };
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

function withId(line: string, id: string | number): string {
  return JSON.stringify({ ...parseObject(line), id });
}
