import type { JSONRPCMessage } from '@modelcontextprotocol/client';
import { eventsOf, refusal, TooLong } from './events.ts';
import type { HttpOptions } from './http-transport.ts';
import { fetchWithLogin } from './server-fetch.ts';
import { ServerTransport } from './server-transport.ts';

/**
 * HTTP+SSE, which Streamable HTTP has replaced, and of which many servers remain. All messages of the server come in one
 * stream, so the end of the stream is the end of the connection.
 */
export class SseTransport extends ServerTransport {
  readonly #options: HttpOptions;
  readonly #closed = new AbortController();
  /** Where the server takes messages, which it names first, or never. */
  readonly #endpoint = Promise.withResolvers<URL>();

  constructor(options: HttpOptions) {
    super();
    this.#options = options;
    // Nothing waits for it after the start.
    this.#endpoint.promise.catch(() => undefined);
  }

  async start(): Promise<void> {
    const response = await this.#fetch(this.#options.url, { headers: { accept: 'text/event-stream' } });
    if (!response.ok) throw await refusal(response);
    void this.#read(response);
    await this.#endpoint.promise;
  }

  protected async write(message: JSONRPCMessage): Promise<void> {
    const headers = { 'content-type': 'application/json' };
    const body = JSON.stringify(message);
    const response = await this.#fetch(await this.#endpoint.promise, { method: 'POST', headers, body });
    if (!response.ok) throw await refusal(response);
    await response.body?.cancel();
  }

  async close(): Promise<void> {
    if (this.#closed.signal.aborted) return;
    this.#closed.abort();
    this.#endpoint.reject(new Error('The connection was closed.'));
    this.ended();
  }

  async #read(response: Response): Promise<void> {
    try {
      for await (const { type, data } of eventsOf(response, this.#options.maxMessageBytes)) {
        if (type === 'endpoint') this.#endpoint.resolve(sameOrigin(data, this.#options.url));
        else if (data !== '' && (type === '' || type === 'message')) this.#deliver(data);
      }
    } catch (error) {
      if (error instanceof TooLong) this.exit = error.message.replace(/\.$/, '');
      if (!this.#closed.signal.aborted) this.report(error);
    }
    await this.close();
  }

  #deliver(data: string): void {
    try {
      this.receive(this.parsed(data));
    } catch {
      this.report(`not a message: ${data}`);
    }
  }

  #fetch(target: string | URL, { headers, ...init }: RequestInit): Promise<Response> {
    const version = this.version === undefined ? {} : { 'mcp-protocol-version': this.version };
    const all = new Headers({ ...this.#options.headers, ...version });
    for (const [name, value] of new Headers(headers)) all.set(name, value);
    return fetchWithLogin(target, { ...init, headers: all, signal: this.#closed.signal }, this.#options);
  }
}

/** Another origin would get the headers and the arguments. */
function sameOrigin(endpoint: string, server: string): URL {
  const url = new URL(endpoint, server);
  if (url.origin !== new URL(server).origin)
    throw new Error(`Its endpoint has another origin: ${url.origin}`);
  return url;
}
