import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';

/** A page for the browser of this machine, on a free port of 127.0.0.1. */
export interface LoopbackServer {
  /** `http://127.0.0.1:43211` */
  readonly origin: string;
  /** Ends at once, also for a browser that still reads. */
  close(): Promise<void>;
}

export interface LoopbackOptions {
  /** The page is one document and loads nothing that this policy does not name. */
  readonly contentSecurityPolicy: string;
  handle(request: IncomingMessage, response: ServerResponse): Promise<void>;
  /** What `handle` throws. The connection ends. */
  onError(error: unknown): void;
}

const HEADERS = {
  'cache-control': 'no-store',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
};

/**
 * Listens, sets the headers of a page that is not shown inside others, and answers 421 to every other host: a name that
 * points at this machine is the first step of DNS rebinding.
 */
export async function serveLoopback(options: LoopbackOptions): Promise<LoopbackServer> {
  // Most programs that import this folder show no page.
  const { createServer } = await import('node:http');
  const server = createServer((request, response) => {
    for (const [name, value] of Object.entries(HEADERS)) response.setHeader(name, value);
    response.setHeader('content-security-policy', options.contentSecurityPolicy);
    if (request.headers.host !== host) return refuse(response, 421);
    options.handle(request, response).catch((error: unknown) => {
      options.onError(error);
      response.destroy();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server does not listen on TCP');
  const host = `127.0.0.1:${address.port}`;
  return {
    origin: `http://${host}`,
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

/** True for a request that another page of the browser makes, also one of another port of this machine. */
export function isForeign({ method, headers }: IncomingMessage, origin: string): boolean {
  const site = headers['sec-fetch-site'];
  if (site !== undefined && site !== 'same-origin' && site !== 'none') return true;
  return headers.origin === undefined ? method !== 'GET' : headers.origin !== origin;
}

export function refuse(response: ServerResponse, status: number): void {
  response.writeHead(status, { connection: 'close' }).end();
}

/**
 * @param type the media type that the request must name
 * @returns undefined if the request was refused: 415 for another type, 413 if the body is too long
 */
export async function readBody(
  request: IncomingMessage,
  response: ServerResponse,
  type: string,
  maxBytes: number,
): Promise<Buffer | undefined> {
  const stop = (status: number) => {
    refuse(response, status);
    return undefined;
  };
  if (request.headers['content-type'] !== type) return stop(415);
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > maxBytes) return stop(413);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
