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
import { ownName, type RequestContext } from '../definition/context.ts';
import type { Connection, Shared } from './connection.ts';
import { uniqueId } from './unique-id.ts';
import { payloadFor } from './state-seal.ts';

/** @param subject the tool, prompt or address that the request is about */
export function requestContext(
  server: Server,
  { era, principal, session }: Connection,
  { log, seal }: Shared,
  sdk: ServerContext,
  subject: string,
): RequestContext {
  const { mcpReq } = sdk;
  const { client, capabilities } = peer(server, sdk);
  return {
    era,
    toolName: ownName,
    principal,
    transport: session === undefined ? 'http' : 'stdio',
    session: session ?? `${principal.user}/${client?.name ?? ''}`,
    client,
    signal: mcpReq.signal,
    correlationId: uniqueId(),
    log,
    input: {
      capabilities,
      responses: mcpReq.inputResponses,
      state: () => payloadFor(subject, mcpReq.requestState()),
      seal: (payload) => seal.seal(payload, principal, subject, sdk),
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
    // oxlint-disable-next-line typescript/no-deprecated -- the one place for servers whose subject log messages are
    message: (level, data, logger) => mcpReq.log(level, data, logger),
  };
}

interface Peer {
  readonly client: Implementation | undefined;
  readonly capabilities: ClientCapabilities;
}

/** The modern era says it with each request, the legacy one said it once. */
function peer(server: Server, { mcpReq }: ServerContext): Peer {
  const envelope: Readonly<Record<string, unknown>> = mcpReq.envelope ?? {};
  const client = envelope[CLIENT_INFO_META_KEY] ?? server.getClientVersion();
  const capabilities = envelope[CLIENT_CAPABILITIES_META_KEY] ?? server.getClientCapabilities();
  const declared = specTypeSchemas.ClientCapabilities['~standard'].validate(capabilities);
  return {
    client: isSpecType.Implementation(client) ? client : undefined,
    capabilities: declared.issues === undefined ? declared.value : {},
  };
}
