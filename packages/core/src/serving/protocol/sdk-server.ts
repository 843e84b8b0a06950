import {
  INVALID_PARAMS,
  type Implementation,
  type JSONRPCErrorResponse,
  type JSONRPCMessage,
  type JSONRPCRequest,
  type JSONRPCResponse,
  type LoggingLevel,
  ProtocolError,
  ProtocolErrorCode,
  type Result,
  Server,
  type ServerContext,
  type ServerOptions,
  type Transport,
} from '@modelcontextprotocol/server';
import { isObject } from '../../base/values.ts';
import { knownClient } from '../../definition/known-client.ts';
import type { Log } from '../../log.ts';
import type { Connection } from './connection.ts';
import { invalidParams } from './invalid-params.ts';
import { clientOf } from './request-context.ts';

/** The code up to 2025-11-25. The SDK sends the later one in every era. */
const LEGACY_RESOURCE_NOT_FOUND = -32_002;

/** A request whose handler has returned its last result, and how the log names it. */
interface Answered {
  readonly subject: string;
  readonly correlationId: string;
  readonly result: unknown;
}

type Handler = (request: JSONRPCRequest, ctx: ServerContext) => Promise<Result>;

/** The SDK's server with plain errors for invalid requests. See docs/decisions/0002. */
export class PlainErrorServer extends Server {
  /** Of log messages, as a client of the legacy era has set it. The SDK keeps it to itself. */
  level: LoggingLevel | undefined;
  readonly #connection: Connection;
  readonly #log: Log;
  /** By the signals of the requests. */
  readonly #answered = new Map<AbortSignal, Answered>();
  /** The ids of the questions without an answer, as the client sees them. */
  readonly #asked = new Set<string>();
  #questionPrefix: string | undefined;

  constructor(identity: Implementation, options: ServerOptions, connection: Connection, log: Log) {
    super(identity, options);
    this.#connection = connection;
    this.#log = log;
  }

  /** The handler of this request has returned its last result: what the SDK rejects from now on is that result. */
  answered(signal: AbortSignal, request: Answered): void {
    this.#answered.set(signal, request);
  }

  /**
   * In the legacy era, a resource that does not exist has an error code of its own. And the ids of the server's questions belong to
   * this object alone: the SDK numbers them 0, 1, 2 in each object, so the answer to a question of an earlier process, or of another
   * replica, would answer a later question.
   *
   * Upstream: the error code of the era, and an option for the ids of requests, would replace this method and the next one.
   */
  override async connect(transport: Transport): Promise<void> {
    if (this.#connection.era === 'legacy') {
      const send = transport.send.bind(transport);
      transport.send = (message, options) => send(this.#outgoing(message), options);
    }
    await super.connect(transport);
  }

  /** Most servers close with their only answer. The stack of the SDK's error for requests without one is costly. */
  protected override _onclose(): void {
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    try {
      super._onclose();
    } finally {
      Error.stackTraceLimit = stackTraceLimit;
    }
  }

  protected override _onresponse(response: JSONRPCResponse | JSONRPCErrorResponse): void {
    const { id } = response;
    if (typeof id === 'string' && this.#asked.delete(id))
      return super._onresponse({ ...response, id: id.slice(id.indexOf('/') + 1) });
    this.#log.warn('answer ignored: its question has ended, or another process asked it', { id });
    return undefined;
  }

  #outgoing(message: JSONRPCMessage): JSONRPCMessage {
    if ('method' in message && 'id' in message) {
      const id = this.#ownId(message.id);
      this.#asked.add(id);
      return { ...message, id };
    }
    if ('method' in message && message.method === 'notifications/cancelled') {
      const requestId = this.#ownId(message.params?.['requestId']);
      this.#asked.delete(requestId);
      return { ...message, params: { ...message.params, requestId } };
    }
    if (!('error' in message) || !isResourceNotFound(message.error)) return message;
    return { ...message, error: { ...message.error, code: LEGACY_RESOURCE_NOT_FOUND } };
  }

  /** Most connections never ask, and secure randomness costs 4 ms of a cold start. */
  #ownId(id: unknown): string {
    this.#questionPrefix ??= this.#connection.questionPrefix ?? crypto.randomUUID();
    return `${this.#questionPrefix}/${String(id)}`;
  }

  /**
   * The SDK checks requests and results around each handler, and rejects them with Zod's issues as the message.
   *
   * Upstream: an option for the text of such errors, and results that stay unchanged, would replace this method.
   */
  protected override _wrapHandler(method: string, handler: Handler): Handler {
    const checked = super._wrapHandler(method, handler);
    return async (request, ctx) => {
      try {
        if (
          method === 'server/discover' &&
          knownClient(clientOf(this, this.#connection, ctx))?.servedEra === 'legacy'
        )
          throw new ProtocolError(ProtocolErrorCode.MethodNotFound, 'Method not found');
        const result = await checked(request, ctx);
        // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the SDK has checked it
        if (method === 'logging/setLevel') this.level = request.params?.['level'] as LoggingLevel;
        return method === 'tools/call' ? unchanged(result, this.#answered.get(ctx.mcpReq.signal)) : result;
      } catch (error) {
        throw this.#plainError(error, ctx);
      } finally {
        // A weak set would need no deletion, but costs the garbage collector more than the request costs here.
        this.#answered.delete(ctx.mcpReq.signal);
      }
    };
  }

  /** Handlers throw only ProtocolErrors. Any other error, and a rejected result, is a defect of the server. */
  #plainError(error: unknown, { mcpReq }: ServerContext): ProtocolError {
    const { method, signal } = mcpReq;
    const answered = this.#answered.get(signal);
    const invalid = answered === undefined ? invalidParams(error) : undefined;
    if (invalid !== undefined) return invalid;
    // The SDK gives the errors that it words itself no data, except for an invalid state of an elicitation.
    const isWorded =
      error instanceof ProtocolError && error.code === INVALID_PARAMS && error.data === undefined;
    if (error instanceof ProtocolError && !(isWorded && answered)) return error;
    // A call that was cancelled while it waited for its turn has no result.
    const { subject, correlationId } = answered ?? {};
    if (!signal.aborted) this.#log.error('invalid result', { method, subject, correlationId, error });
    const data = answered && { correlationId };
    return new ProtocolError(ProtocolErrorCode.InternalError, 'Internal error', data);
  }
}

/**
 * The SDK replaces the result of a tool by its own reading of it, which has lost unknown fields and the order of the
 * known ones. A server that forwards results must not lose them.
 */
function unchanged(checked: Result, { result }: Partial<Answered> = {}): Result {
  return 'content' in checked && isObject(result) && 'content' in result ? result : checked;
}

/** Of all errors that handlers throw, only this one has a URI. */
function isResourceNotFound({ code, data }: JSONRPCErrorResponse['error']): boolean {
  return code === INVALID_PARAMS && typeof data === 'object' && data !== null && 'uri' in data;
}
