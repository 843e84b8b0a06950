import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Log } from '@deskside/core';
import { isObject, parseObject } from '@deskside/core/base';
import {
  isForeign,
  type LoopbackServer,
  peerUid,
  readBody,
  refuse,
  serveLoopback,
} from '@deskside/core/desk';
import type { Answer, InboxItem } from '@deskside/notify-popup';
import builtPage from '#dist/desk-page.json' with { type: 'json' };
import { KEY_HEADER, type PageAnswer, type PageEvent } from './browser/protocol.ts';
import type { Feed } from './feed.ts';
import type { LateInbox } from './late-inbox.ts';
import type { MountCalls } from './mount-calls.ts';
import type { PageAuth } from './page-auth.ts';

/** 10,000 characters of any script, escaped. */
const MAX_BODY_BYTES = 256 * 1024;
/** Of pages that are open at once. */
const MAX_STREAMS = 16;
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
  /** By the digest of its key. */
  const streams = new Map<ServerResponse, string>();
  const server = await serveLoopback({
    uidOf: peerUid,
    contentSecurityPolicy: CONTENT_SECURITY_POLICY,
    handle,
    onError: (error) => log.error('page request failed', { error }),
  });
  auth.onRevoked = (key) => {
    for (const [response, owner] of streams) if (owner === key) response.destroy();
  };

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method, headers } = request;
    const { pathname, searchParams } = new URL(request.url ?? '', server.origin);
    if (method === 'GET' && pathname === '/') return sendPage(response);
    if (isForeign(request, server.origin)) return refuse(response, 403);
    if (method === 'POST' && pathname === '/key') return exchange(request, response);
    const given = headers[KEY_HEADER];
    const key = typeof given === 'string' ? auth.accept(given) : undefined;
    if (key === undefined) return refuse(response, 401);
    const route = `${method} ${pathname}`;
    if (route === 'GET /events') return stream(response, key);
    if (route === 'GET /records') {
      await feed.sendToday(eventWriter(response));
      return void response.end();
    }
    if (route === 'GET /tasks') return sendJson(response, await calls.tasks());
    if (route === 'GET /day') {
      const html = await calls.day(searchParams.get('date') ?? 'today');
      return sendJson(response, html && { html });
    }
    if (route === 'POST /answer') return answer(request, response);
    if (route === 'POST /done') return complete(request, response);
    if (route === 'POST /seen') return see(request, response);
    if (route === 'POST /show' || route === 'POST /tell') return reach(request, response);
    return refuse(response, 404);
  }

  async function exchange(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await readJson(request, response);
    if (body === undefined) return;
    const { secret } = body;
    const key = typeof secret === 'string' ? auth.exchange(secret) : undefined;
    if (key === undefined) return refuse(response, 403);
    return sendJson(response, { key });
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await readJson(request, response);
    if (body === undefined) return;
    const { id, answer: given } = body;
    const item = typeof id === 'string' ? inbox.item(id) : undefined;
    if (item === undefined) return refuse(response, 409);
    const read = answerOf(given);
    if (read === undefined) return refuse(response, 400);
    if (!isAllowed(item, read)) return refuse(response, 403);
    const option = read.kind === 'option' ? item.options?.[read.index] : undefined;
    if (read.kind === 'option' && option === undefined) return refuse(response, 400);
    const isFirst = inbox.answer(item.id, meaningOf(read, option), 'page');
    response.writeHead(isFirst ? 204 : 409).end();
  }

  async function complete(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await readJson(request, response);
    if (body === undefined) return;
    const { id } = body;
    if (typeof id !== 'number' || !Number.isSafeInteger(id)) return refuse(response, 400);
    const done = await calls.complete(id);
    if (done === undefined) return refuse(response, 409);
    return sendJson(response, done);
  }

  async function see(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await readJson(request, response);
    if (body === undefined) return;
    const { ids } = body;
    if (!Array.isArray(ids)) return refuse(response, 400);
    await feed.see(ids);
    response.writeHead(204).end();
  }

  async function reach(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await readJson(request, response);
    if (body === undefined) return;
    const { session, text } = body;
    if (typeof session !== 'string') return refuse(response, 400);
    if (request.url === '/show') return sendJson(response, { isKnown: await agents.show(session) });
    if (typeof text !== 'string' || text.trim() === '') return refuse(response, 400);
    response.writeHead(agents.tell(session, text) ? 204 : 409).end();
  }

  async function stream(response: ServerResponse, key: string): Promise<void> {
    if (streams.size >= MAX_STREAMS) return refuse(response, 503);
    const ending = new AbortController();
    streams.set(response, key);
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

function sendPage(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(builtPage.html);
}

function eventWriter(response: ServerResponse): (event: PageEvent) => void {
  response.writeHead(200, { 'content-type': 'application/x-ndjson; charset=utf-8' });
  return (event) => {
    if (response.writableLength > MAX_UNSENT_BYTES) response.destroy();
    else response.write(`${JSON.stringify(event)}\n`);
  };
}

/** @param value undefined for what this desk does not have */
function sendJson(response: ServerResponse, value: unknown): void {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(value ?? null));
}

/** @returns undefined if the request was refused */
async function readJson(
  request: IncomingMessage,
  response: ServerResponse,
): Promise<Readonly<Record<string, unknown>> | undefined> {
  const body = await readBody(request, response, 'application/json', MAX_BODY_BYTES);
  if (body === undefined) return undefined;
  const value = parseObject(body.toString('utf8'));
  if (value === undefined) refuse(response, 400);
  return value;
}

/** The page may do what the window may, and nothing to what it does not know. The inbox knows which calls wait. */
function isAllowed({ kind, isSimple, approval }: InboxItem, given: PageAnswer): boolean {
  switch (given.kind) {
    case 'text':
    case 'option':
      return kind === 'question' && isSimple;
    case 'cancel':
      return kind === 'question';
    case 'close':
      return kind === 'news';
    case 'allow':
    case 'deny':
      // A review must be read in its window.
      return kind === 'approval' && approval !== undefined && approval.review === undefined;
  }
}

function meaningOf(given: PageAnswer, option: string = ''): Answer {
  switch (given.kind) {
    case 'text':
      return { kind: 'submitted', text: given.text };
    case 'option':
      return { kind: 'submitted', text: option };
    case 'cancel':
      return { kind: 'cancelled' };
    case 'close':
      return { kind: 'dismissed' };
    case 'allow':
      return { kind: 'allowed', scope: given.scope, ids: given.ids };
    case 'deny':
      return { kind: 'denied', text: given.text, ids: given.ids };
  }
}

const SCOPES = ['once', 'session', 'always'] as const;

function answerOf(given: unknown): PageAnswer | undefined {
  if (!isObject(given)) return undefined;
  const { kind, text, index } = given;
  if (kind === 'text') return typeof text === 'string' && text.trim() !== '' ? { kind, text } : undefined;
  if (kind === 'option') return typeof index === 'number' ? { kind, index } : undefined;
  if (kind !== 'allow' && kind !== 'deny')
    return kind === 'cancel' || kind === 'close' ? { kind } : undefined;
  const ids = Array.isArray(given['ids']) ? given['ids'].filter((id) => typeof id === 'string') : [];
  if (kind === 'deny') return typeof text === 'string' ? { kind, text, ids } : undefined;
  const scope = SCOPES.find((each) => each === given['scope']);
  return scope && { kind, scope, ids };
}
