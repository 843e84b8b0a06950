import type { Readable, Writable } from 'node:stream';
import {
  type JSONRPCMessage,
  parseJSONRPCMessage,
  type RequestId,
  type Transport,
  type TransportSendOptions,
} from '@modelcontextprotocol/server';
import { BoundedLines, type Line } from '../../base/bounded-lines.ts';
import { parsedMessage } from '../../base/json.ts';
import { idAtEitherEnd } from '../../base/message-id.ts';
import { bytesText, GRACE_MS, isObject } from '../../base/values.ts';
import { messageText } from '../protocol/message-text.ts';
import type { FirstExchanges } from '../first-answers/first-answers.ts';
import { Repetition } from '../first-answers/repetition.ts';
import { flushed } from '../process/standard-streams.ts';
import { turnOf } from '../turns.ts';

const PARSE_ERROR = -32_700;
const INVALID_REQUEST = -32_600;

/**
 * JSON-RPC in lines. It differs from the SDK's transport in two cases: when the input ends it lets running requests
 * finish instead of aborting them, and it answers a line that is too long with an error instead of ending the process.
 */
export class LineTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: Transport['onmessage'];
  /** Called with each message before it is handled. */
  onreceive?: (message: JSONRPCMessage) => void;

  readonly #closed = Promise.withResolvers<void>();
  /** Resolves when the connection is closed, and its output is written or its client reads nothing more. */
  readonly closed = this.#closed.promise;
  readonly #input: Readable;
  readonly #output: Writable;
  readonly #lines: BoundedLines;
  readonly #maxLineBytes: number;
  readonly #unanswered = new Set<RequestId>();
  readonly #first: FirstExchanges | undefined;
  readonly #repetition = new Repetition();
  /** Lines that were read and wait for their turn. */
  #waiting = 0;
  #ending: NodeJS.Timeout | undefined;
  #isClosed = false;
  #draining: Promise<void> | undefined;

  /**
   * @param maxLineBytes the limit of one message; a longer one is answered with an error and skipped
   * @param first what was read and answered before
   */
  constructor(input: Readable, output: Writable, maxLineBytes: number, first?: FirstExchanges) {
    this.#first = first;
    this.#maxLineBytes = maxLineBytes;
    this.#lines = new BoundedLines(maxLineBytes);
    this.#input = input;
    this.#output = output;
  }

  async start(): Promise<void> {
    this.#output.on('error', (error) => {
      this.onerror?.(error);
      void this.close();
    });
    this.#input.on('error', (error) => this.onerror?.(error));
    if (this.#first === undefined) this.#read();
    else void this.#repeat(this.#first);
  }

  /** @param rest of the input, which was read before */
  #read(rest?: Buffer): void {
    if (this.#isClosed || this.#ending !== undefined) return;
    if (rest !== undefined) this.#onData(rest);
    this.#input.on('end', () => this.finish());
    this.#input.on('close', () => this.finish());
    this.#input.on('data', this.#onData);
    // A stream whose first bytes were read by other code comes paused.
    this.#input.resume();
    if (this.#input.readableEnded || this.#input.destroyed) setImmediate(() => this.finish());
  }

  async #repeat(first: FirstExchanges): Promise<void> {
    await this.#repetition.show(first, (text) => this.#receive({ kind: 'line', text }));
    this.#read(first.rest);
  }

  /** Number of the requests without an answer, except subscriptions. */
  get openRequests(): number {
    return this.#unanswered.size;
  }

  async send(message: JSONRPCMessage, options?: TransportSendOptions): Promise<void> {
    if (this.#isClosed) throw new Error('The connection is closed.');
    if (this.#isLateProgress(message, options?.relatedRequestId)) return;
    const isSent = this.#repetition.has(message) || this.#output.write(messageText(message, '', '\n'));
    if (!('method' in message) && message.id !== undefined) this.#settle(message.id);
    if (!isSent) await (this.#draining ??= this.#drain());
  }

  /** The protocol allows no progress after the answer, or after the call was cancelled. */
  #isLateProgress(message: JSONRPCMessage, request: RequestId | undefined): boolean {
    if (request === undefined || !('method' in message)) return false;
    return message.method === 'notifications/progress' && !this.#unanswered.has(request);
  }

  /** Stops reading, lets running requests finish for `GRACE_MS`, then closes. */
  finish(): void {
    if (this.#ending !== undefined || this.#isClosed) return;
    this.#input.off('data', this.#onData);
    this.#ending = setTimeout(() => void this.close(), GRACE_MS);
    this.#closeWhenIdle();
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    clearTimeout(this.#ending);
    this.#input.off('data', this.#onData);
    this.#input.pause();
    this.onclose?.();
    this.#closed.resolve(flushed(this.#output));
  }

  readonly #onData = (chunk: Buffer): void => {
    for (const line of this.#lines.split(chunk)) {
      const turn = turnOf(this);
      if (turn === undefined) this.#receive(line);
      else void this.#receiveLater(line, turn);
    }
  };

  /** The client writes no further lines meanwhile, so that few are kept. */
  async #receiveLater(line: Line, turn: Promise<void>): Promise<void> {
    this.#waiting += 1;
    this.#input.pause();
    await turn;
    this.#waiting -= 1;
    if (this.#isClosed) return;
    this.#receive(line);
    if (this.#waiting > 0) return;
    this.#input.resume();
    this.#closeWhenIdle();
  }

  #receive(line: Line): void {
    if (line.kind === 'too-long') {
      const id = idAtEitherEnd(line.head, line.tail);
      return this.#refuse(id, INVALID_REQUEST, `Message exceeds ${bytesText(this.#maxLineBytes)}`);
    }
    if (line.text.trim() === '') return;
    let parsed: unknown;
    try {
      parsed = parsedMessage(line.text);
    } catch {
      return this.#refuse(null, PARSE_ERROR, 'Parse error: a line must be one JSON-RPC message');
    }
    try {
      this.#deliver(parseJSONRPCMessage(parsed));
    } catch {
      this.#refuse(idOf(parsed), INVALID_REQUEST, 'Invalid Request: not a JSON-RPC 2.0 message');
    }
  }

  #deliver(message: JSONRPCMessage): void {
    // A subscription stays open as long as the connection, so closing must not wait for it.
    if ('method' in message && 'id' in message && message.method !== 'subscriptions/listen')
      this.#unanswered.add(message.id);
    if ('method' in message && message.method === 'notifications/cancelled') {
      const cancelled = message.params?.['requestId'];
      if (typeof cancelled === 'string' || typeof cancelled === 'number') this.#settle(cancelled);
    }
    this.onreceive?.(message);
    this.onmessage?.(message);
  }

  #settle(id: RequestId): void {
    if (this.#unanswered.delete(id)) this.#closeWhenIdle();
  }

  #closeWhenIdle(): void {
    if (this.#ending !== undefined && this.#unanswered.size + this.#waiting === 0) void this.close();
  }

  #refuse(id: RequestId | null, code: number, message: string): void {
    this.#output.write(`${JSON.stringify({ jsonrpc: '2.0', id, error: { code, message } })}\n`);
  }

  /** The client reads slower than the server writes. All messages share one wait. Errors of the stream are events. */
  async #drain(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#output.once('drain', resolve).once('close', resolve);
    await promise;
    this.#output.off('drain', resolve).off('close', resolve);
    this.#draining = undefined;
  }
}

function idOf(parsed: unknown): RequestId | null {
  const id = isObject(parsed) ? parsed['id'] : undefined;
  return typeof id === 'string' || typeof id === 'number' ? id : null;
}
