import { BoundedLines, GRACE_MS } from '@deskside/core/base';
import type { ChildProcess } from 'node:child_process';
import type { Socket } from 'node:net';
import type { Readable, Writable } from 'node:stream';
import { ClientConnection } from './connection.ts';
import { sentenceOf } from './protocol.ts';
import type { Reached } from './reach.ts';

/** A connection that ended sooner is not replaced before the client needs one: the desk may crash at every start. */
const BRIEF_SECONDS = 1;
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
  /** Starts a process that serves the client alone, for when no desk can be reached any more. */
  readonly startAlone: () => Promise<ChildProcess | undefined>;
}

/** What serves the client: a desk, or a process for this client alone. */
interface Link {
  readonly input: Readable;
  readonly output: Writable;
  destroy(): void;
}

/** Moves messages between the client and its desk, and to the next desk, until the client ends. */
export function forward({ host, output, socket, reachAgain, note, startAlone }: Forwarding): Promise<void> {
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  let link: Link | undefined;
  let hasEnded = false;
  const connection = new ClientConnection({
    toClient: (line) => write(output, line, link?.input),
    toDesk(line) {
      if (link !== undefined) write(link.output, line, host.stdin);
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
    const left = link;
    link = undefined;
    left?.destroy();
    // A pending 'drain' will not come.
    if (!hasEnded) host.stdin.resume();
  }

  function attach(next: Link): void {
    link = next;
    // `performance` would load modules of Node.js that each client keeps in memory.
    const attachedAt = host.uptime();
    readLines(next.input, (line) => {
      if (link === next) apply(() => connection.fromDesk(line));
    });
    next.input.on('close', () => {
      if (link !== next) return;
      leave();
      apply(() => connection.lost(!hasEnded && host.uptime() - attachedAt > BRIEF_SECONDS));
    });
    next.input.resume();
    apply(() => connection.attached());
  }

  async function connect(): Promise<void> {
    const reached = await reachAgain();
    if ('socket' in reached) {
      attach(linkTo(reached.socket));
      return;
    }
    note(`continues standalone: ${sentenceOf(reached.reason)}`);
    const child = await startAlone();
    const alone = child && linkToProcess(child);
    if (alone === undefined) apply(() => connection.failed());
    else attach(alone);
  }

  /** The client sends nothing more. The desk answers what is open and closes the connection. */
  function finish(): void {
    if (!hasEnded) {
      setTimeout(end, END_LIMIT_MS).unref();
      if (!canEndEarly) setTimeout(() => link?.output.end(), GRACE_MS).unref();
    }
    hasEnded = true;
    if (connection.phase === 'detached') end();
    if (connection.phase === 'attached' && (canEndEarly || connection.isIdle)) link?.output.end();
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
  attach(linkTo(socket));
  return ended;
}

function linkTo(socket: Socket): Link {
  return { input: socket, output: socket, destroy: () => void socket.destroy() };
}

function linkToProcess(child: ChildProcess): Link | undefined {
  const { stdin, stdout } = child;
  if (stdin === null || stdout === null) return undefined;
  stdin.on('error', () => undefined);
  return { input: stdout, output: stdin, destroy: () => void child.kill() };
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
