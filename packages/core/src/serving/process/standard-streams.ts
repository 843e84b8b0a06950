import { Socket } from 'node:net';
import type { Readable, Writable } from 'node:stream';

type StandardStream = NodeJS.WriteStream;

/** A client that reads slowly gets all, and one that reads nothing for so long no more. */
const UNREAD_LIMIT_MS = 2000;
/** Streams that already ignore broken pipes. */
const guarded = new WeakSet<StandardStream>();
/**
 * Where the process keeps its claimed stdout. All copies of this module share it, for example those of two bundles: a second
 * claim would take the diversion to stderr for stdout.
 */
const CLAIMED = Symbol.for('deskside.stdout');
type ClaimedProcess = Pick<NodeJS.Process, 'stdout'> & { [CLAIMED]?: StandardStream };

/** stderr, for the log. A broken pipe is ignored: the process continues without a reader of its log. */
export function standardError(): StandardStream {
  const { stderr } = process;
  // The listener is added on first use, because opening stderr costs milliseconds of every start.
  if (!guarded.has(stderr)) stderr.on('error', () => undefined);
  guarded.add(stderr);
  return stderr;
}

/**
 * Writes to stderr. What one turn of the event loop writes goes out together, because each write is a call of
 * the system that waits.
 */
export function writeStandardError(text: string): void {
  const stream = standardError();
  if (stream.writableCorked === 0) {
    const release = () => {
      process.off('exit', release);
      stream.uncork();
    };
    stream.cork();
    process.once('exit', release);
    setImmediate(release);
  }
  stream.write(text);
}

/** stdout, for JSON-RPC and for what a person asked for. The caller handles its errors. */
export function standardOutput(owner: ClaimedProcess = process): StandardStream {
  return owner[CLAIMED] ?? owner.stdout;
}

/**
 * Reserves stdout for `standardOutput`. From now on, what any other code writes to `process.stdout` or prints on a
 * console goes to stderr. May be called more than once.
 */
export function claimStandardOutput(owner: ClaimedProcess = process): void {
  owner[CLAIMED] ??= claim(owner.stdout);
}

/** Reserves stdout, and returns the streams for JSON-RPC. */
export function claimStandardStreams(): { readonly input: Readable; readonly output: Writable } {
  claimStandardOutput();
  return { input: process.stdin, output: standardOutput() };
}

/** Resolves when all is written, or when its reader reads nothing more. */
export async function flushed(output: Writable): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  if (output instanceof Socket) output.setTimeout(UNREAD_LIMIT_MS, resolve);
  if (output.writable) output.write('', () => resolve());
  else resolve();
  return promise;
}

function claim(stdout: StandardStream): StandardStream {
  const originals = new Map<unknown, unknown>([
    ['write', stdout.write.bind(stdout)],
    ['end', stdout.end.bind(stdout)],
  ]);
  stdout.write = new Proxy(stdout.write, {
    apply(_write, _stdout, args: readonly unknown[]) {
      writeToStderr(args);
      // False would make the writer wait for a `drain` event of stdout, which never comes.
      return true;
    },
  });
  stdout.end = new Proxy(stdout.end, {
    apply(_end, _stdout, args: readonly unknown[]) {
      if (args.length > 0 && typeof args[0] !== 'function') writeToStderr(args);
      return stdout;
    },
  });
  return new Proxy(stdout, {
    get(_stdout, member) {
      const value: unknown = originals.get(member) ?? Reflect.get(stdout, member);
      return typeof value === 'function' && !originals.has(member) ? value.bind(stdout) : value;
    },
  });
}

function writeToStderr(args: readonly unknown[]): void {
  Reflect.apply(process.stderr.write, standardError(), args);
}
