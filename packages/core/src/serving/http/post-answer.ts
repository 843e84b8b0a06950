import type { JSONRPCMessage, RequestId } from '@modelcontextprotocol/server';
import { messageText } from '../protocol/message-text.ts';
import { EVENT, EventStream, KEEP_ALIVE_MS } from './event-stream.ts';

/**
 * The answer to one POST with requests: JSON, in one write. It becomes a stream of events if something else has to be sent before,
 * or after 15 s, because a client does not wait for headers for ever.
 */
export class PostAnswer {
  readonly unanswered: Set<RequestId>;
  /** Resolves when each request is answered or cancelled, or when the stream begins. */
  readonly response: Promise<Response>;
  readonly #resolve: (response: Response) => void;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #isBatch: boolean;
  readonly #whenDone: (() => void)[] = [];
  readonly #timer: NodeJS.Timeout;
  #answers: (string | Buffer)[] = [];
  #stream: EventStream | undefined;

  constructor(ids: readonly RequestId[], isBatch: boolean, headers: Readonly<Record<string, string>>) {
    const { promise, resolve } = Promise.withResolvers<Response>();
    this.unanswered = new Set(ids);
    this.response = promise;
    this.#resolve = resolve;
    this.#headers = headers;
    this.#isBatch = isBatch;
    this.#timer = setTimeout(() => this.#streamed().send(': keepalive\n\n'), KEEP_ALIVE_MS).unref();
  }

  /** Calls back when each request is answered or cancelled. */
  whenDone(run: () => void): void {
    if (this.unanswered.size === 0) run();
    else this.#whenDone.push(run);
  }

  /** Sends a notification or a question before the answers. A client that reads too slowly misses notifications. */
  send(message: JSONRPCMessage): void {
    const stream = this.#streamed();
    if ('id' in message || !stream.isFull) stream.send(messageText(message, ...EVENT));
  }

  answer(id: RequestId, message: JSONRPCMessage): void {
    if (this.#stream === undefined) this.#answers.push(messageText(message));
    else this.#stream.send(messageText(message, ...EVENT));
    this.#settle(id);
  }

  /** The protocol forbids an answer to a cancelled request. */
  cancel(id: RequestId): void {
    this.#streamed();
    this.#settle(id);
  }

  /** The session has ended. */
  close(): void {
    for (const id of this.unanswered) this.cancel(id);
  }

  #settle(id: RequestId): void {
    this.unanswered.delete(id);
    if (this.unanswered.size > 0) return;
    clearTimeout(this.#timer);
    if (this.#stream !== undefined) this.#stream.close();
    else {
      const [answer = ''] = this.#answers;
      const body = this.#isBatch ? `[${this.#answers.join(',')}]` : answer;
      this.#resolve(
        new Response(body, { headers: { 'Content-Type': 'application/json', ...this.#headers } }),
      );
    }
    for (const run of this.#whenDone.splice(0)) run();
  }

  /** A client that leaves does not end its calls: in a session, only the client itself cancels them. */
  #streamed(): EventStream {
    if (this.#stream !== undefined) return this.#stream;
    clearTimeout(this.#timer);
    this.#stream = new EventStream(this.#headers);
    for (const text of this.#answers.splice(0)) this.#stream.send(EVENT.join(String(text)));
    this.#resolve(this.#stream.response);
    return this.#stream;
  }
}
