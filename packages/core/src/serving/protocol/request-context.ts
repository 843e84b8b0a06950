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
import type { Caller, InputExchange, RequestContext } from '../../definition/context.ts';
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
  /** Of log messages, as a client of the legacy era has set it. */
  readonly level: LoggingLevel | undefined;
}

export function requestCaller(server: Server, connection: Connection, sdk: ServerContext): Caller {
  const authInfo = sdk.http?.authInfo;
  // Over HTTP each request carries its own principal: the token of a session may have been replaced.
  const principal = authInfo === undefined ? connection.principal : principalOfAuth(authInfo);
  return callerOf(connection, principal, clientOf(server, connection, sdk), sdk.mcpReq._meta);
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
  { name, args, waitForPerson, level }: Subject,
): RequestContext {
  const { principal } = caller;
  const owner = { user: principal.user, method: mcpReq.method, subject: name, args };
  const opened = mcpReq.requestState();
  const state = opened === undefined ? undefined : seal.payloadFor(owner, opened);
  // Over HTTP without a session the server object closes with its answer, or with the client that cancels.
  const isConnected = () => server.transport !== undefined;
  const isModern = connection.era === 'modern';
  // The SDK's elicitInput refuses clients that declare elicitation without a mode.
  const ask = <Method extends Parameters<NonNullable<InputExchange['ask']>>[0]>(
    method: Method,
    params: Readonly<Record<string, unknown>> | undefined,
    signal: AbortSignal,
  ) => mcpReq.send({ method, ...(params && { params }) }, { signal, timeout: LONGEST_TIMER_MS });
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
      capabilities: capabilitiesOf(server, connection, mcpReq),
      responses: mcpReq.inputResponses,
      elicit: isModern ? undefined : (form, signal) => ask('elicitation/create', { ...form }, signal),
      ask: isModern ? undefined : ask,
      state: () => state,
      seal: async (payload) => seal.seal(payload, owner),
    },
    waitForPerson,
    async progress(progress, total, message) {
      const progressToken = mcpReq._meta?.progressToken;
      if (progressToken === undefined || !isConnected()) return;
      const params = {
        progressToken,
        progress,
        ...(total === undefined ? {} : { total }),
        ...(message === undefined ? {} : { message }),
      };
      await mcpReq.notify({ method: 'notifications/progress', params });
    },
    messageLevel: isModern ? envelopeOf(connection, mcpReq)[LOG_LEVEL_META_KEY] : level,
    // oxlint-disable-next-line typescript/no-deprecated -- for servers whose purpose is log messages
    message: async (level, data, logger) => (isConnected() ? mcpReq.log(level, data, logger) : undefined),
  };
}

interface Envelope {
  readonly [CLIENT_INFO_META_KEY]?: Implementation;
  readonly [CLIENT_CAPABILITIES_META_KEY]?: ClientCapabilities;
  readonly [LOG_LEVEL_META_KEY]?: LoggingLevel;
}

function envelopeOf({ era }: Connection, { envelope }: ServerContext['mcpReq']): Envelope {
  // The SDK checks it in the modern era, and only there.
  return era === 'modern' ? (envelope ?? {}) : {};
}

/** A modern client identifies itself in each request, a legacy client in `initialize`. */
export function clientOf(
  server: Server,
  connection: Connection,
  { mcpReq }: ServerContext,
): Implementation | undefined {
  return envelopeOf(connection, mcpReq)[CLIENT_INFO_META_KEY] ?? server.getClientVersion();
}

function capabilitiesOf(
  server: Server,
  connection: Connection,
  mcpReq: ServerContext['mcpReq'],
): ClientCapabilities {
  const { [CLIENT_CAPABILITIES_META_KEY]: sent } = envelopeOf(connection, mcpReq);
  const declared = sent ?? server.getClientCapabilities() ?? {};
  const { elicitation } = declared;
  // It declares forms if it declares nothing else. The SDK completes only what `initialize` declares.
  const isEmpty = elicitation !== undefined && Object.keys(elicitation).length === 0;
  return isEmpty ? { ...declared, elicitation: { form: {} } } : declared;
}
