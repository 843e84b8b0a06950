import type { JSONRPCMessage, RequestId } from '@modelcontextprotocol/server';
import { messageText } from '../protocol/message-text.ts';

/** Proxies and clients end a connection on which nothing comes. */
const KEEP_ALIVE_MS = 15_000;

/**
 * The answer to one POST with requests: JSON, in one write. It becomes a stream of events if something else has to be sent before,
 * or after 15 s, because a client does not wait for headers for ever.
 */
export class PostAnswer {
  readonly unanswered = new Set<RequestId>();
  /** Resolves when each request is answered or cancelled. */
  readonly response: Promise<Response>;
  readonly #resolve: (response: Response) => void;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #isBatch: boolean;
  readonly #whenDone: (() => void)[] = [];
  #answers: (string | Buffer)[] = [];
  #stream: ReadableStreamDefaultController<Uint8Array> | undefined;
  #isStreamed = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(isBatch: boolean, headers: Readonly<Record<string, string>>) {
    const { promise, resolve } = Promise.withResolvers<Response>();
    this.response = promise;
    this.#resolve = resolve;
    this.#headers = headers;
    this.#isBatch = isBatch;
  }

  begin(id: RequestId): void {
    this.unanswered.add(id);
    this.#timer ??= setInterval(() => this.#event(': keepalive\n\n'), KEEP_ALIVE_MS).unref();
  }

  /** Calls back when each request is answered or cancelled. */
  whenDone(run: () => void): void {
    if (this.unanswered.size === 0) run();
    else this.#whenDone.push(run);
  }

  /** Sends a notification or a question before the answers. */
  send(message: JSONRPCMessage): void {
    this.#event(messageText(message, ...EVENT));
  }

  answer(id: RequestId, message: JSONRPCMessage): void {
    if (this.#isStreamed) this.send(message);
    else this.#answers.push(messageText(message));
    this.#settle(id);
  }

  /** The protocol forbids an answer to a cancelled request. */
  cancel(id: RequestId): void {
    this.#startStream();
    this.#settle(id);
  }

  /** The session has ended. */
  close(): void {
    for (const id of this.unanswered) this.cancel(id);
  }

  #settle(id: RequestId): void {
    this.unanswered.delete(id);
    if (this.unanswered.size > 0) return;
    clearInterval(this.#timer);
    if (this.#isStreamed) this.#endStream();
    else {
      const [answer = ''] = this.#answers;
      const body = this.#isBatch ? `[${this.#answers.join(',')}]` : answer;
      this.#resolve(
        new Response(body, { headers: { 'Content-Type': 'application/json', ...this.#headers } }),
      );
    }
    for (const run of this.#whenDone.splice(0)) run();
  }

  #event(text: string | Buffer): void {
    this.#startStream();
    this.#stream?.enqueue(Buffer.from(text));
  }

  #startStream(): void {
    if (this.#isStreamed) return;
    this.#isStreamed = true;
    const body = new ReadableStream<Uint8Array>({
      start: (stream) => {
        this.#stream = stream;
      },
      // The client has left. Its calls continue: in a session, only the client itself cancels them.
      cancel: () => {
        this.#stream = undefined;
      },
    });
    for (const text of this.#answers.splice(0)) this.#event(EVENT.join(String(text)));
    const headers = { 'Content-Type': 'text/event-stream', ...STREAM_HEADERS, ...this.#headers };
    this.#resolve(new Response(body, { headers }));
  }

  #endStream(): void {
    this.#stream?.close();
    this.#stream = undefined;
  }
}

/** What frames an event. */
const EVENT = ['event: message\ndata: ', '\n\n'] as const;
/** No proxy may hold events back or change them. */
const STREAM_HEADERS = { 'Cache-Control': 'no-cache, no-transform', 'X-Accel-Buffering': 'no' };
