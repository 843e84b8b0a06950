import { newSecret, type Scheduler, systemClock, tokenDigest } from '@deskside/core/base';
import { isForeign, readBody, refuse, serveLoopback } from '@deskside/desktop';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import builtPage from '#dist/page.json' with { type: 'json' };
import type { Notice, PopupSpec } from '../service/presenter.ts';
import { MAX_IMAGES_BYTES } from './images.ts';
import { MAX_TEXT_BYTES, PageState, parsePageMessage } from './page-state.ts';
import { renderCalls, wholeValue } from '@deskside/look/approval';
import { type PageOptions, renderPage } from './render-page.ts';

const COOKIE = 'deskside-popup';
/** Escape can stop a page while it loads. Each further attempt needs a new token. */
const TOKEN_COUNT = 5;
const PING_INTERVAL_MS = 2000;
const TYPING_TIMEOUT_MS = 200;
/** The page connects again this long after its event stream broke. */
const RECONNECT_MS = 500;
/** The longest text, in which each byte may be escaped by six. */
const MAX_BODY_BYTES = 7 * MAX_TEXT_BYTES;

/** The page is one document and loads nothing else. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  `script-src ${builtPage.scriptHashes}`,
  `style-src ${builtPage.styleHash}`,
  'img-src data:',
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

export type PageServer = Awaited<ReturnType<typeof openPageServer>>;

export interface PageServerOptions {
  readonly page: Promise<PageOptions>;
  readonly openLink: (address: string) => void;
  readonly clock?: Scheduler;
}

/** Serves the page of one popup on a loopback port, until the answer. */
export async function openPageServer(spec: PopupSpec, options: PageServerOptions) {
  const { clock = systemClock } = options;
  const state = new PageState(spec, clock);
  const auth = createPageAuth();
  const events = createEventStream(() => state.disconnected());
  const page = options.page.then((pageOptions) => renderPage(spec, pageOptions));
  // Each request awaits it, but perhaps none comes.
  page.catch(() => undefined);
  let readyAtMs: number | undefined;
  void state.ready.then(() => (readyAtMs = clock.elapsedMs()));
  const server = await serveLoopback({
    contentSecurityPolicy: CONTENT_SECURITY_POLICY,
    handle,
    // What could not be read or sent shows in the window, which connects again.
    onError: () => undefined,
  });
  const pings = setInterval(() => {
    if (state.countPing()) events.send('ping');
  }, PING_INTERVAL_MS);

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method, url = '', headers } = request;
    if (method === 'GET' && url.startsWith('/open/')) return redeemToken(url, response);
    if (!auth.hasCookie(headers) || isForeign(request, server.origin)) return refuse(response, 403);
    if (method === 'POST' && url === '/message') return receiveMessage(request, response);
    if (method === 'POST' && url.startsWith('/image/')) return receiveImage(request, response);
    if (method !== 'GET') return refuse(response, 405);
    if (url.startsWith('/image/')) return sendImage(url, response);
    if (url.startsWith('/value?')) return sendValue(url, response);
    if (url.startsWith('/events?load=')) {
      state.connected(url.slice('/events?load='.length));
      const pieces = [...(spec.inView ?? [])];
      if (pieces.length > 0) events.send('inView', { pieces });
      return events.attach(response);
    }
    if (url !== '/') return refuse(response, 404);
    return sendPage(response);
  }

  async function receiveMessage(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await readBody(request, response, 'application/json', MAX_BODY_BYTES);
    if (body === undefined) return;
    const message = parsePageMessage(body.toString('utf8'));
    if (message === undefined) return refuse(response, 400);
    const isAccepted = state.receive(message);
    // 202 tells the page to wait for the next question.
    response.writeHead(isAccepted ? (state.isFollowed ? 202 : 204) : 409).end();
    if (message.type !== 'link') return;
    const address = (await page).links[message.index];
    if (address !== undefined) options.openLink(address);
  }

  async function receiveImage(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const place = placeIn(request.url);
    if (place === undefined) return refuse(response, 404);
    const body = await readBody(request, response, 'application/octet-stream', MAX_IMAGES_BYTES);
    if (body === undefined) return;
    if (state.addImage(place, body)) response.writeHead(204).end();
    else refuse(response, 400);
  }

  function sendImage(url: string, response: ServerResponse): void {
    const image = state.images.get(placeIn(url) ?? -1);
    if (image === undefined) return refuse(response, 404);
    response.writeHead(200, { 'content-type': image.mimeType }).end(Buffer.from(image.data, 'base64'));
  }

  function sendValue(url: string, response: ServerResponse): void {
    const value = wholeValue(state.approval, new URL(url, server.origin).searchParams);
    if (value === undefined) return refuse(response, 404);
    response.writeHead(200, { 'content-type': 'text/plain; charset=utf-8' }).end(value);
  }

  async function redeemToken(url: string, response: ServerResponse): Promise<void> {
    const result = auth.redeem(url);
    if (result === 'reused') state.invalidate('its address was used a second time');
    if (result !== 'accepted') return refuse(response, 403);
    response.setHeader('set-cookie', auth.setCookie);
    return sendPage(response);
  }

  async function sendPage(response: ServerResponse): Promise<void> {
    const { html } = await page;
    response
      .writeHead(200, { 'content-type': 'text/html; charset=utf-8' })
      .end(html(state.typed, secondsLeft(), [...state.images.keys()], await isTyping()));
  }

  /** On some platforms the answer needs the start of a program: the window does not wait for that. */
  async function isTyping(): Promise<boolean> {
    const { promise: late, resolve } = Promise.withResolvers<boolean>();
    const cancel = clock.after(TYPING_TIMEOUT_MS, () => resolve(false));
    const is = await Promise.race([spec.isTyping?.() ?? false, late]);
    cancel();
    return is;
  }

  /** As the page shows it. The service decides when the time is over. */
  function secondsLeft(): number | undefined {
    const { timeout } = spec.question;
    const atMs = clock.elapsedMs();
    return timeout && Math.max(0, timeout - (atMs - (readyAtMs ?? atMs)) / 1000);
  }

  return {
    /** Each opens the page once. */
    addresses: auth.paths.map((path) => `${server.origin}${path}`),
    /** Resolves when the page is painted and accepts keys. */
    ready: state.ready,
    ended: state.ended,
    /** A browser has asked for the page. */
    get isRequested() {
      return auth.isRedeemed;
    },
    /** The person has pressed a key or a button in it. */
    get isUsed() {
      return state.isUsed;
    },
    notify(notice: Notice) {
      state.notify(notice);
      const { kind, ...data } = notice;
      events.send(kind, kind === 'approval' ? { html: renderCalls(notice.approval) } : data);
    },
    /** The next question appears in this window. */
    get isFollowed() {
      return state.isFollowed;
    },
    /** Leads the window to the page of the next question. */
    go: (address: string) => events.send('go', { address }),
    /** Asks the page to close its window. */
    requestClose: () => events.send('close'),
    /** @param wasClosed true if the person closed the window, as far as the caller knows */
    windowGone: (wasClosed: boolean) => state.windowGone(wasClosed),
    async close() {
      clearInterval(pings);
      state.dispose();
      events.end();
      await server.close();
    },
  };
}

/** Of an image in its address. */
function placeIn(url = ''): number | undefined {
  const [, place] = /^\/image\/([0-2])$/.exec(url) ?? [];
  return place === undefined ? undefined : Number(place);
}

/** Admits exactly one browser to the page: the one that redeems a token gets the cookie. */
function createPageAuth() {
  const cookie = `${COOKIE}=${newSecret()}`;
  const paths = Array.from({ length: TOKEN_COUNT }, () => `/open/${newSecret()}`);
  /** By digest: a lookup takes a time that says nothing about the secret. */
  const states = new Map<string, 'accepted' | 'reused'>(
    paths.map((path) => [tokenDigest(path), 'accepted'] as const),
  );
  return {
    /** Each opens the page once. */
    paths,
    /** The `Set-Cookie` header for a redeemed token. */
    setCookie: `${cookie}; HttpOnly; SameSite=Strict; Path=/`,
    redeem(path: string) {
      const token = tokenDigest(path);
      const state = states.get(token) ?? 'unknown';
      if (state === 'accepted') states.set(token, 'reused');
      return state;
    },
    get isRedeemed() {
      return [...states.values()].includes('reused');
    },
    hasCookie: ({ cookie: given = '' }: IncomingHttpHeaders) => tokenDigest(given) === tokenDigest(cookie),
  };
}

/**
 * Server-sent events for the page. A page that loads again replaces the earlier connection. While it does not read, nothing is
 * held for it but the newest event of each kind.
 *
 * @param onBroken called when the page ended the connection
 */
function createEventStream(onBroken: () => void) {
  let current: ServerResponse | undefined;
  const latest = new Map<string, unknown>();
  /** Kinds of events that the page has not got, in the order in which they follow. */
  const due = new Set<string>();
  function flush(): void {
    for (const name of due) {
      if (current === undefined || current.writableNeedDrain) return;
      due.delete(name);
      current.write(`event: ${name}\ndata: ${JSON.stringify(latest.get(name))}\n\n`);
    }
  }
  return {
    send(name: string, data: unknown = {}) {
      latest.set(name, data);
      due.delete(name);
      due.add(name);
      flush();
    },
    attach(response: ServerResponse) {
      const previous = current;
      current = response;
      previous?.end();
      response.on('close', () => {
        if (current !== response) return;
        current = undefined;
        onBroken();
      });
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(`retry: ${RECONNECT_MS}\n\n`);
      response.on('drain', flush);
      // Events from before the page connected.
      for (const name of latest.keys()) due.add(name);
      flush();
    },
    end() {
      const response = current;
      current = undefined;
      response?.end();
    },
  };
}
