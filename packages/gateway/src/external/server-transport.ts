import { EXACT_FORM, exactJson, isObject, parseObject } from '@deskside/core/base';
import {
  type JSONRPCMessage,
  type Progress,
  ProtocolError,
  type RequestId,
  type Result,
  SdkError,
  SdkErrorCode,
  type Transport,
  type TransportSendOptions,
} from '@modelcontextprotocol/client';
import { withoutInvalid } from './items.ts';
import { ownAnswer } from './problems.ts';
import { leavesEraOpen } from './reasons.ts';
import { withoutNulls } from './nulls.ts';

const DISCOVER = 'server/discover';
/** How a server of the legacy era answers a question that it does not know. */
const NOT_UNDERSTOOD = { code: -32_601, message: 'not understood' };
/** Levels of arrays and objects in a message. A message with some thousands cannot be sent on. */
const MAX_LEVELS = 1000;
/** The SDK counts its requests from 0, and servers may know integers of 32 bits only. */
const FIRST_OWN_ID = 2 ** 30;

type Message = Record<string, unknown>;

export interface OwnRequestOptions {
  readonly signal: AbortSignal;
  readonly onProgress?: (progress: Progress) => void;
  /** Over HTTP. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** Who waits for the answer to a request that is not the SDK's. */
interface Asker extends Pick<OwnRequestOptions, 'onProgress'> {
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

interface PendingRequest {
  readonly id: RequestId;
  readonly method: string;
  readonly asker?: Asker;
  /** Then it may stay without an answer. */
  isCancelled?: boolean;
}

/**
 * The way to one start of a server. What the server sends is read here for all transports: the client gets valid messages
 * only, and each request gets an answer as soon as its id comes back. Members that are null are absent. The question for the
 * era of a server is answered whatever the server does. Requests of callers do not pass the SDK's client, which would read
 * their parameters, results and errors in its own way. See docs/decisions/0057.
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
  readonly hasPerRequestStream: boolean = false;
  /** Of the modern era: what each message repeats of the negotiation. */
  envelope: Readonly<Record<string, unknown>> | undefined;
  /** The version of the protocol that was negotiated. */
  protected version: string | undefined;
  /** Invalid items of the lists that were read since the last `takeLeftOut`, for people. */
  #leftOut: string[] = [];
  /** By id, as a text: some servers send `"1"` for 1. */
  readonly #pending = new Map<string, PendingRequest>();
  #lastId = FIRST_OWN_ID;
  #hasEnded = false;

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

  /**
   * Sends a request of a caller. The result is as the server sent it, but for members that are null.
   *
   * @throws ProtocolError for an error of the server, SdkError if the request is given up or the connection ends, and what
   * the way to the server throws
   */
  async request(
    method: string,
    params: Readonly<Record<string, unknown>>,
    { signal, onProgress, headers = {} }: OwnRequestOptions,
  ): Promise<Result> {
    if (this.#hasEnded) throw new SdkError(SdkErrorCode.NotConnected, 'The server has ended.');
    if (signal.aborted) throw givenUp(signal);
    const id = (this.#lastId += 1);
    const { promise, resolve, reject } = Promise.withResolvers<Result>();
    const asker = { resolve, reject, ...(onProgress && { onProgress }) };
    this.#pending.set(String(id), { id, method, asker });
    const isModern = this.envelope !== undefined;
    const cancel = () => {
      reject(givenUp(signal));
      // Over HTTP the end of its stream cancels a request of the modern era.
      if (isModern && this.hasPerRequestStream) this.#pending.delete(String(id));
      else {
        const reason = String(signal.reason);
        const params = { ...(isModern && { _meta: this.envelope }), requestId: id, reason };
        const message = { jsonrpc: '2.0', method: 'notifications/cancelled', params } as const;
        this.send(message).catch(this.report.bind(this));
      }
    };
    signal.addEventListener('abort', cancel, { once: true });
    const meta = { ...this.envelope, ...Object(params['_meta']), ...(onProgress && { progressToken: id }) };
    const own = params['inputResponses'] === undefined ? params : withExactAnswers(params);
    const all = Object.keys(meta).length === 0 ? own : { ...own, _meta: meta };
    const stream = isModern ? { requestSignal: signal } : {};
    this.write({ jsonrpc: '2.0', id, method, params: all }, { headers, ...stream }).catch((error) => {
      this.#pending.delete(String(id));
      reject(error);
    });
    return promise.finally(() => signal.removeEventListener('abort', cancel));
  }

  /** The connection has ended. */
  protected ended(): void {
    this.#hasEnded = true;
    this.onclose?.();
    for (const { asker } of this.#pending.values())
      asker?.reject(new SdkError(SdkErrorCode.ConnectionClosed, 'Connection closed'));
  }

  async send(message: JSONRPCMessage, options?: TransportSendOptions): Promise<void> {
    if (!('method' in message && 'id' in message)) {
      const isCancel = 'method' in message && message.method === 'notifications/cancelled';
      const cancelled = isCancel ? this.#pending.get(String(message.params?.['requestId'])) : undefined;
      if (cancelled !== undefined) cancelled.isCancelled = true;
      return this.write(
        'result' in message ? { ...message, result: exactAnswer(message.result) } : message,
        options,
      );
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

  /** Parses what the server sent. Numbers in the results of calls keep every digit. @throws SyntaxError */
  protected parsed(text: string): unknown {
    const message: unknown = JSON.parse(text);
    const isCall = [message].flat().some((each) => {
      const id = isObject(each) && 'result' in each ? each['id'] : undefined;
      return this.#pending.get(String(id))?.method === 'tools/call';
    });
    return isCall ? exactJson(text, message) : message;
  }

  /** The answer to a call at the end of other text: some programs print text without a line feed. */
  protected answerIn(text: string): unknown {
    const found = text.slice(text.search(/\{\s*"jsonrpc"/));
    const { id, method, result, error } = parseObject(found) ?? {};
    const isAnswer = method === undefined && isObject(result ?? error);
    return isAnswer && this.#pending.get(String(id))?.asker ? this.parsed(found) : undefined;
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
      if (!isDeep && !this.#isProgress(withoutNulls(message))) this.#deliver(message);
      return;
    }
    const request = this.#requestOf(message);
    if (request === undefined) return this.#ignore(message);
    this.#pending.delete(String(request.id));
    // A server that answers another call does not hang in one that was cancelled before.
    if (request.isCancelled !== true) {
      for (const [id, { isCancelled }] of this.#pending) if (isCancelled === true) this.#pending.delete(id);
    }
    const outcome = this.#outcome(message, request.method, isDeep);
    if (request.asker === undefined) this.#deliver({ jsonrpc: '2.0', id: request.id, ...outcome });
    else if ('result' in outcome) request.asker.resolve(outcome.result);
    else {
      const { code, message: text, data } = outcome.error;
      request.asker.reject(new ProtocolError(Number(code), String(text), data));
    }
  }

  /** Tells a caller of the progress of its request. @returns false for everything else */
  #isProgress({ method, params }: Message): boolean {
    if (method !== 'notifications/progress' || !isObject(params)) return false;
    const { progressToken, progress, total, message } = params;
    const onProgress = this.#pending.get(String(progressToken))?.asker?.onProgress;
    const isValid =
      typeof progress === 'number' &&
      ['undefined', 'number'].includes(typeof total) &&
      ['undefined', 'string'].includes(typeof message);
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it was just checked
    if (isValid) onProgress?.({ progress, total, message } as Progress);
    return onProgress !== undefined;
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
    if (isDeep)
      return { error: { ...ownAnswer('too long', `The answer has more than ${MAX_LEVELS} levels.`) } };
    const { result, error } = withoutNulls(message);
    if (isObject(result) && error === undefined) {
      return { result: withoutInvalid(method, result, this.#leftOut) };
    }
    const isError =
      isObject(error) && Number.isSafeInteger(error['code']) && typeof error['message'] === 'string';
    if (method === DISCOVER) return { error: isError ? error : NOT_UNDERSTOOD };
    return { error: isError && result === undefined ? error : { ...ownAnswer('invalid') } };
  }

  #deliver(message: Message): void {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the SDK checks it once more
    this.onmessage?.(message as unknown as JSONRPCMessage);
  }

  #ignore(message: unknown): void {
    this.onerror?.(new Error(`not a message, or an answer without a request: ${JSON.stringify(message)}`));
  }
}

/** What a person wrote in a form, with the numbers of its own text. */
function exactAnswer(answer: Result): Result {
  const { [EXACT_FORM]: content, ...meta } = answer._meta ?? {};
  const { _meta: _, ...rest } = answer;
  if (content === undefined) return answer;
  return { ...rest, content, ...(Object.keys(meta).length > 0 && { _meta: meta }) };
}

function withExactAnswers(params: Readonly<Record<string, unknown>>): typeof params {
  const answers = Object.entries(Object(params['inputResponses']));
  const exact = answers.map(([key, answer]) => [key, isObject(answer) ? exactAnswer(answer) : answer]);
  return { ...params, inputResponses: Object.fromEntries(exact) };
}

function givenUp({ reason }: AbortSignal): SdkError {
  return new SdkError(SdkErrorCode.RequestTimeout, String(reason));
}

function isDeeperThan(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (levels === 0) return true;
  const members: readonly unknown[] = Array.isArray(value) ? value : Object.values(value);
  return members.some((member) => isDeeperThan(member, levels - 1));
}
