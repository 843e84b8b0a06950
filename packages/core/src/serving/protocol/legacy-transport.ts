import {
  INVALID_PARAMS,
  type JSONRPCErrorResponse,
  type JSONRPCMessage,
  type JSONRPCResponse,
  type MessageExtraInfo,
  type RequestId,
  type Transport,
  type TransportSendOptions,
} from '@modelcontextprotocol/server';
import type { Log } from '../../log.ts';

/** The code up to 2025-11-25. The SDK sends the later one in every era. */
const LEGACY_RESOURCE_NOT_FOUND = -32_002;

/**
 * Any transport of one server object, with two corrections of the SDK. A resource that does not exist has the error code
 * of the legacy era. And the ids of the server's requests belong to this object alone: the SDK numbers them 0, 1, 2 in
 * each object, so the answer to a question of an earlier process, or of another replica, would answer a later question.
 *
 * Upstream: the error code of the era, and an option for the ids of requests, would replace this class.
 */
export class LegacyTransport implements Transport {
  readonly #inner: Transport;
  readonly #log: Log;
  #prefix: string | undefined;
  /** The SDK's ids of the requests without an answer, by the ids that the client sees. */
  readonly #asked = new Map<RequestId, RequestId>();

  /** @param prefix of ids, if this server already asked before it was loaded */
  constructor(inner: Transport, log: Log, prefix?: string) {
    this.#inner = inner;
    this.#log = log;
    this.#prefix = prefix;
  }

  send(message: JSONRPCMessage, options?: TransportSendOptions): Promise<void> {
    return this.#inner.send(this.#outgoing(message), options);
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
    this.#inner.onmessage = (message: JSONRPCMessage, extra?: MessageExtraInfo) => {
      const known = 'method' in message ? message : this.#answer(message);
      if (known !== undefined) listener?.(known, extra);
    };
  }

  #outgoing(message: JSONRPCMessage): JSONRPCMessage {
    if ('method' in message && 'id' in message) {
      const id = this.#ownId(message.id);
      this.#asked.set(id, message.id);
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

  /** @returns undefined for an answer to a request that has ended, or that this object has not sent */
  #answer(message: JSONRPCResponse): JSONRPCResponse | undefined {
    const id = message.id === undefined ? undefined : this.#asked.get(message.id);
    if (message.id === undefined || id === undefined) {
      this.#log.warn('answer ignored: its question has ended, or another process asked it', {
        id: message.id,
      });
      return undefined;
    }
    this.#asked.delete(message.id);
    return { ...message, id };
  }

  /** Most connections never ask, and secure randomness costs 4 ms of a cold start. */
  #ownId(id: unknown): string {
    this.#prefix ??= crypto.randomUUID();
    return `${this.#prefix}/${String(id)}`;
  }
}

/** Of all errors that handlers throw, only this one has a URI. */
function isResourceNotFound({ code, data }: JSONRPCErrorResponse['error']): boolean {
  return code === INVALID_PARAMS && typeof data === 'object' && data !== null && 'uri' in data;
}
