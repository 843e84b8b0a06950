/** Proxies and clients end a connection on which nothing comes. */
export const KEEP_ALIVE_MS = 15_000;
/** What waits for a client that reads slowly. */
const MAX_UNREAD_BYTES = 4 * 2 ** 20;
/** What frames an event. */
export const EVENT = ['event: message\ndata: ', '\n\n'] as const;

/** A response of server-sent events. */
export class EventStream {
  readonly response: Response;
  /** Undefined after the end. */
  #stream: ReadableStreamDefaultController<Uint8Array> | undefined;
  readonly #timer: NodeJS.Timeout;
  readonly #ended: () => void;

  /** @param ended called when it is closed, or when its client has left */
  constructor(headers: Readonly<Record<string, string>>, ended: () => void = () => undefined) {
    this.#ended = ended;
    const source = {
      start: (stream: ReadableStreamDefaultController<Uint8Array>) => {
        this.#stream = stream;
      },
      cancel: () => this.#end(),
    };
    const all = new ByteLengthQueuingStrategy({ highWaterMark: MAX_UNREAD_BYTES });
    const body = new ReadableStream<Uint8Array>(source, all);
    // No proxy may hold events back or change them.
    const own = { 'Cache-Control': 'no-cache, no-transform', 'X-Accel-Buffering': 'no' };
    this.response = new Response(body, {
      headers: { 'Content-Type': 'text/event-stream', ...own, ...headers },
    });
    this.#timer = setInterval(() => this.send(': keepalive\n\n'), KEEP_ALIVE_MS).unref();
  }

  /** True if the client reads events much more slowly than the server sends them. */
  get isFull(): boolean {
    return this.#stream !== undefined && (this.#stream.desiredSize ?? 0) <= 0;
  }

  /** @param text with what frames it */
  send(text: string | Buffer): void {
    this.#stream?.enqueue(Buffer.from(text));
  }

  close(): void {
    this.#stream?.close();
    this.#end();
  }

  #end(): void {
    if (this.#stream === undefined) return;
    this.#stream = undefined;
    clearInterval(this.#timer);
    this.#ended();
  }
}
