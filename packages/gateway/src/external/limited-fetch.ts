import {
  discoverAuthorizationServerMetadata,
  discoverOAuthProtectedResourceMetadata,
  extractWWWAuthenticateParams,
  type FetchLike,
} from '@modelcontextprotocol/client';
import { metadataFetch } from './metadata-fetch.ts';
import { type ErrorAnswer, LoginNeeded, messageTooLong } from './problems.ts';
import type { ServerLogin } from './spec.ts';
import { Turns } from './turns.ts';

export interface FetchLimits {
  /** The address of the server, which can say where its login is. */
  readonly url: string;
  readonly login?: ServerLogin | undefined;
  /** Of one message: a whole body, or an event of a stream. */
  readonly maxMessageBytes: number;
  readonly onTooLong: (problem: ErrorAnswer) => void;
  /** Between two messages: until it resolves, no further one is read. */
  readonly beforeNext?: () => Promise<void> | undefined;
}

/** @throws LoginNeeded if the server demands a login, or a scope that the login does not have */
export async function limitedFetch(
  target: string | URL,
  init: RequestInit | undefined,
  limits: FetchLimits,
): Promise<Response> {
  const { url, login } = limits;
  // The login belongs to the server, whatever address it names.
  if (login === undefined || new URL(target).origin !== new URL(url).origin) {
    return fetchOnce(target, init, limits);
  }
  const token = await login.token();
  try {
    return await fetchOnce(target, withToken(init, token), limits, token !== undefined);
  } catch (error) {
    if (!(error instanceof LoginNeeded)) throw error;
    if (error.scope !== undefined) await login.lacks(error.scope);
    if (error.scope !== undefined || init?.signal?.aborted === true) throw error;
    return fetchOnce(target, withToken(init, await login.renewed(token)), limits, true);
  }
}

function withToken(init: RequestInit | undefined, token: string | undefined): RequestInit | undefined {
  if (token === undefined) return init;
  const headers = new Headers(init?.headers);
  headers.set('authorization', `Bearer ${token}`);
  return { ...init, headers };
}

/** Where the versions of undici in one process share their dispatcher. Node.js has one from the first use of `Headers` on. */
const SHARED_DISPATCHER = Symbol.for('undici.globalDispatcher.1');

/** `fetch` of Node.js ends what is silent for 300 s. The desk has its own limits, and a stream may be silent. */
const patient = {
  dispatch: (options: object, handler: unknown): unknown =>
    Reflect.get(globalThis, SHARED_DISPATCHER).dispatch(
      { ...options, headersTimeout: 0, bodyTimeout: 0 },
      handler,
    ),
};

function withoutTimeouts(): object {
  return SHARED_DISPATCHER in globalThis ? { dispatcher: patient } : {};
}

async function fetchOnce(
  target: string | URL,
  init: RequestInit | undefined,
  { url, maxMessageBytes, onTooLong, beforeNext }: FetchLimits,
  isLoggedIn = false,
): Promise<Response> {
  // The SDK passes one signal to all requests of a connection, and fetch leaves a listener on it.
  const { signal: given, ...rest } = init ?? {};
  const own = new AbortController();
  const stop = () => own.abort(given?.reason);
  given?.addEventListener('abort', stop, { once: true });
  if (given?.aborted === true) stop();
  const done = () => given?.removeEventListener('abort', stop);
  try {
    // A header of deskside.toml takes precedence over a login: no login helps.
    const hasHeader = new Headers(init?.headers).has('authorization') && !isLoggedIn;
    const response = await fetchHere(target, { ...rest, ...withoutTimeouts(), signal: own.signal });
    const { error: refusal, scope } = extractWWWAuthenticateParams(response);
    const lacksScope = isLoggedIn && response.status === 403 && refusal === 'insufficient_scope';
    const isRefused =
      response.status === 401 && (isLoggedIn || (!hasHeader && (await hasLogin(response, url, own.signal))));
    if (lacksScope || isRefused) {
      await response.body?.cancel();
      throw new LoginNeeded(lacksScope ? (scope ?? '') : undefined);
    }
    if (response.body === null) {
      done();
      return response;
    }
    const tooLong = () => {
      done();
      const problem = messageTooLong(maxMessageBytes);
      onTooLong(problem);
      return new Error(problem.message);
    };
    const limit = limitOf(maxMessageBytes, isEvents(response), tooLong, done, beforeNext);
    const { status, statusText, headers } = response;
    return new Response(response.body.pipeThrough(limit), { status, statusText, headers });
  } catch (error) {
    done();
    throw error;
  }
}

const MAX_REDIRECTS = 5;
const REDIRECTS: ReadonlySet<number> = new Set([307, 308]);
const REDIRECTS_OF_GET: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** Follows redirects on the same host only: another one would get the headers and the arguments. */
export async function fetchHere(
  target: string | URL,
  init: RequestInit,
  ask: FetchLike = fetch,
): Promise<Response> {
  const redirects = (init.method ?? 'GET') === 'GET' ? REDIRECTS_OF_GET : REDIRECTS;
  let here = new URL(target);
  for (let count = 0; ; count += 1) {
    const response = await ask(here, { ...init, redirect: 'manual' });
    const location = response.headers.get('location');
    const next = redirects.has(response.status) && location !== null ? URL.parse(location, here.href) : null;
    const isHere =
      next?.origin === here.origin || (next?.protocol === 'https:' && next.hostname === here.hostname);
    if (next === null || !isHere || count === MAX_REDIRECTS) return response;
    await response.body?.cancel();
    here = next;
  }
}

function isEvents({ headers }: Response): boolean {
  return headers.get('content-type')?.startsWith('text/event-stream') === true;
}

const LINE_FEED = 0x0a;

const CARRIAGE_RETURN = 0x0d;

/** Fails when one message is too long: a whole body, or an event, which ends with an empty line. */
function limitOf(
  maxBytes: number,
  isStream: boolean,
  tooLong: () => Error,
  done: () => void,
  beforeNext?: () => Promise<void> | undefined,
): TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>> {
  let bytes = 0;
  let lineBytes = 0;
  let lastByte: number | undefined;
  const turns = new Turns();
  return new TransformStream({
    async transform(chunk, controller) {
      let start = 0;
      let sent = 0;
      for (
        let end = isStream ? chunk.indexOf(LINE_FEED) : -1;
        end !== -1;
        end = chunk.indexOf(LINE_FEED, start)
      ) {
        const added = end - start;
        const before = added === 0 ? lastByte : chunk[end - 1];
        const isEmpty = lineBytes + added === 0 || (lineBytes + added === 1 && before === CARRIAGE_RETURN);
        bytes += added + 1;
        if (bytes > maxBytes) break;
        lineBytes = 0;
        start = end + 1;
        if (!isEmpty) continue;
        bytes = 0;
        const turn = beforeNext?.() ?? turns.next();
        if (turn === undefined) continue;
        controller.enqueue(chunk.subarray(sent, start));
        sent = start;
        await turn;
      }
      bytes += chunk.length - start;
      lineBytes += chunk.length - start;
      lastByte = chunk.at(-1);
      if (bytes > maxBytes) controller.error(tooLong());
      else controller.enqueue(chunk.subarray(sent));
    },
    flush: done,
    cancel: done,
  });
}

async function hasLogin(response: Response, url: string, signal: AbortSignal): Promise<boolean> {
  if (extractWWWAuthenticateParams(response).resourceMetadataUrl !== undefined) return true;
  const fetchFn = metadataFetch(url, signal);
  // A server that says nothing of a login has none.
  const found = await discoverOAuthProtectedResourceMetadata(url, undefined, fetchFn).catch(() => undefined);
  if (found !== undefined) return true;
  // Servers of 2025-03-26 are their own authorization server. The others have none here.
  const issuer = discoverAuthorizationServerMetadata(new URL('/', url), { fetchFn }).catch(() => undefined);
  return (await issuer) !== undefined;
}
