import {
  ClientCapabilitiesSchema,
  ImplementationSchema,
  LoggingLevelSchema,
} from '@modelcontextprotocol/core';
import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  type ClientCapabilities,
  type Implementation,
  LOG_LEVEL_META_KEY,
  type LoggingLevel,
  type Server,
  type ServerContext,
} from '@modelcontextprotocol/server';
import type { Caller, Principal, RequestContext } from '../../definition/context.ts';
import { uniqueId } from '../../base/unique-id.ts';
import { identityName } from '../../errors/index.ts';
import { callerOf } from './caller.ts';
import { type Connection, principalOfAuth, type Shared } from './connection.ts';

/** The SDK would withdraw a form after a minute. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** What a request is about, and what it may do meanwhile. */
export interface Subject {
  /** The tool, prompt or URI; empty for a list. */
  readonly name: string;
  readonly args?: unknown;
  readonly waitForPerson: RequestContext['waitForPerson'];
}

export function requestCaller(server: Server, connection: Connection, sdk: ServerContext): Caller {
  const principal = requestPrincipal(sdk) ?? connection.principal;
  return callerOf(connection, principal, clientOf(server, sdk), sdk.mcpReq._meta);
}

/**
 * @throws ProtocolError if the request carries the state of another call
 */
export function requestContext(
  server: Server,
  connection: Connection,
  { log, seal }: Shared,
  { mcpReq }: ServerContext,
  caller: Caller,
  { name, args, waitForPerson }: Subject,
): RequestContext {
  const { principal } = caller;
  const owner = { user: principal.user, method: mcpReq.method, subject: name, args };
  const opened = mcpReq.requestState();
  const state = opened === undefined ? undefined : seal.payloadFor(owner, opened);
  return {
    era: connection.era,
    toolName: identityName,
    principal,
    caller,
    transport: connection.transport,
    meta: mcpReq._meta ?? {},
    signal: mcpReq.signal,
    correlationId: uniqueId(),
    log,
    input: {
      // Few calls ask for them, and the check is a schema.
      get capabilities() {
        return capabilitiesOf(server, mcpReq);
      },
      responses: mcpReq.inputResponses,
      elicit:
        connection.era === 'modern'
          ? undefined
          : (form, signal) =>
              // The SDK's elicitInput refuses clients that declare elicitation without a mode.
              mcpReq.send(
                { method: 'elicitation/create', params: { ...form } },
                { signal, timeout: LONGEST_TIMER_MS },
              ),
      state: () => state,
      seal: async (payload) => seal.seal(payload, owner),
    },
    waitForPerson,
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
    messageLevel: messageLevelOf(mcpReq),
    // oxlint-disable-next-line typescript/no-deprecated -- for servers whose purpose is log messages
    message: (level, data, logger) => mcpReq.log(level, data, logger),
  };
}

/** Over HTTP each request carries its own principal: the token of a session may have been replaced. */
function requestPrincipal({ http }: ServerContext): Principal | undefined {
  return http?.authInfo === undefined ? undefined : principalOfAuth(http.authInfo);
}

type ModernEnvelope = Readonly<Record<string, unknown>> | undefined;

/** A modern client identifies itself in each request, a legacy client in `initialize`. */
export function clientOf(server: Server, { mcpReq }: ServerContext): Implementation | undefined {
  const envelope: ModernEnvelope = mcpReq.envelope;
  const client = envelope?.[CLIENT_INFO_META_KEY] ?? server.getClientVersion();
  return isClient(client) ? client : undefined;
}

function messageLevelOf({ envelope }: ServerContext['mcpReq']): LoggingLevel | undefined {
  const level = (envelope as ModernEnvelope)?.[LOG_LEVEL_META_KEY];
  return LoggingLevelSchema.safeParse(level).data;
}

const clients = new WeakSet<object>();

/** A legacy client is the same object in each of its requests. */
function isClient(value: unknown): value is Implementation {
  if (typeof value !== 'object' || value === null) return false;
  if (clients.has(value)) return true;
  if (!ImplementationSchema.safeParse(value).success) return false;
  clients.add(value);
  return true;
}

function capabilitiesOf(server: Server, mcpReq: ServerContext['mcpReq']): ClientCapabilities {
  const envelope: ModernEnvelope = mcpReq.envelope;
  const declared = envelope?.[CLIENT_CAPABILITIES_META_KEY] ?? server.getClientCapabilities();
  return ClientCapabilitiesSchema.safeParse(declared).data ?? {};
}
