import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createSecureServer, type ServerOptions } from 'node:https';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

export interface ReceivedRequest {
  readonly method: string | undefined;
  readonly path: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** An HTTP server on this machine that stores the requests. */
export interface Receiver extends AsyncDisposable {
  readonly url: URL;
  readonly received: readonly ReceivedRequest[];
}

/**
 * @param answer ends the response, or leaves it open; the default answers 200
 * @param tls its key and certificate; undefined for http
 */
export async function startReceiver(
  answer: (response: ServerResponse, count: number) => void = (response) => response.end(),
  tls?: ServerOptions,
): Promise<Receiver> {
  const received: ReceivedRequest[] = [];
  const receive = (request: IncomingMessage, response: ServerResponse) => {
    void text(request).then((body) => {
      received.push({ method: request.method, path: request.url, headers: request.headers, body });
      return answer(response, received.length);
    });
  };
  const server = tls === undefined ? createServer(receive) : createSecureServer(tls, receive);
  // Keeps idle connections open: a client could reuse one at the moment it is closed.
  server.keepAliveTimeout = 0;
  const listening = Promise.withResolvers<void>();
  server.listen(0, '127.0.0.1', listening.resolve);
  await listening.promise;
  return {
    url: new URL(
      `http${tls === undefined ? '' : 's'}://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    ),
    received,
    async [Symbol.asyncDispose]() {
      if (!server.listening) return;
      const closed = Promise.withResolvers<void>();
      server.close(() => closed.resolve());
      server.closeAllConnections();
      await closed.promise;
    },
  };
}
