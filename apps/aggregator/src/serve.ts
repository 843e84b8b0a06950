import { type Log, silentLog } from '@deskside/core';
import { DEFAULT_USER } from '@deskside/core/base';
import {
  type Auth,
  type HttpServeOptions,
  serve,
  type ServeOptions,
  type Serving,
} from '@deskside/core/serving';
import { loadOrCreateToken, serverSecret } from '@deskside/core/program';
import { type Aggregator, type AggregatorOptions, createAggregator, mountFields } from '@deskside/gateway';
import { deskAuthentication, tokenFile } from './tokens/tokens.ts';

export interface ServeAggregatorOptions
  extends AggregatorOptions, Omit<ServeOptions, 'http' | 'rejectionFields'> {
  /**
   * Serves HTTP instead of stdio. Without `auth` it accepts the main token of this machine, which it creates if it does not
   * exist, and the tokens of `deskside token create`.
   */
  readonly http?: Omit<HttpServeOptions, 'auth'> & { readonly auth?: Auth };
}

/** Mounts that are served. */
export interface ServedAggregator extends Serving {
  readonly aggregator: Aggregator;
}

/**
 * Serves mounts as one endpoint, in this process: over stdio, or over HTTP at `/mcp`, `/mcp/<mount>` and
 * `/mcp/p/<profile>`.
 *
 * @throws StartError as `createAggregator`, if it cannot listen, or if the token of this machine cannot be used
 */
export async function serveAggregator(options: ServeAggregatorOptions): Promise<ServedAggregator> {
  const { http, ...others } = options;
  const { user = DEFAULT_USER, log = silentLog, secret } = options;
  const aggregator = await createAggregator(options);
  const auth = http?.auth ?? (http === undefined ? undefined : await ownerAuthentication(user, log));
  const sealing = secret ?? (auth === undefined ? undefined : await serverSecret({ secret }));
  const serving = await serve(aggregator.routes, {
    ...others,
    rejectionFields: mountFields,
    ...(http === undefined || auth === undefined ? {} : { http: { ...http, auth } }),
    ...(sealing === undefined ? {} : { secret: sealing }),
  });
  return { ...serving, aggregator };
}

/** The tokens that `deskside http` accepts. */
async function ownerAuthentication(user: string, log: Log): Promise<Auth> {
  const token = await loadOrCreateToken(tokenFile());
  return deskAuthentication({ user, token }, log);
}
