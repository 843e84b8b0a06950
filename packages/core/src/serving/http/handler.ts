import { DEFAULT_USER, GRACE_MS } from '../../base/values.ts';
import type { ServerDefinition } from '../../definition/server.ts';
import { createLog, type Log } from '../../log.ts';
import { writeStandardError } from '../process/standard-streams.ts';
import type { Limits } from '../limits.ts';
import { sharedBy, tokenOf } from '../protocol/connection.ts';
import { type AccessOptions, createGuard, guarded } from './guards.ts';
import { gateOf, resourceMetadata, type TokenAuth, unauthorized, withResource } from './auth.ts';
import { type GivenRequest, mcpRoute } from './route.ts';

export interface HttpHandlerOptions extends AccessOptions {
  /** Default: only requests that come with a principal are accepted. */
  readonly auth?: TokenAuth;
  /** The owner of the token. Default `owner`. */
  readonly user?: string;
  /** Serves the legacy era without sessions. Default false. */
  readonly stateless?: boolean;
  readonly log?: Log;
  /** Encrypts session ids and the state of elicitations. Default: derived from `auth.token`, else random. */
  readonly secret?: string;
  /** Limits that differ from the defaults. */
  readonly limits?: Partial<Limits>;
}

/** MCP for one path of an existing web application. */
export interface HttpHandler {
  /**
   * Answers a request that the application routes to it, with the same guards and limits as `serve`. With `RemoteAuth`
   * it also answers the path of the protected-resource metadata.
   */
  readonly fetch: (request: Request, given?: GivenRequest) => Promise<Response>;
  /** Lets running requests finish for at most 1.5 s, aborts the others, and stops. */
  close(): Promise<void>;
}

/**
 * Serves a definition in an existing application, through `nodeHandler` (node:http, express), `fastifyHandler` or
 * `honoHandler`. The Host header must name this machine, the host of `auth.resource` or one of `allowHosts`.
 *
 * @throws StartError for a name in `allowHosts` or an origin in `allowOrigins` that is not one
 */
export function httpHandler(definition: ServerDefinition, options: HttpHandlerOptions): HttpHandler {
  const { auth, user = DEFAULT_USER, stateless = false } = options;
  const log = options.log ?? createLog({ level: 'info', write: writeStandardError });
  const secret = options.secret ?? tokenOf(auth);
  const shared = sharedBy(log, secret, options.limits);
  const metadata = resourceMetadata(auth);
  const gate = auth === undefined ? async () => unauthorized() : gateOf(auth, { user }, shared.log);
  let opened: ReturnType<typeof openEndpoint> | undefined;
  /** Loaded with the first request: a stdio server imports this file and never needs it. */
  const open = () => (opened ??= openEndpoint());
  const openEndpoint = async () => {
    const { endpoint } = await import('./endpoint.ts');
    const served = endpoint(definition, shared, { stateless, metadataUrl: metadata?.url });
    return { served, route: mcpRoute(served, gate, shared.log) };
  };
  const answer = async (request: Request, given?: GivenRequest) => (await open()).route(request, given);
  return {
    fetch: guarded(
      createGuard(withResource(options, auth)),
      (request, given) => metadata?.answer(request) ?? answer(request, given),
    ),
    async close() {
      const { served } = await open();
      await served.idle(GRACE_MS);
      await served.close();
    },
  };
}
