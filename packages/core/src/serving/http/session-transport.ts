import {
  type AuthInfo,
  isJSONRPCRequest,
  type JSONRPCMessage,
  type JSONRPCNotification,
  type MessageExtraInfo,
  type RequestId,
  type Transport,
  type TransportSendOptions,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import { PostAnswer } from './post-answer.ts';
import { rpcError } from './responses.ts';

/** What belongs to a request of a session. */
interface RequestOptions {
  readonly authInfo: AuthInfo;
  /** Of a POST. */
  readonly parsedBody?: unknown;
}

const posts = new WeakMap<Request, PostAnswer>();

/** Calls `done` when each request of a POST is answered or cancelled, or its session has ended. */
export function whenAnswered(request: Request, done: () => void): void {
  const post = posts.get(request);
  if (post === undefined) done();
  else post.whenDone(done);
}

/**
 * The transport of one legacy session, or of one POST without a session. The SDK's checks each request and owns the stream of the
 * session. The answer to a POST is ours: the SDK's is always a stream or always JSON, and ends only with an answer, which the
 * protocol forbids for a cancelled call.
 */
export class SessionTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: Transport['onmessage'];
  readonly sessionId?: string;
  readonly #http: WebStandardStreamableHTTPServerTransport;
  /** By the ids of the requests without an answer. */
  readonly #posts = new Map<RequestId, PostAnswer>();
  /** Notifications for the next stream. */
  #pending: JSONRPCNotification[] = [];

  /** @param sessionId none: for one POST */
  constructor(sessionId?: string) {
    if (sessionId !== undefined) this.sessionId = sessionId;
    this.#http = new WebStandardStreamableHTTPServerTransport({
      ...(sessionId === undefined ? {} : { sessionIdGenerator: () => sessionId }),
      enableJsonResponse: true,
    });
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

  async handleRequest(request: Request, options: RequestOptions): Promise<Response> {
    if (request.method === 'POST') return this.#post(request, options);
    let response = await this.#http.handleRequest(request, options);
    if (request.method === 'GET' && response.status === 409) {
      // The client's network was away, and the end of its earlier stream is not known here. The latest one counts.
      this.#http.closeStandaloneSSEStream();
      response = await this.#http.handleRequest(request, options);
    }
    if (request.method === 'GET' && response.ok)
      for (const notification of this.#pending.splice(0)) await this.#http.send(notification);
    return response;
  }

  /** The SDK answers a POST that it refuses, and one without a request. */
  async #post(request: Request, options: RequestOptions): Promise<Response> {
    const ids = [options.parsedBody].flat().flatMap((each) => (isJSONRPCRequest(each) ? [each.id] : []));
    if (new Set(ids).size < ids.length || ids.some((id) => this.#posts.has(id)))
      return rpcError(400, -32_600, 'Invalid Request: a request with this id waits for its answer');
    const headers = this.sessionId === undefined ? {} : { 'Mcp-Session-Id': this.sessionId };
    const post = new PostAnswer(Array.isArray(options.parsedBody), headers);
    posts.set(request, post);
    return Promise.race([post.response, this.#http.handleRequest(request, options)]);
  }

  /** Sends notifications on the next stream that the client opens, with a GET or a request. */
  sendOnFirstStream(notifications: readonly JSONRPCNotification[]): void {
    this.#pending = [...notifications];
  }

  async send(message: JSONRPCMessage, options?: TransportSendOptions): Promise<void> {
    if (!('method' in message)) {
      const post = message.id === undefined ? undefined : this.#posts.get(message.id);
      // The SDK answers a message without an id, too, which has no POST, and a call of a session that has ended.
      if (post === undefined || message.id === undefined) return;
      post.answer(message.id, message);
      return this.#forget(message.id);
    }
    const related = options?.relatedRequestId;
    const post = related === undefined ? undefined : this.#posts.get(related);
    if (post !== undefined) return post.send(message);
    // The stream of a cancelled call is gone. Its questions are withdrawn on the session's own stream; its progress is of no use to
    // anyone.
    const isUseless = related !== undefined && !('id' in message) && !isCancellation(message);
    if (!isUseless) await this.#http.send(message);
  }

  async close(): Promise<void> {
    await this.#http.close();
  }

  /** The server or the client, with DELETE, has closed the session. */
  #end(): void {
    const unanswered = new Set(this.#posts.values());
    this.#posts.clear();
    for (const post of unanswered) post.close();
    this.onclose?.();
  }

  #receive(message: JSONRPCMessage, extra?: MessageExtraInfo): void {
    const post = extra?.request && posts.get(extra.request);
    if ('method' in message && 'id' in message && post !== undefined) {
      this.#posts.set(message.id, post);
      post.begin(message.id);
      for (const notification of this.#pending.splice(0)) post.send(notification);
    }
    this.onmessage?.(message, extra);
    if (!('method' in message) || 'id' in message || !isCancellation(message)) return;
    const id = message.params?.['requestId'];
    if (typeof id !== 'string' && typeof id !== 'number') return;
    this.#posts.get(id)?.cancel(id);
    if (this.#posts.has(id)) void this.#forget(id);
  }

  /** The SDK forgets a request only with its answer. This one reaches no client. */
  async #forget(id: RequestId): Promise<void> {
    this.#posts.delete(id);
    await this.#http.send({ jsonrpc: '2.0', id, result: {} });
  }
}

function isCancellation({ method }: JSONRPCNotification): boolean {
  return method === 'notifications/cancelled';
}
