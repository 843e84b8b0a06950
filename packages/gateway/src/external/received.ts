import { isObject } from '@deskside/core/base';
import {
  type JSONRPCMessage,
  ProtocolError,
  type RequestId,
  type Result,
  SdkHttpError,
  type Transport,
  type TransportSendOptions,
} from '@modelcontextprotocol/client';
import { withoutInvalid } from './items.ts';
import { invalidAnswer, messageTooDeep } from './problems.ts';
import { leavesEraOpen } from './reasons.ts';
import { withoutNulls } from './nulls.ts';
import type { ServerTransport } from './transport.ts';

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

/**
 * Reads what a server sends, in one place for all transports: the client gets valid messages only, and each request gets an
 * answer as soon as its id comes back. Members that are null are absent. The question for the era of a server is answered
 * whatever the server does.
 */
export class ReadTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: Transport['onmessage'];
  /** Invalid items of the lists that were read since the last `takeLeftOut`, for people. */
  #leftOut: string[] = [];
  readonly #inner: ServerTransport;
  /** By id, as a text: some servers send `"1"` for 1. */
  readonly #pending = new Map<string, { readonly id: RequestId; readonly method: string }>();
  /** The client handles a progress message a microtask later than the answer that follows it, and then knows no such call. */
  #isProgressDue = false;

  constructor(inner: ServerTransport) {
    this.#inner = inner;
    inner.onclose = () => this.onclose?.();
    inner.onerror = (error) => this.onerror?.(error);
    inner.onmessage = (message) => this.#receive(message);
  }

  /** The SDK recognizes a transport to a process by this member and the next, and then takes silence for the legacy era. */
  get stderr(): null {
    return null;
  }

  get pid(): null {
    return null;
  }

  get hasPerRequestStream(): boolean {
    return this.#inner.hasPerRequestStream ?? false;
  }

  get sessionId(): string | undefined {
    return this.#inner.sessionId;
  }

  setProtocolVersion(version: string): void {
    this.#inner.setProtocolVersion?.(version);
  }

  start(): Promise<void> {
    return this.#inner.start();
  }

  close(): Promise<void> {
    return this.#inner.close();
  }

  takeLeftOut(): readonly string[] {
    const taken = this.#leftOut;
    this.#leftOut = [];
    return taken;
  }

  async send(message: JSONRPCMessage, options?: TransportSendOptions): Promise<void> {
    if (!('method' in message && 'id' in message)) {
      // It may stay without an answer.
      const isCancelled = 'method' in message && message.method === 'notifications/cancelled';
      if (isCancelled) this.#pending.delete(String(message.params?.['requestId']));
      return this.#inner.send(message, options);
    }
    const { id, method } = message;
    this.#pending.set(String(id), { id, method });
    options?.requestSignal?.addEventListener('abort', () => this.#pending.delete(String(id)), { once: true });
    try {
      await this.#inner.send(message, options);
    } catch (error) {
      this.#pending.delete(String(id));
      if (method !== DISCOVER || !leavesEraOpen(error)) throw error;
      this.onerror?.(error instanceof Error ? error : new Error(String(error)));
      this.onmessage?.({ jsonrpc: '2.0', id, error: errorIn(error) ?? NOT_UNDERSTOOD });
    }
  }

  #receive(message: unknown): void {
    if (Array.isArray(message)) {
      for (const each of message) this.#receive(each);
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
    this.#deliver({ jsonrpc: '2.0', id: request.id, ...this.#outcome(message, request.method, isDeep) });
  }

  /** The request that a message answers. A log line can have an `id`, too. */
  #requestOf(message: Message): { readonly id: RequestId; readonly method: string } | undefined {
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
    this.onerror?.(
      new Error(`not a message, or an answer that nobody waits for: ${JSON.stringify(message)}`),
    );
  }
}

/** The error in the body of a response that is refused. */
function errorIn(error: unknown): { readonly code: number; readonly message: string } | undefined {
  const text = error instanceof SdkHttpError ? error.data['text'] : undefined;
  if (typeof text !== 'string') return undefined;
  try {
    const body: unknown = JSON.parse(text);
    const found = isObject(body) ? body['error'] : undefined;
    if (!isObject(found) || typeof found['code'] !== 'number') return undefined;
    return { ...found, code: found['code'], message: String(found['message']) };
  } catch {
    return undefined;
  }
}

function isDeeperThan(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (levels === 0) return true;
  const members: readonly unknown[] = Array.isArray(value) ? value : Object.values(value);
  return members.some((member) => isDeeperThan(member, levels - 1));
}
