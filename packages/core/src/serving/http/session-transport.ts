import {
  isJSONRPCNotification,
  isJSONRPCRequest,
  isJSONRPCResponse,
  type AuthInfo,
  type JSONRPCMessage,
  type JSONRPCNotification,
  type MessageExtraInfo,
  type RequestId,
  type Transport,
  type TransportSendOptions,
  WebStandardStreamableHTTPServerTransport,
  type WebStandardStreamableHTTPServerTransportOptions,
} from '@modelcontextprotocol/server';

/** One POST with requests. Its event stream ends when each of them is answered or cancelled. */
interface Post {
  readonly unanswered: Set<RequestId>;
  readonly cancelled: Set<RequestId>;
  /** Called when the last request is answered or cancelled. */
  readonly done: (() => void)[];
}

const posts = new WeakMap<Request, Post>();

/** Ids of a session's requests that are remembered. */
const MAX_RECENT_IDS = 100;

/**
 * Calls `done` when each request of a POST is answered or cancelled, or its session is closed: at once if it contains no
 * request.
 */
export function whenAnswered(request: Request, done: () => void): void {
  const post = posts.get(request);
  if (post === undefined || post.unanswered.size === 0) done();
  else post.done.push(done);
}

/**
 * The SDK's transport of one legacy session. It also ends the event stream of a cancelled call: the protocol forbids
 * an answer to such a call, and the SDK's transport ends a stream only with an answer.
 */
export class SessionTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: Transport['onmessage'];
  readonly #http: WebStandardStreamableHTTPServerTransport;
  readonly #posts = new Map<RequestId, Post>();
  /**
   * True for the latest requests whose cancellation came first: a client sends both on separate connections. False for
   * the latest others: a cancellation after the answer must not hit the next request of a client that repeats ids.
   */
  readonly #isCancelledBefore = new Map<RequestId, boolean>();
  /** Notifications for the next stream. */
  #pending: readonly JSONRPCNotification[] = [];

  constructor(options: WebStandardStreamableHTTPServerTransportOptions) {
    this.#http = new WebStandardStreamableHTTPServerTransport(options);
  }

  get sessionId(): string | undefined {
    return this.#http.sessionId;
  }

  /** Requests without an answer. */
  get unanswered(): number {
    return this.#posts.size;
  }

  async start(): Promise<void> {
    this.#http.onmessage = (message, extra) => this.#receive(message, extra);
    this.#http.onclose = () => this.#end();
    this.#http.onerror = (error) => this.onerror?.(error);
    await this.#http.start();
  }

  setSupportedProtocolVersions(versions: string[]): void {
    this.#http.setSupportedProtocolVersions(versions);
  }

  async handleRequest(
    request: Request,
    options: { readonly authInfo: AuthInfo; readonly parsedBody?: unknown },
  ): Promise<Response> {
    let response = await this.#http.handleRequest(request, options);
    if (request.method === 'GET' && response.status === 409) {
      // The client's network was away, and the end of its earlier stream is not known here. The latest one counts.
      this.#http.closeStandaloneSSEStream();
      response = await this.#http.handleRequest(request, options);
    }
    if (request.method === 'GET' && response.ok) this.#sendPending();
    return response;
  }

  /** Sends notifications on the next stream that the client opens, with a GET or a request. */
  sendOnFirstStream(notifications: readonly JSONRPCNotification[]): void {
    this.#pending = notifications;
  }

  /** @param body of a POST, parsed @returns true if it contains a request whose id waits for an answer */
  repeatsId(body: unknown): boolean {
    const messages: unknown[] = Array.isArray(body) ? body : [body];
    return messages.some((message) => isJSONRPCRequest(message) && this.#posts.has(message.id));
  }

  async send(message: JSONRPCMessage, options?: TransportSendOptions): Promise<void> {
    if (isJSONRPCResponse(message)) {
      // The SDK answers a message without an id, too; such an answer has no stream to end.
      await this.#http.send(message);
      if (message.id !== undefined) await this.#settle(message.id, 'unanswered');
      return;
    }
    const related = options?.relatedRequestId;
    const isOver = related !== undefined && !this.#posts.has(related);
    if (isOver && isJSONRPCNotification(message)) {
      // The stream of a cancelled call is gone. Its questions are withdrawn on the session's own stream; its progress is
      // of no use to anyone.
      if (message.method === 'notifications/cancelled') await this.#http.send(message);
      return;
    }
    await this.#http.send(message, related === undefined ? undefined : { relatedRequestId: related });
  }

  async close(): Promise<void> {
    await this.#http.close();
  }

  /** The server or the client, with DELETE, has closed the session. */
  #end(): void {
    const unanswered = new Set(this.#posts.values());
    this.#posts.clear();
    for (const post of unanswered) settled(post);
    this.onclose?.();
  }

  #receive(message: JSONRPCMessage, extra?: MessageExtraInfo): void {
    if (isJSONRPCRequest(message)) {
      this.#begin(message.id, extra?.request);
      this.#sendPending(message.id);
      if (this.#isCancelledBefore.get(message.id) === true) {
        void this.#settle(message.id, 'cancelled');
        return;
      }
    }
    this.onmessage?.(message, extra);
    if (isJSONRPCNotification(message) && message.method === 'notifications/cancelled') {
      const id = message.params?.['requestId'];
      if (typeof id === 'string' || typeof id === 'number') void this.#settle(id, 'cancelled');
    }
  }

  #sendPending(relatedRequestId?: RequestId): void {
    const options = relatedRequestId === undefined ? undefined : { relatedRequestId };
    for (const notification of this.#pending) {
      this.#http.send(notification, options).catch((error: Error) => this.onerror?.(error));
    }
    this.#pending = [];
  }

  #begin(id: RequestId, request: Request | undefined): void {
    const known = request === undefined ? undefined : posts.get(request);
    const post: Post = known ?? { unanswered: new Set(), cancelled: new Set(), done: [] };
    if (request !== undefined) posts.set(request, post);
    post.unanswered.add(id);
    this.#posts.set(id, post);
  }

  async #settle(id: RequestId, how: keyof Post): Promise<void> {
    const post = this.#posts.get(id);
    if (post === undefined) {
      if (!this.#isCancelledBefore.has(id)) this.#remember(id, true);
      return;
    }
    this.#remember(id, false);
    this.#posts.delete(id);
    post.unanswered.delete(id);
    if (how === 'cancelled') post.cancelled.add(id);
    if (post.unanswered.size > 0) return;
    if (post.cancelled.size > 0) await this.#endStream(post);
    settled(post);
  }

  #remember(id: RequestId, isCancelledBefore: boolean): void {
    this.#isCancelledBefore.delete(id);
    this.#isCancelledBefore.set(id, isCancelledBefore);
    const [oldest] = this.#isCancelledBefore.keys();
    if (this.#isCancelledBefore.size > MAX_RECENT_IDS && oldest !== undefined)
      this.#isCancelledBefore.delete(oldest);
  }

  async #endStream({ cancelled }: Post): Promise<void> {
    for (const id of cancelled) this.#http.closeSSEStream(id);
    // The SDK forgets a request only with its answer. This one reaches no client: its stream is closed.
    this.#http.onerror = () => undefined;
    const error = { code: -32_000, message: 'Cancelled' };
    for (const id of cancelled) await this.#http.send({ jsonrpc: '2.0', id, error });
    this.#http.onerror = (failure) => this.onerror?.(failure);
  }
}

function settled({ done }: Post): void {
  for (const work of done.splice(0)) work();
}
