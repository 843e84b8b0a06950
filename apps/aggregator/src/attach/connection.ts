import { isObject, parseObject } from '@deskside/core/base';
import { type Message, readMessage, rpcLine } from './message.ts';

/** What the connection asks of its surroundings. Lines have no line feed. No function may call the connection at once. */
export interface Surroundings {
  toClient(line: string): void;
  toDesk(line: string): void;
  /** Find a desk, or start one; then call `attached` or `failed`. */
  connect(): void;
}

/** A request of the client without an answer. */
interface OpenRequest {
  readonly id: string | number;
  readonly line: string;
  readonly method: string;
  readonly isModern: boolean;
  /** True if a desk has ended while it worked on this request. */
  hasFailed: boolean;
  /** True if a desk has confirmed this subscription of a modern client. */
  isConfirmed: boolean;
}

type Phase = 'connecting' | 'attached' | 'detached';

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
  /**
   * What holds for the whole conversation of a legacy client, so that each further desk gets it first: `initialize` with the
   * version that was agreed on, `initialized`, the latest log level and the subscriptions.
   */
  readonly #lasting = new Map<string, string>();
  /** The lists of which a legacy client expects to get changes. */
  #lists: readonly string[] = [];
  /** Requests of the present desk without an answer, by the JSON of their ids. No other desk uses the same id. */
  readonly #asked = new Set<string>();
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
    this.#phase = 'attached';
    const open = [...this.#open.values()].map(({ line }) => line);
    // The client has its answers already: they are dropped. An open request keeps its place among the others.
    for (const line of this.#lasting.values()) if (!open.includes(line)) this.#surroundings.toDesk(line);
    for (const list of this.#lists) {
      this.#surroundings.toClient(rpcLine({ method: `notifications/${list}/list_changed` }));
    }
    for (const line of open) this.#surroundings.toDesk(line);
  }

  /** No desk can be reached. The next request asks again. */
  failed(): void {
    for (const request of this.#open.values()) this.#answerFailure(request, UNREACHABLE);
    this.#open.clear();
    this.#phase = 'detached';
  }

  /** The connection to the desk ended. Without a request the next desk is looked for when the client needs one. */
  lost(): void {
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
        if (message.method === 'notifications/cancelled')
          this.#open.delete(keyOf(message.params['requestId']));
        if (message.method === 'notifications/initialized') this.#lasting.set(message.method, line);
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
    this.#open.set(keyOf(id), { id, line, method, isModern, hasFailed: false, isConfirmed: false });
    if (method === 'logging/setLevel') this.#lasting.set(method, line);
    if (method === 'resources/subscribe') this.#lasting.set(keyOf(params['uri']), line);
    if (method === 'resources/unsubscribe') this.#lasting.delete(keyOf(params['uri']));
  }

  #answered(line: string, { id, result }: Message & { readonly kind: 'response' }): void {
    const request = this.#open.get(keyOf(id));
    if (request === undefined) return;
    this.#open.delete(keyOf(id));
    const greeting = request.method === 'initialize' ? result() : undefined;
    if (isObject(greeting)) this.#greeted(request, greeting);
    this.#surroundings.toClient(line);
  }

  #greeted({ id, line, method }: OpenRequest, greeting: Readonly<Record<string, unknown>>): void {
    const { protocolVersion, capabilities } = greeting;
    const params = parseObject(line)?.['params'];
    const agreed = { ...(isObject(params) ? params : {}), protocolVersion };
    this.#lasting.set(method, rpcLine({ id, method, params: agreed }));
    this.#lists = LISTS.filter((list) => {
      const offered = isObject(capabilities) ? capabilities[list] : undefined;
      return isObject(offered) && offered['listChanged'] === true;
    });
  }

  /** A further desk confirms a subscription: the client must learn that the lists may have changed meanwhile. */
  #isKnown({ _meta: meta, notifications }: Readonly<Record<string, unknown>>): boolean {
    const id = isObject(meta) ? meta[SUBSCRIPTION_META_KEY] : undefined;
    const request = this.#open.get(keyOf(id));
    if (request?.isConfirmed !== true) {
      if (request !== undefined) request.isConfirmed = true;
      return false;
    }
    for (const list of LISTS) {
      if (!isObject(notifications) || notifications[`${list}ListChanged`] !== true) continue;
      const params = { _meta: { [SUBSCRIPTION_META_KEY]: id } };
      this.#surroundings.toClient(rpcLine({ method: `notifications/${list}/list_changed`, params }));
    }
    return true;
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
}

/** 1 and "1" are different ids. */
function keyOf(id: unknown): string {
  return JSON.stringify(id) ?? '';
}
