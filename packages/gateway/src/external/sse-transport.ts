import {
  type JSONRPCMessage,
  SSEClientTransport,
  SseError,
  type Transport,
} from '@modelcontextprotocol/client';
import type { HttpOptions } from './http-transport.ts';
import { limitedFetch } from './limited-fetch.ts';
import { withinLevels } from './problems.ts';

/**
 * The SDK's transport for HTTP+SSE, of which many servers remain, with a limit per message. All messages of the server come
 * in one stream, so the end of the stream is the end of the connection: the SDK would open another one, to which the server
 * has said nothing yet.
 */
export class SseTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: Transport['onmessage'];
  exit: string | undefined;
  readonly #inner: SSEClientTransport;
  readonly #closed = Promise.withResolvers<never>();
  #isClosed = false;

  constructor(options: HttpOptions) {
    const { url, headers = {} } = options;
    this.#inner = new SSEClientTransport(new URL(url), {
      requestInit: { headers: { ...headers } },
      fetch: (target, init) =>
        limitedFetch(target, init, {
          ...options,
          onTooLong: ({ message }) => {
            this.exit = message.replace(/\.$/, '');
          },
        }),
    });
    // Nothing waits for it after the start.
    this.#closed.promise.catch(() => undefined);
    this.#inner.onerror = (error) => {
      this.onerror?.(error);
      if (error instanceof SseError) void this.close();
    };
    this.#inner.onmessage = (message) => {
      const fitting = withinLevels(message);
      if (fitting !== undefined) this.onmessage?.(fitting);
    };
  }

  setProtocolVersion(version: string): void {
    this.#inner.setProtocolVersion(version);
  }

  /** The server names the address for messages first, or never. */
  async start(): Promise<void> {
    await Promise.race([this.#inner.start(), this.#closed.promise]);
  }

  send(message: JSONRPCMessage): Promise<void> {
    return this.#inner.send(message);
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#closed.reject(new Error('The connection was closed.'));
    await this.#inner.close();
    this.onclose?.();
  }
}
