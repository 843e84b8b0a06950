import { newSecret } from '@deskside/core/base';
import { StartError } from '@deskside/core/errors';
import {
  auth,
  checkResourceAllowed,
  computeScopeUnion,
  type FetchLike,
  IssuerMismatchError,
  type OAuthClientProvider,
  type OAuthDiscoveryState,
  type StoredOAuthClientInformation,
  type StoredOAuthTokens,
} from '@modelcontextprotocol/client';
import { withoutUndefined } from '../config/tables.ts';
import { challengeIn } from '../external/challenge.ts';
import { fetchHere } from '../external/server-fetch.ts';
import { metadataFetch } from '../external/metadata-fetch.ts';
import type { LoginClient } from '../external/spec.ts';
import { failureOf } from './failure.ts';
import { openRedirect, pastedParams } from './redirect.ts';
import type { LoginStore, StoredLogin } from './login-store.ts';

/** The person may have to find a password. */
export const LOGIN_TIMEOUT_MS = 10 * 60_000;
/** A request that a server without a login answers, too. */
const PROBE = { jsonrpc: '2.0', id: 1, method: 'ping' };

export interface LoginRequest {
  readonly id: string;
  /** The URL of the MCP server. */
  readonly server: string;
  /** Only for the server itself. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly store: LoginStore;
  /** Default: the server registers a new client. */
  readonly client?: LoginClient | undefined;
  /** Shows the person the address of the login. */
  readonly show: (address: URL) => void;
  /** The address at which the browser has ended, for a browser on another machine. Never resolves without one. */
  readonly pasted: Promise<string>;
  /** Ends it before its time. */
  readonly signal?: AbortSignal;
}

/**
 * Logs in at a server with the person's browser, and stores the login.
 *
 * @throws StartError with a sentence that says why it has failed
 */
export async function logIn(request: LoginRequest): Promise<StoredLogin> {
  const { id, server, headers, store, show, pasted } = request;
  const limit = AbortSignal.timeout(LOGIN_TIMEOUT_MS);
  const signal = request.signal === undefined ? limit : AbortSignal.any([request.signal, limit]);
  const state = newSecret();
  await using redirect = await openRedirect(state);
  let issuer: string | undefined;
  const bounded = onceRefused(metadataFetch(server, signal, (written) => (issuer ??= written)));
  const { provider, got } = providerFor(redirect.url, state, request.client);
  try {
    const challenge = await challengeOf(server, headers, bounded.fetch);
    const before = await store.find(id, server);
    const scope = computeScopeUnion(before?.tokens?.scope, before?.lacks, challenge.scope);
    const addresses = [server, challenge.server];
    const allowedResource: OAuthClientProvider['validateResourceURL'] = async (_, resource) => {
      if (resource === undefined) return undefined;
      const isOurs = (requestedResource: string | URL) =>
        checkResourceAllowed({ requestedResource, configuredResource: resource });
      if (!addresses.some(isOurs)) throw new Error(`the server names another resource, ${resource}`);
      return new URL(resource);
    };
    // Without it the SDK asks for the resource exactly as the server writes it: a URL adds a "/" to a host.
    const isRedirected = new URL(challenge.server).href !== new URL(server).href;
    if (isRedirected) provider.validateResourceURL = allowedResource;
    const options = {
      serverUrl: new URL(challenge.server).origin === new URL(server).origin ? server : challenge.server,
      fetchFn: bounded.fetch,
      ...withoutUndefined({ scope, resourceMetadataUrl: challenge.resourceMetadataUrl }),
    };
    await auth(provider, { ...options, forceReauthorization: true });
    const problem = bounded.problem();
    if (problem !== undefined) throw problem;
    if (got.address === undefined || !/^https?:$/.test(got.address.protocol))
      throw new Error('it names no address for the login');
    show(got.address);
    const params = await answerOf(redirect.params, pasted, state, signal);
    const code = params.get('code');
    if (code === null) throw new Error(`the answer is ${params.get('error') ?? 'empty'}`);
    const iss = params.get('iss') ?? undefined;
    // Compared as plain texts: https://www.rfc-editor.org/rfc/rfc9207#section-2.4
    if (issuer !== undefined && iss !== undefined && iss !== issuer)
      throw new IssuerMismatchError('authorization_response', issuer, iss);
    // As the metadata: without a final slash.
    const answered = withoutUndefined({ authorizationCode: code, iss: iss?.replace(/\/$/, '') });
    await auth(provider, { ...options, ...answered });
    const login = loginOf(got, server, store);
    await store.whileLocked(id, login, () => store.save(id, login));
    redirect.finish(`You are logged in to ${id}. You can close this page.`);
    return login;
  } catch (error) {
    const reason = failureOf(bounded.problem() ?? error);
    redirect.finish(`The login to ${id} has failed: ${reason}.`);
    throw new StartError(`The login to ${id} has failed: ${reason}.`, { cause: error });
  }
}

/** The SDK goes on without metadata that it does not get. */
function onceRefused(fetch: FetchLike): { fetch: FetchLike; problem: () => Error | undefined } {
  let problem: Error | undefined;
  return {
    problem: () => problem,
    async fetch(target, init) {
      if (problem !== undefined) throw problem;
      try {
        return await fetch(target, init);
      } catch (error) {
        problem = error instanceof Error ? error : new Error(String(error));
        throw problem;
      }
    },
  };
}

async function challengeOf(server: string, headers: LoginRequest['headers'], fetch: FetchLike) {
  const init = {
    method: 'POST',
    headers: {
      ...headers,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    },
    body: JSON.stringify(PROBE),
  };
  // Where its redirects end: what it says of itself is about that address.
  let last: string | URL = server;
  const response = await fetchHere(server, init, (target, asked) => {
    last = target;
    return fetch(target, asked);
  });
  return { ...challengeIn(response), server: last };
}

/** From the browser on this machine, or from the person. */
async function answerOf(
  redirected: Promise<URLSearchParams>,
  pasted: Promise<string>,
  state: string,
  signal: AbortSignal,
): Promise<URLSearchParams> {
  const copied = pasted.then((text) => {
    const params = pastedParams(text, state);
    if (params === undefined) throw new Error('the pasted address belongs to another login');
    return params;
  });
  const ended = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(new Error('the login was not finished')), { once: true });
  });
  return Promise.race([redirected, copied, ended]);
}

/** What the SDK has got in one login. */
interface Got {
  /** For the person. */
  address?: URL;
  client?: StoredOAuthClientInformation;
  tokens?: StoredOAuthTokens;
  discovery?: OAuthDiscoveryState;
  resource?: string;
}

/** What the SDK needs of one login. */
function providerFor(redirectUrl: string, state: string, given: LoginClient | undefined) {
  const got: Got = {};
  let verifier = '';
  const provider: OAuthClientProvider = {
    redirectUrl,
    clientMetadata: {
      client_name: 'Deskside',
      redirect_uris: [redirectUrl],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
      application_type: 'native',
    },
    state: () => state,
    clientInformation: () => got.client,
    saveClientInformation: (client) => void (got.client = client),
    tokens: () => got.tokens,
    saveTokens: (tokens) => void (got.tokens = tokens),
    redirectToAuthorization: (address) => void (got.address = address),
    saveCodeVerifier: (text) => void (verifier = text),
    codeVerifier: () => verifier,
    saveDiscoveryState: (discovery) => void (got.discovery = discovery),
    discoveryState: () => got.discovery,
    saveResourceUrl: (resource) => void (got.resource = resource),
  };
  if (given === undefined) return { provider, got };
  const { id, secret } = given;
  if (id.startsWith('https://')) return { provider: { ...provider, clientMetadataUrl: id }, got };
  got.client = { client_id: id, ...(secret === undefined ? {} : { client_secret: secret }) };
  return { provider, got };
}

/** @throws Error before the end of the login */
function loginOf(
  { address, client, tokens, discovery, resource }: Got,
  server: string,
  store: LoginStore,
): StoredLogin {
  if (client === undefined || tokens === undefined || discovery === undefined)
    throw new Error('the server has given no token');
  // A server that gives what it was asked for need not say so (RFC 6749, 5.1).
  const scope = tokens.scope ?? address?.searchParams.get('scope') ?? undefined;
  const { authorizationServerMetadata: metadata, authorizationServerUrl } = discovery;
  return {
    server,
    issuer: metadata?.issuer ?? authorizationServerUrl,
    ...withoutUndefined({ resource, metadata }),
    client: { ...client },
    tokens: store.tokensOf({ ...tokens, scope }),
    since: store.now().toISOString(),
  };
}
