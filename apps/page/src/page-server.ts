import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Awaitable, Log } from '@deskside/core';
import { isObject, parseObject } from '@deskside/core/base';
import {
  isForeign,
  type LoopbackServer,
  peerUid,
  readBody,
  refuse,
  serveLoopback,
  type Answer,
  type InboxItem,
} from '@deskside/desktop';
import { wholeValue } from '@deskside/look/approval';
import builtPage from '#dist/page.json' with { type: 'json' };
import { KEY_HEADER, MAX_BODY_BYTES, type PageEvent } from './browser/protocol.ts';
import type { Feed } from './feed.ts';
import type { LateInbox } from './late-inbox.ts';
import type { MountCalls } from './mount-calls.ts';
import type { PageAuth } from './page-auth.ts';

/**
 * Of pages that are open at once. A browser has at most six connections to a host: two are left to send something, and to load
 * a further page.
 */
const MAX_STREAMS = 4;
/** Of a page that does not read. */
const MAX_UNSENT_BYTES = 32 * 1024 * 1024;

/** The page is one document and loads nothing. Styles in attributes are those of the day, whose texts are escaped. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  `script-src ${builtPage.scriptHash}`,
  `style-src ${builtPage.styleHash}`,
  "style-src-attr 'unsafe-inline'",
  "connect-src 'self'",
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  'trusted-types deskside-html',
].join('; ');

export interface PageParts {
  readonly auth: PageAuth;
  readonly feed: Feed;
  readonly inbox: LateInbox;
  readonly calls: MountCalls;
  readonly agents: {
    /** @returns false if the agent is gone */
    tell(session: string, text: string): boolean;
    /** Raises its terminal. @returns false if it is not known */
    show(session: string): Promise<boolean>;
  };
  readonly log: Log;
}

/** Does what a request asks. @returns what is sent as JSON, or a status without content */
type Post = (body: Readonly<Record<string, unknown>>) => Awaitable<object | number>;

export interface PageServer extends LoopbackServer {
  /** Pages that are open now. */
  readonly streams: number;
}

/** Serves the page at `/` of a free loopback port. */
export async function openPageServer({
  auth,
  feed,
  inbox,
  calls,
  agents,
  log,
}: PageParts): Promise<PageServer> {
  /** The oldest first. */
  const streams = new Map<ServerResponse, OpenStream>();
  const exchange: Post = ({ secret }) => {
    const key = typeof secret === 'string' ? auth.exchange(secret) : undefined;
    return key === undefined ? 403 : { key };
  };
  const posts: Readonly<Record<string, Post>> = {
    '/answer': ({ id, answer }) => {
      const item = typeof id === 'string' ? inbox.item(id) : undefined;
      if (item === undefined) return 409;
      const meaning = meaningOf(item, answer);
      if (typeof meaning === 'number') return meaning;
      return inbox.answer(item.id, meaning, 'page') ? 204 : 409;
    },
    '/done': async ({ id }) => {
      if (typeof id !== 'number' || !Number.isSafeInteger(id)) return 400;
      return (await calls.complete(id)) ?? 409;
    },
    '/seen': async ({ ids }) => {
      if (!Array.isArray(ids)) return 400;
      await feed.see(ids);
      return 204;
    },
    '/show': async ({ session }) =>
      typeof session === 'string' ? { isKnown: await agents.show(session) } : 400,
    '/tell': ({ session, text }) => {
      if (typeof session !== 'string' || !isText(text)) return 400;
      return agents.tell(session, text) ? 204 : 409;
    },
  };
  const server = await serveLoopback({
    uidOf: peerUid,
    contentSecurityPolicy: CONTENT_SECURITY_POLICY,
    handle,
    onError: (error) => log.error('page request failed', { error }),
  });
  auth.onRevoked = (key) => {
    for (const [response, stream] of streams) if (stream.key === key) response.destroy();
  };

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method, headers } = request;
    const { pathname, searchParams } = new URL(request.url ?? '', server.origin);
    if (method === 'GET' && pathname === '/') return sendPage(response);
    if (isForeign(request, server.origin)) return refuse(response, 403);
    if (method === 'POST' && pathname === '/key') return receive(request, response, exchange);
    const given = headers[KEY_HEADER];
    const key = typeof given === 'string' ? auth.accept(given) : undefined;
    if (key === undefined) return refuse(response, 401);
    const route = `${method} ${pathname}`;
    if (route === 'GET /events') return stream(response, key);
    if (route === 'GET /tasks') return sendJson(response, await calls.tasks());
    if (route === 'GET /day') {
      const html = await calls.day(searchParams.get('date') ?? 'today');
      return sendJson(response, html && { html });
    }
    if (route === 'GET /value') {
      const item = inbox.item(searchParams.get('item') ?? '');
      return sendJson(response, wholeValue(item?.approval, searchParams));
    }
    const post = method === 'POST' ? posts[pathname] : undefined;
    if (post !== undefined) return receive(request, response, post);
    return refuse(response, 404);
  }

  async function stream(response: ServerResponse, key: string): Promise<void> {
    const [first] = streams;
    if (streams.size >= MAX_STREAMS && first !== undefined) {
      const [oldest, { ending }] = first;
      streams.delete(oldest);
      // Also if the page does not read.
      ending.abort();
      oldest.end(lineOf({ type: 'replaced' }));
    }
    const ending = new AbortController();
    streams.set(response, { key, ending });
    response.on('close', () => {
      streams.delete(response);
      ending.abort();
    });
    await feed.send(eventWriter(response), ending.signal);
  }

  return {
    ...server,
    get streams() {
      return streams.size;
    },
  };
}

interface OpenStream {
  /** The digest of its key. */
  readonly key: string;
  readonly ending: AbortController;
}

function sendPage(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(builtPage.html);
}

function eventWriter(response: ServerResponse): (event: PageEvent) => void {
  response.writeHead(200, { 'content-type': 'application/x-ndjson; charset=utf-8' });
  return (event) => {
    if (response.writableLength > MAX_UNSENT_BYTES) response.destroy();
    else if (!response.writableEnded) response.write(lineOf(event));
  };
}

function lineOf(event: PageEvent): string {
  return `${JSON.stringify(event)}\n`;
}

/** @param value undefined for what this desk does not have */
function sendJson(response: ServerResponse, value: unknown): void {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(value ?? null));
}

async function receive(request: IncomingMessage, response: ServerResponse, work: Post): Promise<void> {
  const bytes = await readBody(request, response, 'application/json', MAX_BODY_BYTES);
  if (bytes === undefined) return;
  const body = parseObject(bytes.toString('utf8'));
  const result = body === undefined ? 400 : await work(body);
  if (typeof result === 'object') sendJson(response, result);
  else if (result === 204) response.writeHead(204).end();
  else refuse(response, result);
}

const SCOPES = ['once', 'session', 'always'] as const;

/**
 * The page may do what the window may, and nothing to what it does not know. The inbox knows which calls wait.
 *
 * @returns the status if it is refused
 */
function meaningOf(item: InboxItem, given: unknown): Answer | number {
  if (!isObject(given)) return 400;
  const { text } = given;
  const ids = Array.isArray(given['ids']) ? given['ids'].filter((id) => typeof id === 'string') : [];
  const isQuestion = item.kind === 'question';
  const takesText = isQuestion && item.isSimple;
  // A review must be read in its window.
  const takesDecision =
    item.kind === 'approval' && item.approval !== undefined && item.approval.review === undefined;
  switch (given['kind']) {
    case 'text':
      if (!takesText) return 403;
      return isText(text) ? { kind: 'submitted', text } : 400;
    case 'option': {
      if (!takesText) return 403;
      const option = typeof given['index'] === 'number' ? item.options?.[given['index']] : undefined;
      return option === undefined ? 400 : { kind: 'submitted', text: option };
    }
    case 'cancel':
      return isQuestion ? { kind: 'cancelled' } : 403;
    case 'close':
      return item.kind === 'news' ? { kind: 'dismissed' } : 403;
    case 'allow': {
      if (!takesDecision) return 403;
      const scope = SCOPES.find((each) => each === given['scope']);
      return scope === undefined ? 400 : { kind: 'allowed', scope, ids };
    }
    case 'deny':
      if (!takesDecision) return 403;
      return typeof text === 'string' ? { kind: 'denied', text, ids } : 400;
    default:
      return 400;
  }
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== '';
}
