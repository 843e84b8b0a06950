import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  type ClientCapabilities,
  type Implementation,
  isSpecType,
  type Server,
  type ServerContext,
  specTypeSchemas,
} from '@modelcontextprotocol/server';
import type { Principal, RequestContext } from '../../definition/context.ts';
import { identityName } from '../../errors/index.ts';
import { callerOf } from './caller.ts';
import { type Connection, principalOfAuth, type Shared, uniqueId } from './connection.ts';

/** What a request is about. */
export interface Subject {
  /** The tool, prompt or URI; empty for a list. */
  readonly name: string;
  readonly args?: unknown;
}

/**
 * @throws ProtocolError if the request carries the state of another call
 */
export function requestContext(
  server: Server,
  connection: Connection,
  { log, seal }: Shared,
  sdk: ServerContext,
  { name, args }: Subject,
): Omit<RequestContext, 'waitForPerson'> {
  const { mcpReq } = sdk;
  const { client, capabilities } = clientOf(server, sdk);
  const principal = requestPrincipal(sdk) ?? connection.principal;
  const owner = { user: principal.user, method: mcpReq.method, subject: name, args };
  const opened = mcpReq.requestState();
  const state = opened === undefined ? undefined : seal.payloadFor(owner, opened);
  return {
    era: connection.era,
    toolName: identityName,
    principal,
    caller: callerOf(connection, principal, client, mcpReq._meta),
    transport: connection.transport,
    meta: mcpReq._meta ?? {},
    signal: mcpReq.signal,
    correlationId: uniqueId(),
    log,
    input: {
      capabilities,
      responses: mcpReq.inputResponses,
      state: () => state,
      seal: async (payload) => seal.seal(payload, owner),
    },
    async progress(progress, total, message) {
      const progressToken = mcpReq._meta?.progressToken;
      if (progressToken === undefined) return;
      const params = {
        progressToken,
        progress,
        ...(total === undefined ? {} : { total }),
        ...(message === undefined ? {} : { message }),
      };
      await mcpReq.notify({ method: 'notifications/progress', params });
    },
    // oxlint-disable-next-line typescript/no-deprecated -- for servers whose purpose is log messages
    message: (level, data, logger) => mcpReq.log(level, data, logger),
  };
}

/** Over HTTP each request carries its own principal: the token of a session may have been replaced. */
function requestPrincipal({ http }: ServerContext): Principal | undefined {
  return http?.authInfo === undefined ? undefined : principalOfAuth(http.authInfo);
}

interface Client {
  readonly client: Implementation | undefined;
  readonly capabilities: ClientCapabilities;
}

/** A modern client identifies itself in each request, a legacy client in `initialize`. */
function clientOf(server: Server, { mcpReq }: ServerContext): Client {
  const envelope: Readonly<Record<string, unknown>> = mcpReq.envelope ?? {};
  const client = envelope[CLIENT_INFO_META_KEY] ?? server.getClientVersion();
  const capabilities = envelope[CLIENT_CAPABILITIES_META_KEY] ?? server.getClientCapabilities();
  const declared = specTypeSchemas.ClientCapabilities['~standard'].validate(capabilities);
  return {
    client: isSpecType.Implementation(client) ? client : undefined,
    capabilities: declared.issues === undefined ? declared.value : {},
  };
}
