import { BoundedLines, GRACE_MS } from '@deskside/core/base';
import type { Socket } from 'node:net';
import type { Readable, Writable } from 'node:stream';
import { ClientConnection } from './connection.ts';
import { sentenceOf } from './protocol.ts';
import type { Reached } from './reach.ts';

/** From a signal to the end of this process. */
const SIGNAL_LIMIT_MS = 1900;
/** From the end of the client's input to the end of this process, for a desk that hangs. A busy one answers sooner. */
const END_LIMIT_MS = 5000;

export interface Forwarding {
  readonly host: NodeJS.Process;
  /** To the client. */
  readonly output: Writable;
  /** The desk's welcome has been read. */
  readonly socket: Socket;
  readonly reachAgain: () => Promise<Reached>;
  readonly note: (text: string) => void;
}

/** Moves messages between the client and its desk, and to the next desk, until the client ends. */
export function forward({ host, output, socket: first, reachAgain, note }: Forwarding): Promise<void> {
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  let desk: Socket | undefined;
  let hasEnded = false;
  const connection = new ClientConnection({
    toClient: (line) => write(output, line, desk),
    toDesk(line) {
      if (desk !== undefined) write(desk, line, host.stdin);
    },
    connect: () => void connect(),
    disconnect: leave,
  });
  // A named pipe of Windows cannot be half open: the answers would be lost with it.
  const canEndEarly = host.platform !== 'win32';

  /** @param change after which the client may wait for nothing more */
  function apply(change: () => void): void {
    change();
    if (hasEnded) finish();
  }

  function leave(): void {
    const left = desk;
    desk = undefined;
    left?.destroy();
    // A pending 'drain' will not come.
    if (!hasEnded) host.stdin.resume();
  }

  function attach(next: Socket): void {
    desk = next;
    readLines(next, (line) => {
      if (desk === next) apply(() => connection.fromDesk(line));
    });
    next.on('close', () => {
      if (desk !== next) return;
      leave();
      apply(() => connection.lost());
    });
    next.resume();
    apply(() => connection.attached());
  }

  async function connect(): Promise<void> {
    const reached = await reachAgain();
    if ('socket' in reached) attach(reached.socket);
    else {
      note(sentenceOf(reached.reason));
      apply(() => connection.failed());
    }
  }

  /** The client sends nothing more. The desk answers what is open and closes the connection. */
  function finish(): void {
    if (!hasEnded) {
      setTimeout(end, END_LIMIT_MS).unref();
      if (!canEndEarly) setTimeout(() => desk?.end(), GRACE_MS).unref();
    }
    hasEnded = true;
    if (connection.phase === 'detached') end();
    if (connection.phase === 'attached' && (canEndEarly || connection.isIdle)) desk?.end();
  }

  readLines(host.stdin, (line) => {
    if (line.trim() !== '') apply(() => connection.fromClient(line));
  });
  host.stdin.on('end', finish).on('error', finish);
  // The client is gone, and with it everything that it could want.
  output.on('error', end);
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    host.once(signal, () => {
      setTimeout(end, SIGNAL_LIMIT_MS).unref();
      host.stdin.pause();
      finish();
    });
  }
  attach(first);
  return ended;
}

/** Waits with reading from `source` while the other side is slow. */
function write(target: Writable, line: string, source: Readable | undefined): void {
  if (target.write(`${line}\n`) || source === undefined || source.isPaused()) return;
  source.pause();
  target.once('drain', () => source.resume());
}

/** The client or the desk limits its messages. */
function readLines(input: Readable, receive: (line: string) => void): void {
  const lines = new BoundedLines(Infinity);
  input.on('data', (chunk: Buffer) => {
    for (const line of lines.split(chunk)) if (line.kind === 'line') receive(line.text);
  });
}
