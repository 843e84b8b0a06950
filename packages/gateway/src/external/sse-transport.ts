import type { JSONRPCMessage } from '@modelcontextprotocol/client';
import { eventsOf, refusal, TooLong } from './events.ts';
import { HttpTransport } from './http-transport.ts';

/**
 * HTTP+SSE, which Streamable HTTP has replaced, and of which many servers remain. All messages of the server come in one
 * stream, so the end of the stream is the end of the connection.
 */
export class SseTransport extends HttpTransport {
  override readonly hasPerRequestStream = false;
  /** Where the server takes messages, which it names first, or never. */
  readonly #endpoint = Promise.withResolvers<URL>();

  override async start(): Promise<void> {
    // Nothing waits for it after the start.
    this.#endpoint.promise.catch(() => undefined);
    const response = await this.fetch('GET', { accept: 'text/event-stream' }, this.closed.signal);
    if (!response.ok) throw await refusal(response);
    void this.#read(response);
    await this.#endpoint.promise;
  }

  protected override async write(message: JSONRPCMessage): Promise<void> {
    const headers = { 'content-type': 'application/json' };
    const body = JSON.stringify(message);
    const response = await this.fetch(
      'POST',
      headers,
      this.closed.signal,
      body,
      await this.#endpoint.promise,
    );
    if (!response.ok) throw await refusal(response);
    await response.body?.cancel();
  }

  override async close(): Promise<void> {
    this.#endpoint.reject(new Error('The connection was closed.'));
    await super.close();
  }

  async #read(response: Response): Promise<void> {
    const { url, maxMessageBytes } = this.options;
    try {
      for await (const { type, data } of eventsOf(response, maxMessageBytes)) {
        if (type === 'endpoint') this.#endpoint.resolve(sameOrigin(data, url));
        else if (data !== '' && (type === '' || type === 'message')) this.#deliver(data);
      }
    } catch (error) {
      if (error instanceof TooLong) this.exit = error.message.replace(/\.$/, '');
      if (!this.closed.signal.aborted) this.report(error);
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
}

/** Headers of deskside.toml and the login go to the origin of the server only. */
function sameOrigin(endpoint: string, server: string): URL {
  const url = new URL(endpoint, server);
  if (url.origin !== new URL(server).origin)
    throw new Error(`Its endpoint has another origin: ${url.origin}`);
  return url;
}
