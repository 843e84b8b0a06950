import { isObject, parseObject, type Scheduler, systemClock } from '@deskside/core/base';
import {
  type JSONRPCMessage,
  PROTOCOL_VERSION_META_KEY,
  type RequestId,
  type TransportSendOptions,
} from '@modelcontextprotocol/client';
import { withoutUndefined } from '../config/tables.ts';
import { bodyText, eventsOf, isEventStream, refusal, TooLong } from './events.ts';
import { namesSession, textIn } from './refusals.ts';
import { fetchWithLogin } from './server-fetch.ts';
import { headerText } from './parameter-headers.ts';
import { type ErrorAnswer, ownAnswer } from './problems.ts';
import { ServerTransport } from './server-transport.ts';
import type { ServerAddress } from './spec.ts';

export interface HttpOptions extends ServerAddress {
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

/**
 * Streamable HTTP, with a limit per message, and with an answer for each request: also if its stream ends without one, or if
 * it comes under another id.
 */
export class HttpTransport extends ServerTransport {
  override readonly hasPerRequestStream: boolean = true;
  protected readonly options: HttpOptions;
  readonly #clock: Scheduler;
  protected readonly closed = new AbortController();
  /** Answers to the server that are on their way, each in a request of its own. */
  readonly #answers = new Set<Promise<void>>();
  #end: Promise<void> | undefined;

  constructor(options: HttpOptions) {
    super();
    this.options = options;
    this.#clock = options.clock ?? systemClock;
  }

  async start(): Promise<void> {}

  /** Resolves when the server has taken the message. @throws SdkHttpError if it refuses it */
  protected async write(message: JSONRPCMessage, options: TransportSendOptions = {}): Promise<void> {
    if ('method' in message && 'id' in message) return this.#request(message, options);
    const sent = this.#notify(message, options);
    if ('method' in message) return sent;
    // The caller gets the error.
    const settled = sent.catch(() => undefined).finally(() => this.#answers.delete(settled));
    this.#answers.add(settled);
    return sent;
  }

  /** Ends the session, which servers otherwise keep. */
  close(): Promise<void> {
    return (this.#end ??= this.#close());
  }

  async #close(): Promise<void> {
    if (this.sessionId !== undefined) await this.#goodbye();
    this.closed.abort();
    this.ended();
  }

  async #goodbye(): Promise<void> {
    const limit = new AbortController();
    const stop = this.#clock.after(GOODBYE_MS, () => limit.abort(), { isBackground: true });
    try {
      const response = await this.fetch('DELETE', {}, limit.signal);
      await response.body?.cancel();
      if (!response.ok && response.status !== 405)
        this.report(`Failed to terminate session: HTTP ${response.status}`);
    } catch (error) {
      this.report(error);
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
    if (!('method' in message && message.method === 'notifications/initialized')) return;
    // It ends with the connection.
    this.#whileOpen(undefined, (signal) => this.#readStreams(signal)).catch(() => undefined);
  }

  async #request(
    message: JSONRPCMessage & { readonly id: RequestId },
    options: TransportSendOptions,
  ): Promise<void> {
    const { id } = message;
    const { promise: taken, resolve, reject } = Promise.withResolvers<void>();
    void this.#whileOpen(options.requestSignal, async (signal) => {
      const response = await this.#post(message, options, signal, id);
      if (isEventStream(response)) resolve();
      const error = this.isPending(id) ? await this.#answerOf(response, id, signal) : undefined;
      options.onRequestStreamEnd?.();
      if (this.isPending(id)) this.receive({ jsonrpc: '2.0', id, error: error ?? ownAnswer('lost') });
    }).then(resolve, reject);
    return taken;
  }

  /** Reads the answer to a request, from its body or its stream. @returns why there is none, if it is known */
  async #answerOf(response: Response, id: RequestId, signal: AbortSignal): Promise<ErrorAnswer | undefined> {
    try {
      if (isEventStream(response)) await this.#readStreams(signal, response, id);
      else {
        const text = await bodyText(response, this.options.maxMessageBytes);
        if (text.trim() !== '') this.#read(text, id);
      }
    } catch (error) {
      if (signal.aborted) throw error;
      this.report(error);
      return error instanceof TooLong ? error.answer : undefined;
    }
    return undefined;
  }

  /**
   * Reads streams, each from where the one before it has ended: of a request until it is answered, and for what belongs to no
   * request as long as the connection lasts, if the server has such a stream.
   *
   * @param first the stream that a request has opened
   */
  async #readStreams(signal: AbortSignal, first?: Response, id?: RequestId): Promise<void> {
    let lastEventId: string | undefined;
    let demandedMs = 0;
    let response: Response | undefined | null = first;
    for (let short = 0; ; short += 1) {
      const begin = this.#clock.elapsedMs();
      response ??= await this.#openStream(lastEventId, signal);
      if (response === null) return;
      try {
        for await (const event of response === undefined
          ? []
          : eventsOf(response, this.options.maxMessageBytes)) {
          lastEventId = event.id ?? lastEventId;
          demandedMs = event.retryMs ?? demandedMs;
          if (event.data !== '' && /^(?:message)?$/.test(event.type)) this.#read(event.data, id);
          // A server that asks without end is read only as fast as it takes the answers.
          while (this.#answers.size >= MAX_ANSWERS) await Promise.race(this.#answers);
        }
      } catch (error) {
        if (signal.aborted || (error instanceof TooLong && id !== undefined)) throw error;
        this.report(error);
      }
      const isOver = lastEventId === undefined || short >= MAX_RETRIES;
      if (id !== undefined && (isOver || !this.isPending(id))) return;
      if (response !== undefined && this.#clock.elapsedMs() - begin >= LONG_LIFE_MS) short = 0;
      response = undefined;
      await this.#pause(Math.max(FIRST_PAUSE_MS * 2 ** Math.min(short, 10), demandedMs), signal);
    }
  }

  /** @returns undefined if the stream cannot be opened now, null if the server has none */
  async #openStream(
    lastEventId: string | undefined,
    signal: AbortSignal,
  ): Promise<Response | undefined | null> {
    const resume = lastEventId === undefined ? {} : { 'last-event-id': lastEventId };
    try {
      const response = await this.fetch('GET', { accept: 'text/event-stream', ...resume }, signal);
      if (response.ok && isEventStream(response)) return response;
      await response.body?.cancel();
      if (response.ok || response.status === 405) return null;
      this.report(`Failed to open SSE stream: HTTP ${response.status}`);
    } catch (error) {
      signal.throwIfAborted();
      this.report(error);
    }
    return undefined;
  }

  async #pause(ms: number, signal: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const stop = this.#clock.after(Math.min(ms, LONGEST_PAUSE_MS), resolve, { isBackground: true });
    const abort = () => resolve();
    signal.addEventListener('abort', abort);
    await promise;
    stop();
    signal.removeEventListener('abort', abort);
    signal.throwIfAborted();
  }

  /** Hands on the messages of a text. */
  #read(text: string, id: RequestId | undefined): void {
    try {
      const parsed = this.parsed(text.replace(/^\u{feff}/u, ''));
      for (const each of Array.isArray(parsed) ? parsed : [parsed]) {
        const isError = isObject(each) && typeof each['method'] !== 'string' && isObject(each['error']);
        const isAnswer = isError && id !== undefined && this.isPending(id);
        // Servers answer with no id, or with one of their own, before they have read the request.
        this.receive(isAnswer ? { ...each, id } : each);
      }
    } catch (error) {
      this.report(error);
      const isAnswer = id !== undefined && this.isPending(id);
      if (isAnswer) this.receive({ jsonrpc: '2.0', id, error: ownAnswer('invalid') });
    }
  }

  /** @throws SdkHttpError if the server refuses the message, unless its body is the answer */
  async #post(
    message: JSONRPCMessage,
    { headers = {} }: TransportSendOptions,
    signal: AbortSignal,
    id?: RequestId,
  ): Promise<Response> {
    const isHandshake = 'method' in message && message.method === 'initialize';
    if (isHandshake) this.sessionId = undefined;
    const accept = 'application/json, text/event-stream';
    const own = { ...headers, 'content-type': 'application/json', accept, ...headersOf(message) };
    const response = await this.fetch('POST', own, signal, JSON.stringify(message));
    if (response.ok) {
      if (isHandshake) this.sessionId = response.headers.get('mcp-session-id') ?? undefined;
      return response;
    }
    const error = await refusal(response);
    const text = textIn(error);
    const isAnswer = id !== undefined && response.status < 500 && !namesSession(text);
    if (!isAnswer || !isErrorOf(id, text)) throw error;
    this.#read(text, id);
    return response;
  }

  /** @param target another address of the server */
  protected fetch(
    method: string,
    headers: Record<string, string>,
    signal: AbortSignal,
    body?: string,
    target: string | URL = this.options.url,
  ): Promise<Response> {
    const own = { 'mcp-session-id': this.sessionId, 'mcp-protocol-version': this.version };
    const all = { ...this.options.headers, ...withoutUndefined(own), ...headers };
    const init = { method, headers: all, signal, ...withoutUndefined({ body }) };
    return fetchWithLogin(target, init, this.options);
  }

  /** Runs work with a signal of its own: a listener on the one of the connection would stay with each request. */
  async #whileOpen<T>(other: AbortSignal | undefined, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const own = new AbortController();
    const signals = [this.closed.signal, ...(other === undefined ? [] : [other])];
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

/** An error of the protocol that comes with the status of a failure. */
function isErrorOf(id: RequestId, text: string): boolean {
  const { id: own, error } = parseObject(text) ?? {};
  return isObject(error) && String(own) === String(id);
}
