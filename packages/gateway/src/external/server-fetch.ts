import {
  discoverAuthorizationServerMetadata,
  discoverOAuthProtectedResourceMetadata,
  type FetchLike,
} from '@modelcontextprotocol/client';
import { challengeIn } from './challenge.ts';
import { metadataFetch } from './metadata-fetch.ts';
import { LoginNeeded } from './problems.ts';
import type { ServerAddress } from './spec.ts';

/** @throws LoginNeeded if the server demands a login, or a scope that the login does not have */
export async function fetchWithLogin(
  target: string | URL,
  init: RequestInit,
  { url, login }: Pick<ServerAddress, 'url' | 'login'>,
): Promise<Response> {
  // The login belongs to the server, whatever address it names.
  if (login === undefined || new URL(target).origin !== new URL(url).origin) {
    return fetchOnce(target, init, url);
  }
  // The end of a session is worth no new login: the process may end before it is stored.
  const mayRenew = init.method !== 'DELETE';
  const token = await login.token(mayRenew);
  try {
    return await fetchOnce(target, withToken(init, token), url, token !== undefined);
  } catch (error) {
    if (!(error instanceof LoginNeeded)) throw error;
    if (error.scope !== undefined) await login.lacks(error.scope);
    if (error.scope !== undefined || !mayRenew || init.signal?.aborted === true) throw error;
    return fetchOnce(target, withToken(init, await login.renewed(token)), url, true);
  }
}

function withToken(init: RequestInit, token: string | undefined): RequestInit {
  if (token === undefined) return init;
  const headers = new Headers(init.headers);
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
  init: RequestInit,
  url: string,
  isLoggedIn = false,
): Promise<Response> {
  // A header of deskside.toml takes precedence over a login: no login helps.
  const hasHeader = new Headers(init.headers).has('authorization') && !isLoggedIn;
  const response = await fetchHere(target, { ...init, ...withoutTimeouts() });
  const { error: refusal, scope } = challengeIn(response);
  const lacksScope = isLoggedIn && response.status === 403 && refusal === 'insufficient_scope';
  const isRefused =
    response.status === 401 && (isLoggedIn || (!hasHeader && (await hasLogin(response, url, init.signal))));
  if (lacksScope || isRefused) {
    await response.body?.cancel();
    throw new LoginNeeded(lacksScope ? (scope ?? '') : undefined);
  }
  return response;
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

async function hasLogin(
  response: Response,
  url: string,
  signal: AbortSignal | null | undefined,
): Promise<boolean> {
  if (challengeIn(response).resourceMetadataUrl !== undefined) return true;
  const fetchFn = metadataFetch(url, signal ?? undefined);
  // A server that says nothing of a login has none.
  const found = await discoverOAuthProtectedResourceMetadata(url, undefined, fetchFn).catch(() => undefined);
  if (found !== undefined) return true;
  // Servers of 2025-03-26 are their own authorization server. The others have none here.
  const issuer = discoverAuthorizationServerMetadata(new URL('/', url), { fetchFn }).catch(() => undefined);
  return (await issuer) !== undefined;
}
