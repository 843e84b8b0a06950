import { terminalLine } from '../message/terminal-line.ts';
import type { Notification } from '../message/notification.ts';
import type { TerminalStream } from '../platform/this-process.ts';
import { type Sink, Undeliverable } from './sink.ts';

/** Bytes that may wait in a stream that nobody reads. */
const MOST_UNREAD = 64 * 1024;

/** A line for people on a stream: coloured where that is a terminal. */
export class StreamSink implements Sink {
  readonly batch = 100;
  readonly timeLimit = 2000;
  readonly #stream: TerminalStream;
  readonly #colour: boolean;

  constructor(stream: TerminalStream, colour: boolean) {
    this.#stream = stream;
    this.#colour = colour;
  }

  unavailable(): string | undefined {
    return this.#stream.writable ? undefined : 'the stream is closed';
  }

  async deliver(batch: readonly Notification[], signal: AbortSignal): Promise<void> {
    if (this.#stream.writableLength > MOST_UNREAD) throw new Error('nobody reads the stream');
    const clock = this.#stream.isTTY === true ? 'time' : 'date';
    const lines = batch.map((each) => terminalLine(each, { colour: this.#colour, clock })).join('');
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#stream.write(lines, (error) => (error ? reject(error) : resolve()));
    // What was handed over will be written when somebody reads: a second try would say it twice.
    signal.addEventListener('abort', () => reject(new Undeliverable('nobody reads the stream')), {
      once: true,
    });
    await promise;
  }
}
