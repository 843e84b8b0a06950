import { MAX_SHOWN_CODE_POINTS } from '../notification/safe-text.ts';
import { terminalLine } from '../notification/terminal-line.ts';
import { defineSink } from './define-sink.ts';
import { type Sink, type TerminalStream, Undeliverable } from './sink.ts';

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
    isLog: true,
    examine: (_, { stderr }) => ({
      fact: stderr.isTTY === true ? 'a terminal' : 'not a terminal (a host may hide it)',
    }),
  },
  describe: () => "the server's standard error",
  open: (_, host) => streamSink(host.stderr),
});

/** Bytes that may wait in a stream without a reader. */
const MAX_UNREAD_BYTES = 64 * 1024;

/** One line per notification on a stream, with colors if it is a terminal. */
function streamSink(stream: TerminalStream): Sink {
  const isTerminal = stream.isTTY === true;
  return {
    batchSize: 100,
    timeoutMs: 2000,
    maxCodePoints: MAX_SHOWN_CODE_POINTS,
    unavailable: () => (stream.writable ? undefined : 'the stream is closed'),
    // Hosts hide what they read from a pipe.
    unseen: () => (isTerminal ? undefined : 'not a terminal'),
    async deliver(batch, signal) {
      if (stream.writableLength > MAX_UNREAD_BYTES) throw new Error(NOT_READ);
      const style = { colorsOf: stream, clock: isTerminal ? 'local' : 'iso' } as const;
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      const lines = batch.map((each) => terminalLine(each, style)).join('');
      stream.write(lines, (error) => (error ? reject(error) : resolve()));
      // The stream still holds the lines: a retry would write them twice.
      signal.addEventListener('abort', () => reject(new Undeliverable(NOT_READ)), { once: true });
      await promise;
    },
  };
}

const NOT_READ = 'the stream has no reader';
