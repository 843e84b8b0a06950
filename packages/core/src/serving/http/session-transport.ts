import {
  type AuthInfo,
  isInitializeRequest,
  type JSONRPCMessage,
  type JSONRPCNotification,
  parseJSONRPCMessage,
  type RequestId,
  type Transport,
  type TransportSendOptions,
} from '@modelcontextprotocol/server';
import { messageText } from '../protocol/message-text.ts';
import { EVENT, EventStream } from './event-stream.ts';
import { PostAnswer } from './post-answer.ts';
import { rpcError } from './responses.ts';

const MAX_BATCH_SIZE = 100;

/** Where a message comes from. */
interface Origin {
  readonly authInfo: AuthInfo;
  readonly request?: Request;
}

const posts = new WeakMap<Request, PostAnswer>();

/** Calls `done` when each request of a POST is answered or cancelled, or its session has ended. */
export function whenAnswered(request: Request, done: () => void): void {
  const post = posts.get(request);
  if (post === undefined) done();
  else post.whenDone(done);
}

/**
 * The transport of one legacy session, or of one POST without a session. The SDK's answers a POST always with a stream or always
 * with JSON, ends only with an answer, which the protocol forbids for a cancelled call, and compares each answer with all open
 * requests. Upstream: an answer of either form, and the end of a cancelled one, would replace this class.
 */
export class SessionTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: Transport['onmessage'];
  readonly sessionId?: string;
  /** By the ids of the requests without an answer. */
  readonly #posts = new Map<RequestId, PostAnswer>();
  #versions: readonly string[] = [];
  /** Of a GET. */
  #stream: EventStream | undefined;
  /** Notifications for the next stream. */
  #pending: JSONRPCNotification[] = [];
  #isClosed = false;

  /** @param sessionId none: for one POST */
  constructor(sessionId?: string) {
    if (sessionId !== undefined) this.sessionId = sessionId;
  }

  /** A request begins each exchange. */
  async start(): Promise<void> {}

  setSupportedProtocolVersions(versions: string[]): void {
    this.#versions = versions;
  }

  /**
   * @param body of a POST, parsed
   * @param ended called when the stream of a GET ends
   */
  async handle(request: Request, authInfo: AuthInfo, body: unknown, ended: () => void): Promise<Response> {
    const refusal = this.#refusal(request, body);
    if (refusal !== undefined) return refusal;
    switch (request.method) {
      case 'POST':
        return this.receive(body, { authInfo, request });
      case 'GET':
        return this.#open(ended);
      default:
        await this.close();
        return new Response(null, { status: 200 });
    }
  }

  #refusal({ headers }: Request, body: unknown): Response | undefined {
    if (this.#isClosed) return rpcError(404, -32_001, 'Session not found');
    const version = headers.get('mcp-protocol-version');
    // The answer to `initialize` names a version that both know.
    if (version === null || this.#versions.includes(version) || isInitializeRequest(body)) return undefined;
    const known = this.#versions.join(', ');
    const problem = `Unsupported protocol version: ${version} (supported versions: ${known})`;
    return rpcError(400, -32_000, `Bad Request: ${problem}`);
  }

  /** Hands messages to the server. @returns the answer to a POST with them */
  receive(body: unknown, origin: Origin): Response | Promise<Response> {
    const isBatch = Array.isArray(body);
    if (isBatch && body.length > MAX_BATCH_SIZE)
      return rpcError(400, -32_600, `Invalid Request: Batch must not exceed ${MAX_BATCH_SIZE} messages`);
    const messages = messagesOf(isBatch ? body : [body]);
    if (messages === undefined) return rpcError(400, -32_700, 'Parse error: Invalid JSON-RPC message');
    const ids = messages.flatMap((message) => ('method' in message && 'id' in message ? [message.id] : []));
    if (new Set(ids).size < ids.length || ids.some((id) => this.#posts.has(id)))
      return rpcError(400, -32_600, 'Invalid Request: a request with this id waits for its answer');
    const post = ids.length === 0 ? undefined : this.#post(ids, isBatch, origin);
    for (const message of messages) {
      this.onmessage?.(message, origin);
      if (isCancellation(message)) this.#cancel(message);
    }
    return post?.response ?? new Response(null, { status: 202 });
  }

  #post(ids: readonly RequestId[], isBatch: boolean, { request }: Origin): PostAnswer {
    const post = new PostAnswer(ids, isBatch, this.#headers);
    if (request !== undefined) posts.set(request, post);
    for (const id of ids) this.#posts.set(id, post);
    for (const notification of this.#pending.splice(0)) post.send(notification);
    return post;
  }

  /** The end of the client's earlier stream is not known here if its network was away. The latest one counts. */
  #open(ended: () => void): Response {
    this.#stream?.close();
    this.#stream = new EventStream(this.#headers, ended);
    for (const notification of this.#pending.splice(0)) this.#tell(notification);
    return this.#stream.response;
  }

  /** A client that reads too slowly opens another stream. */
  #tell(message: JSONRPCMessage): void {
    if (this.#stream?.isFull === true) this.#stream.close();
    this.#stream?.send(messageText(message, ...EVENT));
  }

  get #headers(): Record<string, string> {
    return this.sessionId === undefined ? {} : { 'Mcp-Session-Id': this.sessionId };
  }

  /** Sends notifications on the next stream that the client opens, with a GET or a request. */
  sendOnFirstStream(notifications: readonly JSONRPCNotification[]): void {
    this.#pending = [...notifications];
  }

  async send(message: JSONRPCMessage, options?: TransportSendOptions): Promise<void> {
    if (!('method' in message)) {
      // The SDK answers a message without an id, too, which has no POST, and a cancelled call.
      if (message.id === undefined) return;
      const post = this.#posts.get(message.id);
      this.#posts.delete(message.id);
      post?.answer(message.id, message);
      return;
    }
    const related = options?.relatedRequestId;
    const post = related === undefined ? undefined : this.#posts.get(related);
    if (post !== undefined) return post.send(message);
    // The stream of a cancelled call is gone. Its questions are withdrawn on the session's own stream; its progress is of no use to
    // anyone.
    const isUseless = related !== undefined && !('id' in message) && !isCancellation(message);
    if (!isUseless) this.#tell(message);
  }

  /** The server or the client, with DELETE, closes the session. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#stream?.close();
    const unanswered = new Set(this.#posts.values());
    this.#posts.clear();
    for (const post of unanswered) post.close();
    this.onclose?.();
  }

  #cancel({ params }: JSONRPCNotification): void {
    const id = params?.['requestId'];
    if (typeof id !== 'string' && typeof id !== 'number') return;
    this.#posts.get(id)?.cancel(id);
    this.#posts.delete(id);
  }
}

/** @returns undefined if one is not a message of JSON-RPC */
function messagesOf(body: readonly unknown[]): readonly JSONRPCMessage[] | undefined {
  try {
    return body.map((message) => parseJSONRPCMessage(message));
  } catch {
    // The client gets an error.
    return undefined;
  }
}

function isCancellation(message: JSONRPCMessage): message is JSONRPCNotification {
  return 'method' in message && !('id' in message) && message.method === 'notifications/cancelled';
}
