import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout } from 'node:timers/promises';
import {
  type JSONRPCMessage,
  type RequestId,
  StreamableHTTPClientTransport,
  type Transport,
  type TransportSendOptions,
} from '@modelcontextprotocol/client';
import { limitedFetch } from './limited-fetch.ts';
import { callLost, type ErrorAnswer, withinLevels } from './problems.ts';
import type { ServerLogin } from './spec.ts';

export interface HttpOptions {
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly login?: ServerLogin | undefined;
  /** Of one message. */
  readonly maxMessageBytes: number;
}

const LOST_STREAM = {
  initialReconnectionDelay: 1000,
  maxReconnectionDelay: 60_000,
  reconnectionDelayGrowFactor: 2,
  maxRetries: Number.POSITIVE_INFINITY,
};
/** Of the stream of a request. The one for changes is tried for as long as the connection lasts. */
const MAX_RETRIES = 5;

const MAX_ANSWERS = 4;

/** How long a server has to confirm the end of a session. */
const GOODBYE_MS = 1000;

/** One request on its way. */
interface Exchange {
  /** Why its stream was ended by us. */
  problem?: ErrorAnswer;
  /** Answers it when its stream does not come back. */
  end?: () => void;
  /** It is answered by a body, which has been read when it is sent, and not by a stream. */
  isWhole?: boolean;
}

const running = new AsyncLocalStorage<Exchange>();

/**
 * The SDK's transport for Streamable HTTP, with a limit per message, and with an answer for a request whose stream ends
 * without one: the SDK would wait for it.
 */
export class HttpTransport implements Transport {
  readonly hasPerRequestStream = true;
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: Transport['onmessage'];
  readonly #http: StreamableHTTPClientTransport;
  readonly #inner: Transport;
  readonly #unanswered = new Set<RequestId>();
  /** Answers to the server that are on their way, each in a request of its own. */
  readonly #answers = new Set<Promise<void>>();

  constructor(options: HttpOptions) {
    const { url, headers = {} } = options;
    this.#http = new StreamableHTTPClientTransport(new URL(url), {
      requestInit: { headers: { ...headers } },
      fetch: async (target, init) => {
        const exchange = running.getStore();
        const onTooLong = (problem: ErrorAnswer) => {
          if (exchange !== undefined) exchange.problem = problem;
        };
        const limits = { ...options, onTooLong, beforeNext: () => this.#answered() };
        const response = await limitedFetch(target, init, limits);
        const type = response.headers.get('content-type') ?? '';
        if (exchange !== undefined) exchange.isWhole = !/text\/event-stream/i.test(type);
        return response;
      },
      reconnectionOptions: LOST_STREAM,
      reconnectionScheduler: (reconnect, ms, attempt) => {
        const end = running.getStore()?.end;
        if (end !== undefined && attempt >= MAX_RETRIES) {
          end();
          return () => undefined;
        }
        const timer = globalThis.setTimeout(reconnect, ms);
        return () => clearTimeout(timer);
      },
    });
    this.#inner = this.#http;
    this.#inner.onclose = () => this.onclose?.();
    this.#inner.onerror = (error) => this.onerror?.(error);
    this.#inner.onmessage = (message) => {
      if (!('method' in message) && message.id !== undefined) this.#unanswered.delete(message.id);
      const fitting = withinLevels(message);
      if (fitting !== undefined) this.onmessage?.(fitting);
    };
  }

  get sessionId(): string | undefined {
    return this.#http.sessionId;
  }

  setProtocolVersion(version: string): void {
    this.#http.setProtocolVersion(version);
  }

  start(): Promise<void> {
    return this.#inner.start();
  }

  async send(message: JSONRPCMessage, options?: TransportSendOptions): Promise<void> {
    if (!('method' in message)) return this.#answer(message, options);
    if (!('id' in message)) return this.#inner.send(message, options);
    const { id } = message;
    const exchange: Exchange = {};
    this.#unanswered.add(id);
    const onRequestStreamEnd = () => {
      options?.onRequestStreamEnd?.();
      if (!this.#unanswered.delete(id)) return;
      this.onmessage?.({ jsonrpc: '2.0', id, error: exchange.problem ?? callLost() });
    };
    exchange.end = onRequestStreamEnd;
    try {
      await running.run(exchange, () => this.#inner.send(message, { ...options, onRequestStreamEnd }));
      // The answer of another request, or none.
      if (exchange.isWhole === true && this.#unanswered.has(id)) onRequestStreamEnd();
    } catch (error) {
      this.#unanswered.delete(id);
      if (exchange.problem === undefined) throw error;
      this.onmessage?.({ jsonrpc: '2.0', id, error: exchange.problem });
    }
  }

  async #answer(message: JSONRPCMessage, options?: TransportSendOptions): Promise<void> {
    const sent = this.#inner.send(message, options);
    // The caller gets the error.
    const settled = sent.catch(() => undefined).finally(() => this.#answers.delete(settled));
    this.#answers.add(settled);
    return sent;
  }

  /** A server that asks without end is read only as fast as it takes the answers. */
  #answered(): Promise<void> | undefined {
    return this.#answers.size < MAX_ANSWERS ? undefined : Promise.race(this.#answers);
  }

  /** Ends the session, which servers otherwise keep. */
  async close(): Promise<void> {
    // A failure has been reported to `onerror`.
    const ended = this.#http.terminateSession().catch(() => undefined);
    await Promise.race([ended, setTimeout(GOODBYE_MS, undefined, { ref: false })]);
    await this.#inner.close();
  }
}
