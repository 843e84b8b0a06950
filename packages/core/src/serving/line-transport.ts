import type { Readable, Writable } from 'node:stream';
import {
  isJSONRPCNotification,
  isJSONRPCRequest,
  type JSONRPCMessage,
  parseJSONRPCMessage,
  type RequestId,
  serializeMessage,
  type Transport,
} from '@modelcontextprotocol/server';
import { type Line, LineSplitter } from './line-splitter.ts';

const PARSE_ERROR = -32_700;
const INVALID_REQUEST = -32_600;

/** A JSON-RPC message a client sends in one line; longer ones are answered with an error and skipped. */
const LINE_LIMIT = 16 * 1024 * 1024;

/** Milliseconds that running requests have after the end of the input. */
export const GRACE_MS = 1500;

/**
 * JSON-RPC in lines. Where the SDK's own transport aborts what runs when the input ends, this one lets it
 * finish; where that ends the process over a line too long, this one answers an error.
 */
export class LineTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: Transport['onmessage'];

  /** Resolves when the connection is over and all that was written has left. */
  readonly closed: Promise<void>;
  readonly #resolveClosed: () => void;
  readonly #input: Readable;
  readonly #output: Writable;
  readonly #lines = new LineSplitter(LINE_LIMIT);
  readonly #unanswered = new Set<RequestId>();
  #ending: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(input: Readable, output: Writable) {
    this.#input = input;
    this.#output = output;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.closed = promise;
    this.#resolveClosed = resolve;
  }

  async start(): Promise<void> {
    this.#output.on('error', this.#onOutputError);
    this.#input.on('data', this.#onData);
    this.#input.on('error', (error) => this.onerror?.(error));
    this.#input.on('end', () => this.finish());
    this.#input.on('close', () => this.finish());
    if (this.#input.readableEnded || this.#input.destroyed) setImmediate(() => this.finish());
  }

  async send(message: JSONRPCMessage): Promise<void> {
    if (this.#isClosed) throw new Error('The connection is closed.');
    const written = this.#write(message);
    if (!('method' in message) && message.id !== undefined) this.#settle(message.id);
    await written;
  }

  /** Takes nothing more in, lets what runs finish for the grace time, then closes. */
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
    if (this.#output.writable) this.#output.write('', () => this.#resolveClosed());
    else this.#resolveClosed();
  }

  readonly #onData = (chunk: Buffer): void => {
    for (const line of this.#lines.split(chunk)) this.#receive(line);
  };

  readonly #onOutputError = (error: Error): void => {
    this.onerror?.(error);
    void this.close();
  };

  #receive(line: Line): void {
    if (line.kind === 'too-long') {
      this.#refuse(idAtEitherEnd(line.head, line.tail), INVALID_REQUEST, 'Message exceeds 16 MB');
      return;
    }
    if (line.text.trim() === '') return;
    let parsed: unknown;
    try {
      parsed = JSON.parse(line.text);
    } catch {
      this.#refuse(null, PARSE_ERROR, 'Parse error: a line must be one JSON-RPC message');
      return;
    }
    try {
      this.#deliver(parseJSONRPCMessage(parsed));
    } catch {
      this.#refuse(idOf(parsed), INVALID_REQUEST, 'Invalid Request: not a JSON-RPC 2.0 message');
    }
  }

  #deliver(message: JSONRPCMessage): void {
    // A subscription stays open as long as the connection; waiting for it would be waiting for nothing.
    if (isJSONRPCRequest(message) && message.method !== 'subscriptions/listen')
      this.#unanswered.add(message.id);
    if (isJSONRPCNotification(message) && message.method === 'notifications/cancelled') {
      const cancelled = message.params?.['requestId'];
      if (typeof cancelled === 'string' || typeof cancelled === 'number') this.#settle(cancelled);
    }
    this.onmessage?.(message);
  }

  #settle(id: RequestId): void {
    this.#unanswered.delete(id);
    this.#closeWhenIdle();
  }

  #closeWhenIdle(): void {
    if (this.#ending !== undefined && this.#unanswered.size === 0) void this.close();
  }

  #refuse(id: RequestId | null, code: number, message: string): void {
    this.#output.write(`${JSON.stringify({ jsonrpc: '2.0', id, error: { code, message } })}\n`);
  }

  #write(message: JSONRPCMessage): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#output.write(serializeMessage(message), (error) => (error ? reject(error) : resolve()));
    });
  }
}

function idOf(parsed: unknown): RequestId | null {
  if (typeof parsed !== 'object' || parsed === null || !('id' in parsed)) return null;
  return typeof parsed.id === 'string' || typeof parsed.id === 'number' ? parsed.id : null;
}

const ID = String.raw`"id"\s*:\s*(\d+|"(?:[^"\\]|\\.){0,200}")`;
const ID_FIRST = new RegExp(String.raw`^\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?${ID}\s*,`);
const ID_LAST = new RegExp(String.raw`,\s*${ID}\s*\}\s*$`);

/** The id of a message too long to parse. Only the outermost members can match, never what a client quotes. */
function idAtEitherEnd(head: string, tail: string): RequestId | null {
  const found = ID_FIRST.exec(head)?.[1] ?? ID_LAST.exec(tail)?.[1];
  return found === undefined ? null : idOf({ id: JSON.parse(found) });
}
