import { isObject } from '@deskside/core/base';
import {
  type JSONRPCMessage,
  ProtocolError,
  type RequestId,
  type Result,
  type Transport,
  type TransportSendOptions,
} from '@modelcontextprotocol/client';
import { withoutInvalid } from './items.ts';
import { invalidAnswer, messageTooDeep } from './problems.ts';
import { leavesEraOpen } from './reasons.ts';
import { withoutNulls } from './nulls.ts';

const DISCOVER = 'server/discover';
/** How a server of the legacy era answers a question that it does not know. */
const NOT_UNDERSTOOD = { code: -32_601, message: 'not understood' };
/** Levels of arrays and objects in a message. A message with some thousands cannot be sent on. */
const MAX_LEVELS = 1000;
/** No known code, so that the SDK makes a plain error of it. */
const PLAIN_CODE = -32_000;

type Message = Record<string, unknown>;

/** Where the SDK's copy of a result of the modern era, which lacks its type, has the result as it came. */
const AS_IT_CAME = Symbol('as it came');

export function asItCame(result: Result): Result {
  const given: unknown = Reflect.get(result, AS_IT_CAME);
  if (!isObject(given)) return result;
  Reflect.deleteProperty(given, AS_IT_CAME);
  return given;
}

/** An error of a server, in place of the class that the SDK makes of some codes. */
export class UnreadError {
  readonly #error: Message;

  constructor(error: Message) {
    this.#error = error;
  }

  asProtocolError(): ProtocolError {
    const { code, message, data } = this.#error;
    return new ProtocolError(Number(code), String(message), data);
  }
}

interface PendingRequest {
  readonly id: RequestId;
  readonly method: string;
  /** Then it may stay without an answer. */
  isCancelled?: boolean;
}

/**
 * The way to one start of a server. What the server sends is read here for all transports: the client gets valid messages
 * only, and each request gets an answer as soon as its id comes back. Members that are null are absent. The question for the
 * era of a server is answered whatever the server does.
 */
export abstract class ServerTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: Transport['onmessage'];
  /** How the program ended; undefined over HTTP, while it runs, and if it was closed. */
  exit: string | undefined;
  /** Of Streamable HTTP. */
  sessionId: string | undefined;
  /** The SDK recognizes a transport to a process by this member and the next, and then takes silence for the legacy era. */
  readonly stderr = null;
  readonly pid: number | null = null;
  /** The version of the protocol that was negotiated. */
  protected version: string | undefined;
  /** Invalid items of the lists that were read since the last `takeLeftOut`, for people. */
  #leftOut: string[] = [];
  /** By id, as a text: some servers send `"1"` for 1. */
  readonly #pending = new Map<string, PendingRequest>();
  /** The client handles a progress message a microtask later than the answer that follows it, and then knows no such call. */
  #isProgressDue = false;

  abstract start(): Promise<void>;
  abstract close(): Promise<void>;
  /** Sends a message to the server. */
  protected abstract write(message: JSONRPCMessage, options?: TransportSendOptions): Promise<void>;

  setProtocolVersion(version: string): void {
    this.version = version;
  }

  takeLeftOut(): readonly string[] {
    const taken = this.#leftOut;
    this.#leftOut = [];
    return taken;
  }

  async send(message: JSONRPCMessage, options?: TransportSendOptions): Promise<void> {
    if (!('method' in message && 'id' in message)) {
      const isCancel = 'method' in message && message.method === 'notifications/cancelled';
      const cancelled = isCancel ? this.#pending.get(String(message.params?.['requestId'])) : undefined;
      if (cancelled !== undefined) cancelled.isCancelled = true;
      return this.write(message, options);
    }
    const { id, method } = message;
    this.#pending.set(String(id), { id, method });
    options?.requestSignal?.addEventListener('abort', () => this.#pending.delete(String(id)), { once: true });
    try {
      await this.write(message, options);
    } catch (error) {
      this.#pending.delete(String(id));
      if (method !== DISCOVER || !leavesEraOpen(error)) throw error;
      this.report(error);
      this.onmessage?.({ jsonrpc: '2.0', id, error: NOT_UNDERSTOOD });
    }
  }

  /** Whether the server may hang in a request. A subscription is answered when it ends. */
  protected get hasUnanswered(): boolean {
    return [...this.#pending.values()].some(({ method }) => method !== 'subscriptions/listen');
  }

  protected isPending(id: RequestId): boolean {
    return this.#pending.has(String(id));
  }

  protected report(error: unknown): void {
    this.onerror?.(error instanceof Error ? error : new Error(String(error)));
  }

  /** @param message as it was parsed */
  protected receive(message: unknown): void {
    if (Array.isArray(message)) {
      for (const each of message) this.receive(each);
      return;
    }
    if (!isObject(message)) return this.#ignore(message);
    const isDeep = isDeeperThan(message, MAX_LEVELS);
    if (typeof message['method'] === 'string') {
      if (!isDeep) this.#deliver(withoutNulls(message));
      return;
    }
    const request = this.#requestOf(message);
    if (request === undefined) return this.#ignore(message);
    this.#pending.delete(String(request.id));
    // A server that answers another call does not hang in one that was cancelled before.
    if (request.isCancelled !== true) {
      for (const [id, { isCancelled }] of this.#pending) if (isCancelled === true) this.#pending.delete(id);
    }
    this.#deliver({ jsonrpc: '2.0', id: request.id, ...this.#outcome(message, request.method, isDeep) });
  }

  /** The request that a message answers. A log line can have an `id`, too. */
  #requestOf(message: Message): PendingRequest | undefined {
    const { id, jsonrpc, error } = message;
    const isAnswer = jsonrpc === '2.0' || 'result' in message || isObject(error);
    if (!isAnswer) return undefined;
    if (typeof id === 'string' || typeof id === 'number') return this.#pending.get(String(id));
    // A server that does not understand the question for its era may not have read its id.
    const asked = [...this.#pending.values()].find(({ method }) => method === DISCOVER);
    return isObject(error) ? asked : undefined;
  }

  #outcome(
    message: Message,
    method: string,
    isDeep: boolean,
  ): { readonly result: Message } | { readonly error: Message } {
    if (isDeep) return { error: { ...messageTooDeep(MAX_LEVELS) } };
    const { result, error } = withoutNulls(message);
    if (isObject(result) && error === undefined) {
      const valid = withoutInvalid(method, result, this.#leftOut);
      if (valid['resultType'] === 'complete') Reflect.set(valid, AS_IT_CAME, valid);
      return { result: valid };
    }
    const isError =
      isObject(error) && Number.isSafeInteger(error['code']) && typeof error['message'] === 'string';
    if (method === DISCOVER) return { error: isError ? error : NOT_UNDERSTOOD };
    if (!isError || result !== undefined) return { error: { ...invalidAnswer() } };
    if (method === 'initialize') return { error };
    return { error: { code: PLAIN_CODE, message: error['message'], data: new UnreadError(error) } };
  }

  #deliver(message: Message): void {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the SDK checks it once more
    const read = message as unknown as JSONRPCMessage;
    if (message['method'] === 'notifications/progress') {
      this.#isProgressDue = true;
      this.onmessage?.(read);
      queueMicrotask(() => (this.#isProgressDue = false));
    } else if (this.#isProgressDue) queueMicrotask(() => this.onmessage?.(read));
    else this.onmessage?.(read);
  }

  #ignore(message: unknown): void {
    this.onerror?.(new Error(`not a message, or an answer without a request: ${JSON.stringify(message)}`));
  }
}

function isDeeperThan(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (levels === 0) return true;
  const members: readonly unknown[] = Array.isArray(value) ? value : Object.values(value);
  return members.some((member) => isDeeperThan(member, levels - 1));
}
