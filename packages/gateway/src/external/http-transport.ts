import { isObject, type Scheduler, systemClock } from '@deskside/core/base';
import {
  type JSONRPCMessage,
  PROTOCOL_VERSION_META_KEY,
  type RequestId,
  SdkErrorCode,
  SdkHttpError,
  type Transport,
  type TransportSendOptions,
} from '@modelcontextprotocol/client';
import { bodyText, eventsOf, isEventStream, TooLong } from './events.ts';
import { namesSession } from './refusals.ts';
import { fetchWithLogin } from './server-fetch.ts';
import { headerText } from './parameter-headers.ts';
import { callLost, type ErrorAnswer, invalidAnswer } from './problems.ts';
import type { ServerLogin } from './spec.ts';

export interface HttpOptions {
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly login?: ServerLogin | undefined;
  /** Of one message. */
  readonly maxMessageBytes: number;
  readonly clock?: Scheduler;
}

/** Before a stream is asked for again, also if its server demands less. The pause doubles while streams end soon. */
const FIRST_PAUSE_MS = 1000;
const LONGEST_PAUSE_MS = 60_000;
/** A stream that has lived as long is no part of a storm. */
const LONG_LIFE_MS = 10_000;
/** Of the stream of a request. The one for changes is asked for as long as the connection lasts. */
const MAX_RETRIES = 5;
const MAX_ANSWERS = 4;
/** How long a server has to confirm the end of a session. */
const GOODBYE_MS = 1000;

/** One request on its way. */
interface Exchange {
  readonly id: RequestId;
  readonly signal: AbortSignal;
  isAnswered: boolean;
}

/** Where a stream that has ended goes on. */
interface Resume {
  lastEventId?: string;
  retryMs?: number;
}

/**
 * Streamable HTTP, with a limit per message, and with an answer for each request: also if its stream ends without one, or if
 * it comes under another id.
 */
export class HttpTransport implements Transport {
  readonly hasPerRequestStream = true;
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: Transport['onmessage'];
  sessionId: string | undefined;
  readonly #options: HttpOptions;
  readonly #clock: Scheduler;
  readonly #closed = new AbortController();
  #version: string | undefined;
  /** Answers to the server that are on their way, each in a request of its own. */
  readonly #answers = new Set<Promise<void>>();

  constructor(options: HttpOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
  }

  setProtocolVersion(version: string): void {
    this.#version = version;
  }

  async start(): Promise<void> {}

  /** Resolves when the server has taken the message. @throws SdkHttpError if it refuses it */
  async send(message: JSONRPCMessage, options: TransportSendOptions = {}): Promise<void> {
    if ('method' in message && 'id' in message) return this.#request(message, options);
    const sent = this.#notify(message, options);
    if ('method' in message) return sent;
    // The caller gets the error.
    const settled = sent.catch(() => undefined).finally(() => this.#answers.delete(settled));
    this.#answers.add(settled);
    return sent;
  }

  /** Ends the session, which servers otherwise keep. */
  async close(): Promise<void> {
    if (this.#closed.signal.aborted) return;
    if (this.sessionId !== undefined) await this.#goodbye();
    this.#closed.abort();
    this.onclose?.();
  }

  async #goodbye(): Promise<void> {
    const limit = new AbortController();
    const stop = this.#clock.after(GOODBYE_MS, () => limit.abort(), { isBackground: true });
    try {
      const response = await this.#fetch('DELETE', {}, limit.signal);
      await response.body?.cancel();
      if (!response.ok && response.status !== 405)
        this.onerror?.(new Error(`Failed to terminate session: HTTP ${response.status}`));
    } catch (error) {
      this.#report(error);
    } finally {
      stop();
    }
  }

  /** A message without an answer. */
  async #notify(message: JSONRPCMessage, options: TransportSendOptions): Promise<void> {
    await this.#whileOpen(options.requestSignal, async (signal) => {
      const response = await this.#post(message, options, signal);
      await response.body?.cancel();
    });
    if ('method' in message && message.method === 'notifications/initialized') void this.#listen();
  }

  async #request(
    message: JSONRPCMessage & { readonly id: RequestId },
    options: TransportSendOptions,
  ): Promise<void> {
    const { promise: taken, resolve, reject } = Promise.withResolvers<void>();
    void this.#whileOpen(options.requestSignal, async (signal) => {
      const exchange: Exchange = { id: message.id, signal, isAnswered: false };
      const response = await this.#post(message, options, signal, exchange);
      if (isEventStream(response)) resolve();
      const error = exchange.isAnswered ? undefined : await this.#answerOf(response, exchange);
      options.onRequestStreamEnd?.();
      if (!exchange.isAnswered) this.#answer(exchange, error ?? callLost());
    }).then(resolve, reject);
    return taken;
  }

  /** Reads the answer to a request, from its body or its stream. @returns why there is none, if it is known */
  async #answerOf(response: Response, exchange: Exchange): Promise<ErrorAnswer | undefined> {
    try {
      if (isEventStream(response)) await this.#readStreams(response, exchange);
      else {
        const text = await bodyText(response, this.#options.maxMessageBytes);
        if (text.trim() !== '') this.#read(text, exchange);
      }
    } catch (error) {
      if (exchange.signal.aborted) throw error;
      this.#report(error);
      return error instanceof TooLong ? error.answer : undefined;
    }
    return undefined;
  }

  #answer(exchange: Exchange, error: ErrorAnswer): void {
    exchange.isAnswered = true;
    this.onmessage?.({ jsonrpc: '2.0', id: exchange.id, error });
  }

  /** The stream of a request, and those that go on after it where the server has named a place. */
  async #readStreams(first: Response, exchange: Exchange): Promise<void> {
    const resume: Resume = {};
    let response: Response | undefined | null = first;
    for (let attempt = 0; ; attempt += 1) {
      if (response !== undefined && response !== null) await this.#readStream(response, resume, exchange);
      if (
        exchange.isAnswered ||
        response === null ||
        resume.lastEventId === undefined ||
        attempt >= MAX_RETRIES
      )
        return;
      await this.#pause(attempt, resume, exchange.signal);
      response = await this.#openStream(resume, exchange.signal);
    }
  }

  /** The stream for what belongs to no request. Servers end it, and need not have one. */
  async #listen(): Promise<void> {
    const resume: Resume = {};
    await this.#whileOpen(undefined, async (signal) => {
      for (let short = 0; ;) {
        const begin = this.#clock.elapsedMs();
        const response = await this.#openStream(resume, signal);
        if (response === null) return;
        if (response !== undefined) await this.#readStream(response, resume);
        const hasLived = response !== undefined && this.#clock.elapsedMs() - begin >= LONG_LIFE_MS;
        short = hasLived ? 0 : short + 1;
        await this.#pause(Math.max(0, short - 1), resume, signal);
      }
    }).catch((error: unknown) => this.#report(error));
  }

  /** @returns undefined if the stream cannot be opened now, null if the server has none */
  async #openStream({ lastEventId }: Resume, signal: AbortSignal): Promise<Response | undefined | null> {
    const resume = lastEventId === undefined ? {} : { 'last-event-id': lastEventId };
    try {
      const response = await this.#fetch('GET', { accept: 'text/event-stream', ...resume }, signal);
      if (response.ok && isEventStream(response)) return response;
      await response.body?.cancel();
      if (response.ok || response.status === 405) return null;
      this.onerror?.(new Error(`Failed to open SSE stream: HTTP ${response.status}`));
    } catch (error) {
      signal.throwIfAborted();
      this.#report(error);
    }
    return undefined;
  }

  async #readStream(response: Response, resume: Resume, exchange?: Exchange): Promise<void> {
    try {
      for await (const { type, data, id, retryMs } of eventsOf(response, this.#options.maxMessageBytes)) {
        if (id !== undefined) resume.lastEventId = id;
        if (retryMs !== undefined) resume.retryMs = retryMs;
        if (data !== '' && (type === '' || type === 'message')) this.#read(data, exchange);
        // A server that asks without end is read only as fast as it takes the answers.
        while (this.#answers.size >= MAX_ANSWERS) await Promise.race(this.#answers);
      }
    } catch (error) {
      if (error instanceof TooLong && exchange !== undefined) throw error;
      if (exchange?.signal.aborted === true || this.#closed.signal.aborted) throw error;
      this.#report(error);
    }
  }

  async #pause(doubled: number, { retryMs = 0 }: Resume, signal: AbortSignal): Promise<void> {
    const least = FIRST_PAUSE_MS * 2 ** Math.min(doubled, 10);
    const { promise, resolve } = Promise.withResolvers<void>();
    const stop = this.#clock.after(Math.min(Math.max(least, retryMs), LONGEST_PAUSE_MS), resolve, {
      isBackground: true,
    });
    const abort = () => resolve();
    signal.addEventListener('abort', abort, { once: true });
    await promise;
    stop();
    signal.removeEventListener('abort', abort);
    signal.throwIfAborted();
  }

  /** Hands on the messages of a text. In the body of a request an error without a known id is its answer. */
  #read(text: string, exchange: Exchange | undefined): void {
    let parsed: unknown;
    try {
      parsed = JSON.parse(text.replace(/^\u{feff}/u, ''));
    } catch (error) {
      this.#report(error);
      if (exchange !== undefined && !exchange.isAnswered) this.#answer(exchange, invalidAnswer());
      return;
    }
    for (const each of Array.isArray(parsed) ? parsed : [parsed]) {
      const message: unknown = each;
      const own = exchange === undefined || exchange.isAnswered ? message : answerTo(exchange, message);
      if (exchange !== undefined && isObject(own) && isAnswerOf(exchange.id, own)) exchange.isAnswered = true;
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the receiver checks it
      this.onmessage?.(own as JSONRPCMessage);
    }
  }

  /** @throws SdkHttpError if the server refuses the message, unless its body is the answer */
  async #post(
    message: JSONRPCMessage,
    { headers = {} }: TransportSendOptions,
    signal: AbortSignal,
    exchange?: Exchange,
  ): Promise<Response> {
    const isHandshake = 'method' in message && message.method === 'initialize';
    if (isHandshake) this.sessionId = undefined;
    const own = {
      ...headers,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    };
    const response = await this.#fetch(
      'POST',
      { ...own, ...headersOf(message) },
      signal,
      JSON.stringify(message),
    );
    if (response.ok) {
      if (isHandshake) this.sessionId = response.headers.get('mcp-session-id') ?? undefined;
      return response;
    }
    const text = await bodyText(response, this.#options.maxMessageBytes).catch(() => '');
    const { status, statusText } = response;
    if (exchange !== undefined && status < 500 && status !== 401 && status !== 403 && !namesSession(text)) {
      const body = parsedOr(text, undefined);
      if (isObject(body) && isObject(body['error']) && isAnswerOf(exchange.id, body)) {
        this.#read(text, exchange);
        return response;
      }
    }
    throw new SdkHttpError(SdkErrorCode.ClientHttpNotImplemented, `HTTP ${status}`, {
      status,
      statusText,
      text,
    });
  }

  #fetch(
    method: string,
    headers: Record<string, string>,
    signal: AbortSignal,
    body?: string,
  ): Promise<Response> {
    const session = this.sessionId === undefined ? {} : { 'mcp-session-id': this.sessionId };
    const version = this.#version === undefined ? {} : { 'mcp-protocol-version': this.#version };
    const all = { ...this.#options.headers, ...session, ...version, ...headers };
    const init = { method, headers: all, signal, ...(body === undefined ? {} : { body }) };
    return fetchWithLogin(this.#options.url, init, this.#options);
  }

  /** Runs work with a signal of its own: a listener on the one of the connection would stay with each request. */
  async #whileOpen<T>(other: AbortSignal | undefined, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const own = new AbortController();
    const signals = [this.#closed.signal, ...(other === undefined ? [] : [other])];
    const abort = () => own.abort(signals.find(({ aborted }) => aborted)?.reason);
    for (const signal of signals) {
      signal.addEventListener('abort', abort, { once: true });
      if (signal.aborted) abort();
    }
    try {
      return await work(own.signal);
    } finally {
      for (const signal of signals) signal.removeEventListener('abort', abort);
    }
  }

  #report(error: unknown): void {
    if (!this.#closed.signal.aborted)
      this.onerror?.(error instanceof Error ? error : new Error(String(error)));
  }
}

/** Of the modern era: what the headers of a request repeat. */
function headersOf(message: JSONRPCMessage): Record<string, string> {
  if (!('method' in message && 'id' in message)) return {};
  const { method, params = {} } = message;
  const version = isObject(params['_meta']) ? params['_meta'][PROTOCOL_VERSION_META_KEY] : undefined;
  if (typeof version !== 'string') return {};
  const name = method === 'resources/read' ? params['uri'] : params['name'];
  const isNamed =
    ['tools/call', 'prompts/get', 'resources/read'].includes(method) && typeof name === 'string';
  const named = isNamed ? { 'mcp-name': headerText(name) } : {};
  return { 'mcp-protocol-version': version, 'mcp-method': method, ...named };
}

function isAnswerOf(id: RequestId, message: Readonly<Record<string, unknown>>): boolean {
  return typeof message['method'] !== 'string' && String(message['id']) === String(id);
}

/** Servers answer with no id, or with one of their own, before they have read the request. */
function answerTo({ id }: Exchange, message: unknown): unknown {
  if (!isObject(message) || typeof message['method'] === 'string' || !isObject(message['error']))
    return message;
  return { ...message, id };
}

function parsedOr(text: string, other: unknown): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return other;
  }
}
