import { setTimeout as wait } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { StartError } from '@deskside/core/errors';
import { escapeInvisible } from '@deskside/core/text';
import {
  computeScopeUnion,
  OAuthError,
  OAuthErrorCode,
  refreshAuthorization,
} from '@modelcontextprotocol/client';
import { withoutUndefined } from '../config/tables.ts';
import { metadataFetch } from '../external/metadata-fetch.ts';
import { LoginNeeded } from '../external/problems.ts';
import type { ExternalSpec, ServerLogin, UserLogins } from '../external/spec.ts';
import { hasEnded, thisOwner } from '@deskside/desktop';
import { failureOf } from './failure.ts';
import { revoke } from './revoke.ts';
import { loginStore, type LoginStore, type StoredLogin } from './login-store.ts';

/** A token that ends while its request is on its way is of no use. */
const EXPIRY_MARGIN_MS = 10_000;
/** How often a process looks whether another one has renewed the login. */
const RENEWAL_POLL_MS = 100;
/** The request for a token ends before it. */
const MAX_RENEWAL_MS = 45_000;

export interface LoginContext {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The user at the desk. Undefined: this process has one user. */
  readonly user?: string;
  /** `shared`: all users use the login of the user at the desk. */
  readonly login?: 'shared' | undefined;
  readonly store?: LoginStore;
}

/** A server of deskside.toml with the logins of its users. An Authorization header takes precedence. */
export function withLogin(id: string, spec: ExternalSpec, context: LoginContext): ExternalSpec {
  const { env, user, login, store = loginStore() } = context;
  const given = env[loginVariable(id)] || undefined;
  const serverWith = (loginAt: (url: string) => ServerLogin) => async () => {
    const server = await spec.server();
    if (!('url' in server) || hasAuthorization(server.headers)) return server;
    return { ...server, login: loginAt(server.url) };
  };
  const stored = (from: LoginStore) => (url: string) => renewedLogin(id, url, from);
  const own = serverWith(given === undefined ? stored(store) : () => fixed(loginVariable(id), given));
  if (user === undefined || login === 'shared') return { ...spec, server: own };
  const logins: UserLogins = {
    owner: user,
    async serverOf(other) {
      const theirs = store.of(other);
      const found = given !== undefined || (await store.find(id))?.tokens || (await theirs.find(id));
      return found ? serverWith(stored(theirs)) : undefined;
    },
  };
  return { ...spec, server: own, logins };
}

/** For containers, which have no browser and no folder that stays: an access token. */
export function loginVariable(id: string): string {
  return `DESKSIDE_LOGIN_${id.toUpperCase()}`;
}

function hasAuthorization(headers: Readonly<Record<string, string>> = {}): boolean {
  return Object.keys(headers).some((name) => name.toLowerCase() === 'authorization');
}

function fixed(variable: string, token: string): ServerLogin {
  const problem = `The server does not accept the token in ${variable}. Replace it.`;
  return {
    token: async () => token,
    renewed: () => Promise.reject(new StartError(problem)),
    isRenewing: false,
    lacks: (scope) => {
      const rights = scope === '' ? 'rights' : `rights: ${escapeInvisible(scope)}`;
      return Promise.reject(new StartError(`The token in ${variable} lacks ${rights}. Replace it.`));
    },
  };
}

type Tokens = NonNullable<StoredLogin['tokens']>;

/** The stored login of one server. Another process may renew, replace or delete it at any time. */
function renewedLogin(id: string, server: string, store: LoginStore): ServerLogin {
  let renewal: Promise<string> | undefined;
  const find = () => store.find(id, server);
  const isValid = ({ expires }: Tokens) =>
    expires === undefined || Date.parse(expires) - EXPIRY_MARGIN_MS > store.now().getTime();
  const isOver = ({ owner, since }: NonNullable<StoredLogin['renewing']>) =>
    hasEnded(owner, new Date(since)) || store.now().getTime() - Date.parse(since) > MAX_RENEWAL_MS;

  function renewed(refused: string | undefined): Promise<string> {
    renewal ??= renew(refused).finally(() => {
      renewal = undefined;
    });
    return renewal;
  }

  /** Two renewals at once are one: a second one with the same refresh token would end the login. */
  async function renew(refused: string | undefined): Promise<string> {
    for (;;) {
      const before = await find();
      if (before?.tokens === undefined) throw new LoginNeeded();
      const step = await store.whileLocked(id, before, () => begin(refused));
      if (step === undefined) await wait(RENEWAL_POLL_MS);
      else if ('token' in step) return step.token;
      else return finish(step.login, step.refresh);
    }
  }

  /** Under the lock. @returns what is to do; nothing if another process renews the login */
  async function begin(
    refused: string | undefined,
  ): Promise<{ token: string } | { login: StoredLogin; refresh: string } | undefined> {
    const login = await find();
    const tokens = login?.tokens;
    if (login === undefined || tokens === undefined) throw new LoginNeeded();
    // Another process was faster.
    if (tokens.access !== refused && isValid(tokens)) return { token: tokens.access };
    if (tokens.refresh === undefined) throw new LoginNeeded();
    if (login.renewing !== undefined && !isOver(login.renewing)) return undefined;
    const renewing = { owner: thisOwner(), since: store.now().toISOString() };
    await store.save(id, { ...login, renewing });
    return { login: { ...login, renewing }, refresh: tokens.refresh };
  }

  /** Without a lock, which would hold up a logout. */
  async function finish(login: StoredLogin, refreshToken: string): Promise<string> {
    const { next, failure } = await refreshed(login, refreshToken);
    const isOwn = await store.whileLocked(id, login, async () => {
      const now = await find();
      // The person has logged in or out meanwhile.
      if (!isDeepStrictEqual(now?.renewing, login.renewing)) return false;
      if (next === undefined) await store.remove(id, login);
      else await store.save(id, { ...next, ...(now?.lacks === undefined ? {} : { lacks: now.lacks }) });
      return true;
    });
    if (!isOwn) {
      if (next !== undefined && failure === undefined) await revoke(next);
      return renew(undefined);
    }
    if (failure !== undefined || next?.tokens === undefined) throw failure ?? new LoginNeeded();
    return next.tokens.access;
  }

  /** @returns what is to be stored, nothing if the authorization server does not know the client */
  async function refreshed(
    { renewing: _, ...login }: StoredLogin,
    refreshToken: string,
  ): Promise<{ readonly next?: StoredLogin; readonly failure?: Error }> {
    const { issuer, metadata, client, resource } = login;
    try {
      const tokens = await refreshAuthorization(issuer, {
        clientInformation: client,
        refreshToken,
        ...withoutUndefined({ metadata, resource }),
        fetchFn: metadataFetch(server),
      });
      const scope = tokens.scope ?? login.tokens?.scope;
      return {
        next: { ...login, tokens: store.tokensOf({ ...tokens, ...(scope === undefined ? {} : { scope }) }) },
      };
    } catch (error) {
      const code = error instanceof OAuthError ? error.code : '';
      if (LOST_CLIENT.has(code)) return { failure: new LoginNeeded() };
      const { tokens: _tokens, ...rest } = login;
      if (LOST_TOKEN.has(code)) return { next: rest, failure: new LoginNeeded() };
      const failure = `The login cannot be renewed: ${failureOf(error)}.`;
      return { next: login, failure: new StartError(failure, { cause: error }) };
    }
  }

  return {
    async token(mayRenew) {
      const tokens = (await find())?.tokens;
      if (tokens === undefined || !mayRenew || isValid(tokens)) return tokens?.access;
      return renewed(tokens.access);
    },
    renewed,
    get isRenewing() {
      return renewal !== undefined;
    },
    async lacks(scope) {
      const login = await find();
      if (login === undefined) return;
      await store.whileLocked(id, login, async () => {
        const now = await find();
        if (now !== undefined)
          await store.save(id, { ...now, lacks: computeScopeUnion(now.lacks, scope) ?? '' });
      });
    },
  };
}

/** The authorization server does not know the client, so the next login registers again. */
const LOST_CLIENT: ReadonlySet<string> = new Set([
  OAuthErrorCode.InvalidClient,
  OAuthErrorCode.UnauthorizedClient,
  // GitHub and Slack have their own codes.
  'incorrect_client_credentials',
  'bad_client_secret',
  'invalid_client_id',
]);
const LOST_TOKEN: ReadonlySet<string> = new Set([
  OAuthErrorCode.InvalidGrant,
  'bad_refresh_token',
  'invalid_refresh_token',
  // Of OpenID Connect: the person must be there.
  'interaction_required',
  'consent_required',
  'login_required',
]);
