import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Ending, Notice, PopupSpec } from '../service/presenter.ts';
import { eventStream } from './event-stream.ts';
import { newGate } from './gate.ts';
import { parsePageMessage } from './page-message.ts';
import { pageSource } from './page-source.ts';
import { PageState } from './page-state.ts';
import { readBody } from './read-body.ts';
import { type PageLook, renderPage } from './render-page.ts';

/** Milliseconds between two questions to the page whether it is alive. */
const PING_MS = 2000;

/** Everything that the page needs stands in it. */
const CONTENT_POLICY = [
  "default-src 'none'",
  `script-src ${pageSource.scriptHashes}`,
  `style-src ${pageSource.styleHash}`,
  'img-src data:',
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const HEADERS = {
  'cache-control': 'no-store',
  'content-security-policy': CONTENT_POLICY,
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
};

/** A popup's page on a port of its own, from its first byte to the person's answer. */
export interface LoopbackPage {
  /** Each opens the page, once. */
  readonly addresses: readonly string[];
  /** Resolves when the page is painted and takes keys. */
  readonly ready: Promise<void>;
  readonly ended: Promise<Ending>;
  tell(notice: Notice): void;
  /** Asks the page to close its window. */
  leave(): void;
  /** The window is gone, whatever the page said last. @param wasClosed by the person, as far as that is known */
  windowGone(wasClosed: boolean): void;
  close(): Promise<void>;
}

export interface LoopbackOptions {
  readonly look: Promise<PageLook>;
  readonly openLink: (address: string) => void;
}

export async function openLoopbackPage(spec: PopupSpec, options: LoopbackOptions): Promise<LoopbackPage> {
  const state = new PageState(spec.onDraft);
  const gate = newGate();
  const stream = eventStream(() => state.streamBroke());
  const page = options.look.then((look) => renderPage(spec, look));
  page.catch(() => undefined);
  const server = createServer((request, response) => {
    handle(request, response).catch((error: unknown) =>
      response.destroy(error instanceof Error ? error : undefined),
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const host = `127.0.0.1:${portOf(server)}`;
  const pings = setInterval(() => {
    if (state.missesPing()) stream.send('ping');
  }, PING_MS);

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    for (const [name, value] of Object.entries(HEADERS)) response.setHeader(name, value);
    const { method, url = '', headers } = request;
    if (headers.host !== host) return refuse(response, 421);
    if (method === 'GET' && url.startsWith('/open/')) return open(url, response);
    if (!gate.hasCookie(headers) || isForeign(request)) return refuse(response, 403);
    if (method === 'POST' && url === '/message') return take(request, response);
    if (method !== 'GET') return refuse(response, 405);
    if (url.startsWith('/events?load=')) {
      state.listens(url.slice('/events?load='.length));
      return stream.attach(response);
    }
    if (url !== '/') return refuse(response, 404);
    return show(response);
  }

  function isForeign({ method, headers }: IncomingMessage): boolean {
    const site = headers['sec-fetch-site'];
    if (site !== undefined && site !== 'same-origin' && site !== 'none') return true;
    return method !== 'GET' && headers.origin !== `http://${host}`;
  }

  async function take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.headers['content-type'] !== 'application/json') return refuse(response, 415);
    const body = await readBody(request);
    if (body === undefined) return refuse(response, 413);
    const message = parsePageMessage(body);
    if (message === undefined) return refuse(response, 400);
    response.writeHead(state.take(message) ? 204 : 409).end();
    if (message.type !== 'link') return;
    const address = (await page).links[message.index];
    if (address !== undefined) options.openLink(address);
  }

  async function open(url: string, response: ServerResponse): Promise<void> {
    const admission = gate.admit(url);
    if (admission === 'used-again') state.void('its address was used a second time');
    if (admission !== 'admitted') return refuse(response, 403);
    response.setHeader('set-cookie', gate.setCookie);
    return show(response);
  }

  async function show(response: ServerResponse): Promise<void> {
    const { html } = await page;
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(html);
  }

  return {
    addresses: gate.paths.map((path) => `http://${host}${path}`),
    ready: state.ready,
    ended: state.ended,
    tell: ({ kind, ...data }) => stream.send(kind, data),
    leave: () => stream.send('close'),
    windowGone: (wasClosed) => state.windowGone(wasClosed),
    async close() {
      clearInterval(pings);
      state.dispose();
      stream.end();
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

function refuse(response: ServerResponse, status: number): void {
  response.writeHead(status, { connection: 'close' }).end();
}

function portOf(server: Server): number {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server does not listen on TCP');
  return address.port;
}
