import {
  INVALID_PARAMS,
  type Implementation,
  type JSONRPCErrorResponse,
  type JSONRPCMessage,
  type JSONRPCRequest,
  ProtocolError,
  ProtocolErrorCode,
  type Result,
  Server,
  type ServerContext,
  type ServerOptions,
  type Transport,
  type TransportSendOptions,
} from '@modelcontextprotocol/server';
import type { Era } from '../../definition/context.ts';
import type { Log } from '../../log/log.ts';
import { invalidParams } from './errors.ts';

type Handler = (request: JSONRPCRequest, ctx: ServerContext) => Promise<Result>;

/**
 * The SDK's server with plain errors for invalid requests, and with the legacy era's own error code.
 * See docs/decisions/0002.
 */
export class PlainErrorServer extends Server {
  readonly #era: Era;
  readonly #log: Log;
  /** Signals of the requests whose handler has returned its last result. */
  readonly #answered = new Set<AbortSignal>();

  /** The last result of the handler of each running `tools/call`. */
  readonly #toolResults = new Map<AbortSignal, Result>();

  constructor(identity: Implementation, options: ServerOptions, era: Era, log: Log) {
    super(identity, options);
    this.#era = era;
    this.#log = log;
  }

  /** The handler of this request has returned its last result: what the SDK rejects from now on is that result. */
  answered(signal: AbortSignal): void {
    this.#answered.add(signal);
  }

  override connect(transport: Transport): Promise<void> {
    return super.connect(this.#era === 'legacy' ? new LegacyCodes(transport) : transport);
  }

  /**
   * The SDK checks requests and results around each handler, and rejects them with Zod's issues as the message. Only then
   * the request is looked at again, to say what is wrong with it.
   */
  protected override _wrapHandler(method: string, handler: Handler): Handler {
    const checked = super._wrapHandler(method, method === 'tools/call' ? this.#remembered(handler) : handler);
    return async (request, ctx) => {
      try {
        return unchanged(await checked(request, ctx), this.#toolResults.get(ctx.mcpReq.signal));
      } catch (error) {
        throw invalidParams(method, request) ?? this.#withoutIssues(error, ctx);
      } finally {
        // A weak set would need no deletion, but costs the garbage collector more than the request costs here.
        this.#answered.delete(ctx.mcpReq.signal);
        this.#toolResults.delete(ctx.mcpReq.signal);
      }
    };
  }

  #remembered(handler: Handler): Handler {
    return async (request, ctx) => {
      const result = await handler(request, ctx);
      this.#toolResults.set(ctx.mcpReq.signal, result);
      return result;
    };
  }

  /** Handlers throw only ProtocolErrors. Any other error, and a rejected result, is a defect of the server. */
  #withoutIssues(error: unknown, { mcpReq }: ServerContext): ProtocolError {
    if (error instanceof ProtocolError && !(isInvalidParams(error) && this.#answered.has(mcpReq.signal))) {
      return error;
    }
    this.#log.error('invalid result', { method: mcpReq.method, error });
    return new ProtocolError(ProtocolErrorCode.InternalError, 'Internal error');
  }
}

/**
 * The SDK replaces the result of a tool by its own reading of it, which has lost unknown fields and the order of the
 * known ones. A server that forwards results must not lose them.
 */
function unchanged(checked: Result, result: Result | undefined): Result {
  return result !== undefined && 'content' in checked && 'content' in result ? result : checked;
}

/** The SDK gives the errors that it words itself no data, except for an invalid state of an elicitation. */
function isInvalidParams({ code, data }: ProtocolError): boolean {
  return code === INVALID_PARAMS && data === undefined;
}

/** The code up to 2025-11-25. The SDK sends the later one in every era. */
const LEGACY_RESOURCE_NOT_FOUND = -32_002;

/** Any transport, with the error code of the legacy era for a resource that does not exist. */
class LegacyCodes implements Transport {
  readonly #inner: Transport;

  constructor(inner: Transport) {
    this.#inner = inner;
  }

  send(message: JSONRPCMessage, options?: TransportSendOptions): Promise<void> {
    const isMissing = 'error' in message && isResourceNotFound(message.error);
    return this.#inner.send(
      isMissing ? { ...message, error: { ...message.error, code: LEGACY_RESOURCE_NOT_FOUND } } : message,
      options,
    );
  }

  start(): Promise<void> {
    return this.#inner.start();
  }

  close(): Promise<void> {
    return this.#inner.close();
  }

  setProtocolVersion(version: string): void {
    this.#inner.setProtocolVersion?.(version);
  }

  setSupportedProtocolVersions(versions: string[]): void {
    this.#inner.setSupportedProtocolVersions?.(versions);
  }

  get hasPerRequestStream(): boolean {
    return this.#inner.hasPerRequestStream ?? false;
  }

  get sessionId(): string | undefined {
    return this.#inner.sessionId;
  }

  get onclose(): Transport['onclose'] {
    return this.#inner.onclose;
  }

  set onclose(listener: Transport['onclose']) {
    this.#inner.onclose = listener;
  }

  get onerror(): Transport['onerror'] {
    return this.#inner.onerror;
  }

  set onerror(listener: Transport['onerror']) {
    this.#inner.onerror = listener;
  }

  get onmessage(): Transport['onmessage'] {
    return this.#inner.onmessage;
  }

  set onmessage(listener: Transport['onmessage']) {
    this.#inner.onmessage = listener;
  }
}

/** Of all errors that handlers throw, only this one has a URI. */
function isResourceNotFound({ code, data }: JSONRPCErrorResponse['error']): boolean {
  return code === INVALID_PARAMS && typeof data === 'object' && data !== null && 'uri' in data;
}
