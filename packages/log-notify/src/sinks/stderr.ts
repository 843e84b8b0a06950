import type { Notification } from '../notification/notification.ts';
import { MAX_SHOWN_CODE_POINTS } from '../notification/safe-text.ts';
import { terminalLine } from '../notification/terminal-line.ts';
import { defineSink } from './define-sink.ts';
import { type Sink, type TerminalStream, Undeliverable, type Unseen } from './sink.ts';

export const stderr = defineSink({
  kind: 'stderr',
  schema: () => ({}),
  secrets: [],
  variables: {},
  example: `
The server's standard error
[stderr]
level = "info"
`,
  local: {
    policy: { rate: { burst: 20, perMinute: 120 }, foldMs: 60_000 },
    hasQuietHours: false,
    examine: (_, { stderr }) => ({
      fact: stderr.isTTY === true ? 'a terminal' : 'not a terminal (a host may hide it)',
    }),
  },
  describe: () => "the server's standard error",
  open: (_, host) => new StreamSink(host.stderr),
});

/** Bytes that may wait in a stream without a reader. */
const MAX_UNREAD_BYTES = 64 * 1024;

/** One line per notification on a stream, with colors if it is a terminal. */
class StreamSink implements Sink {
  readonly batchSize = 100;
  readonly timeoutMs = 2000;
  readonly maxCodePoints = MAX_SHOWN_CODE_POINTS;
  readonly #stream: TerminalStream;

  constructor(stream: TerminalStream) {
    this.#stream = stream;
  }

  unavailable(): string | undefined {
    return this.#stream.writable ? undefined : 'the stream is closed';
  }

  /** Hosts hide what they read from a pipe. */
  unseen(): Unseen | undefined {
    return this.#stream.isTTY === true ? undefined : 'not a terminal';
  }

  async deliver(batch: readonly Notification[], signal: AbortSignal): Promise<void> {
    if (this.#stream.writableLength > MAX_UNREAD_BYTES) throw new Error(NOT_READ);
    const clock = this.#stream.isTTY === true ? 'local' : 'iso';
    const lines = batch.map((each) => terminalLine(each, { colorsOf: this.#stream, clock })).join('');
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#stream.write(lines, (error) => (error ? reject(error) : resolve()));
    // The stream still holds the lines: a retry would write them twice.
    signal.addEventListener('abort', () => reject(new Undeliverable(NOT_READ)), { once: true });
    await promise;
  }
}

const NOT_READ = 'the stream has no reader';
