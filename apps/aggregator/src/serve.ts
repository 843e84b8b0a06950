import { silentLog } from '@deskside/core';
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
  const ownAuth = async () => deskAuthentication({ user, token: await loadOrCreateToken(tokenFile()) }, log);
  const auth = http && (http.auth ?? (await ownAuth()));
  const sealing = secret ?? (http && (await serverSecret({ secret })));
  const serving = await serve(aggregator.routes, {
    ...others,
    rejectionFields: mountFields,
    ...(auth && { http: { ...http, auth } }),
    ...(sealing && { secret: sealing }),
  });
  return { ...serving, aggregator };
}
