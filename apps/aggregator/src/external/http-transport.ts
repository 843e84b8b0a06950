import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout } from 'node:timers/promises';
import {
  discoverOAuthProtectedResourceMetadata,
  extractWWWAuthenticateParams,
  type JSONRPCErrorResponse,
  type JSONRPCMessage,
  type RequestId,
  StreamableHTTPClientTransport,
  type Transport,
  type TransportSendOptions,
} from '@modelcontextprotocol/client';
import { callLost, LoginNeeded, messageTooLong, withinLevels } from './problems.ts';

export interface HttpOptions {
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Of one message. */
  readonly maxMessageBytes: number;
}

const LOST_STREAM = {
  initialReconnectionDelay: 1000,
  maxReconnectionDelay: 60_000,
  reconnectionDelayGrowFactor: 2,
  maxRetries: 5,
};

/** How long a server has to confirm the end of a session. */
const GOODBYE_MS = 1000;

type ErrorAnswer = JSONRPCErrorResponse['error'];

/** One request on its way. */
interface Exchange {
  /** Why its stream was ended by us. */
  problem?: ErrorAnswer;
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

  constructor(options: HttpOptions) {
    const { url, headers = {} } = options;
    this.#http = new StreamableHTTPClientTransport(new URL(url), {
      requestInit: { headers: { ...headers } },
      fetch: (target, init) => limitedFetch(target, init, options),
      reconnectionOptions: LOST_STREAM,
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
    if (!('method' in message && 'id' in message)) return this.#inner.send(message, options);
    const { id } = message;
    const exchange: Exchange = {};
    this.#unanswered.add(id);
    const onRequestStreamEnd = () => {
      options?.onRequestStreamEnd?.();
      if (!this.#unanswered.delete(id)) return;
      this.onmessage?.({ jsonrpc: '2.0', id, error: exchange.problem ?? callLost() });
    };
    try {
      await running.run(exchange, () => this.#inner.send(message, { ...options, onRequestStreamEnd }));
    } catch (error) {
      this.#unanswered.delete(id);
      if (exchange.problem === undefined) throw error;
      this.onmessage?.({ jsonrpc: '2.0', id, error: exchange.problem });
    }
  }

  /** Ends the session, which servers otherwise keep. */
  async close(): Promise<void> {
    // A failure has been reported to `onerror`.
    const ended = this.#http.terminateSession().catch(() => undefined);
    await Promise.race([ended, setTimeout(GOODBYE_MS, undefined, { ref: false })]);
    await this.#inner.close();
  }
}

async function limitedFetch(
  target: string | URL,
  init: RequestInit | undefined,
  { url, maxMessageBytes }: HttpOptions,
): Promise<Response> {
  // The SDK passes one signal to all requests of a connection, and fetch leaves a listener on it.
  const { signal: given, ...rest } = init ?? {};
  const own = new AbortController();
  const stop = () => own.abort(given?.reason);
  given?.addEventListener('abort', stop, { once: true });
  if (given?.aborted === true) stop();
  const done = () => given?.removeEventListener('abort', stop);
  const exchange = running.getStore();
  try {
    const response = await fetch(target, { ...rest, signal: own.signal });
    if (response.status === 401 && (await hasLogin(response, url))) {
      await response.body?.cancel();
      throw new LoginNeeded();
    }
    if (response.body === null) {
      done();
      return response;
    }
    const tooLong = () => {
      done();
      const problem = messageTooLong(maxMessageBytes);
      if (exchange !== undefined) exchange.problem = problem;
      return new Error(problem.message);
    };
    const limit = limitOf(maxMessageBytes, isEvents(response), tooLong, done);
    const { status, statusText, headers } = response;
    return new Response(response.body.pipeThrough(limit), { status, statusText, headers });
  } catch (error) {
    done();
    throw error;
  }
}

function isEvents({ headers }: Response): boolean {
  return headers.get('content-type')?.startsWith('text/event-stream') === true;
}

const LINE_FEED = 0x0a;

const CARRIAGE_RETURN = 0x0d;

/** Fails when one message is too long: a whole body, or an event, which ends with an empty line. */
function limitOf(
  maxBytes: number,
  isStream: boolean,
  tooLong: () => Error,
  done: () => void,
): TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>> {
  let bytes = 0;
  let lineBytes = 0;
  let lastByte: number | undefined;
  return new TransformStream({
    transform(chunk, controller) {
      let start = 0;
      for (
        let end = isStream ? chunk.indexOf(LINE_FEED) : -1;
        end !== -1;
        end = chunk.indexOf(LINE_FEED, start)
      ) {
        const added = end - start;
        const before = added === 0 ? lastByte : chunk[end - 1];
        const isEmpty = lineBytes + added === 0 || (lineBytes + added === 1 && before === CARRIAGE_RETURN);
        bytes += added + 1;
        if (bytes > maxBytes) break;
        if (isEmpty) bytes = 0;
        lineBytes = 0;
        start = end + 1;
      }
      bytes += chunk.length - start;
      lineBytes += chunk.length - start;
      lastByte = chunk.at(-1);
      if (bytes > maxBytes) controller.error(tooLong());
      else controller.enqueue(chunk);
    },
    flush: done,
    cancel: done,
  });
}

async function hasLogin(response: Response, url: string): Promise<boolean> {
  if (extractWWWAuthenticateParams(response).resourceMetadataUrl !== undefined) return true;
  try {
    await discoverOAuthProtectedResourceMetadata(url);
    return true;
  } catch {
    return false;
  }
}
