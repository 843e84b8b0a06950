import { existsSync } from 'node:fs';
import { platform } from 'node:os';
import type { Readable } from 'node:stream';
import { BoundedLines, idAtEitherEnd, type Line, type Scheduler, systemClock } from '@deskside/core/base';
import { errnoOf } from '@deskside/core/errors';
import { firstCodePoints } from '@deskside/core/text';
import { type JSONRPCMessage, SdkError, SdkErrorCode, serializeMessage } from '@modelcontextprotocol/client';
import type { OrphanGuard } from './orphan-guard.ts';
import { messageTooLong, StartFailure } from './problems.ts';
import { type Child, startGroup } from './process-group.ts';
import { ServerTransport } from './server-transport.ts';
import { Turns } from './events.ts';

/** How long a server has after the end of its input, and again after SIGTERM; and until an answer behind text is read. */
const END_MS = 700;
/** The same after SIGTERM, for one that does not answer: calls had their time, and the desk ends within 2 s. */
const STUCK_END_MS = 250;
const MAX_STDERR_LINE_BYTES = 4096;
const MAX_PATH_CODE_POINTS = 400;
/**
 * Of what a server does not read of its input. One that asks without reading the answers would fill the
 * memory; to pause its output instead could block both sides.
 */
const MAX_UNREAD_MESSAGES = 10_000;
const MAX_UNREAD_BYTES = 64 * 1024 * 1024;

export interface ChildOptions {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd?: string | undefined;
  /** Of one message. A longer answer becomes an error. */
  readonly maxMessageBytes: number;
  readonly guard: OrphanGuard;
  readonly onStderr: (line: string) => void;
  /** Default: a process in its own group. */
  readonly startChild?: typeof startGroup;
  readonly clock?: Pick<Scheduler, 'after'>;
}

/**
 * Starts a server in its own process group and speaks with it in lines. It differs from the SDK's transport: the group
 * ends with the desk, and a message that is too long ends only the call that it answers.
 */
export class ChildTransport extends ServerTransport {
  readonly #options: ChildOptions;
  readonly #lines: BoundedLines;
  readonly #turns = new Turns();
  readonly #clock: Pick<Scheduler, 'after'>;
  #child: Child | undefined;
  #ended: Promise<void> | undefined;
  #unreadMessages = 0;
  #isClosing = false;

  constructor(options: ChildOptions) {
    super();
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#lines = new BoundedLines(options.maxMessageBytes);
  }

  async start(): Promise<void> {
    const { command, args, env, cwd, guard, startChild = startGroup } = this.#options;
    const child = startChild(command, args, { env, cwd });
    const { promise: started, resolve, reject } = Promise.withResolvers<void>();
    const { promise: ended, resolve: end } = Promise.withResolvers<void>();
    child.once('spawn', resolve).once('error', (error) => reject(notFound(error, this.#options)));
    child.once('exit', (code, signal) => {
      if (!this.#isClosing) this.exit ??= signal ?? `exit code ${code}`;
      this.#sweep(child);
    });
    child.once('close', () => {
      end();
      this.#child = undefined;
      this.ended();
    });
    child.stdin?.on('error', (error) => this.report(error)).on('drain', () => (this.#unreadMessages = 0));
    const { stdout } = child;
    stdout?.on('error', (error) => this.report(error)).once('end', () => this.#outputEnded());
    stdout?.on('data', (chunk: Buffer) => void this.#receiveAll(this.#lines.split(chunk), stdout));
    this.#readStderr(child);
    await started;
    this.#child = child;
    this.#ended = ended;
    if (child.pid !== undefined && platform() !== 'win32') guard.add(child.pid);
  }

  protected async write(message: JSONRPCMessage): Promise<void> {
    const stdin = this.#child?.stdin;
    if (stdin === undefined || stdin === null || !stdin.writable) {
      throw new SdkError(SdkErrorCode.NotConnected, 'The server has ended.');
    }
    if (stdin.write(serializeMessage(message))) return;
    this.#unreadMessages += 1;
    if (this.#unreadMessages <= MAX_UNREAD_MESSAGES && stdin.writableLength <= MAX_UNREAD_BYTES) return;
    this.#endFor('it did not read its input');
  }

  /** Ends the input, and waits if the server has answered everything; then ends the whole group. */
  async close(): Promise<void> {
    this.#isClosing = true;
    const child = this.#child;
    if (child === undefined || this.#ended === undefined) return;
    child.stdin?.end();
    const isStuck = this.hasUnanswered;
    if (!isStuck) await this.#within(END_MS, this.#ended);
    child.signal('SIGTERM');
    await this.#within(isStuck ? STUCK_END_MS : END_MS, this.#ended);
    child.signal('SIGKILL');
    destroyStreams(child);
    await this.#within(END_MS, this.#ended);
  }

  async #receiveAll(lines: Iterable<Line>, stdout: Readable): Promise<void> {
    for (const line of lines) {
      this.#receive(line);
      const turn = this.#turns.next();
      if (turn === undefined) continue;
      stdout.pause();
      await turn;
    }
    stdout.resume();
  }

  #receive(line: Line): void {
    if (line.kind === 'too-long') {
      const id = idAtEitherEnd(line.head, line.tail);
      if (id === null) this.report('A message without id is too long.');
      else this.receive({ jsonrpc: '2.0', id, error: messageTooLong(this.#options.maxMessageBytes) });
      return;
    }
    // Without a byte order mark, too.
    const text = line.text.trim();
    if (text === '') return;
    try {
      this.receive(this.parsed(text));
    } catch {
      // Many programs print a line of text before they speak the protocol.
      this.report(`not a message: ${line.text}`);
      // The answer to a call may follow it. One that is only logged comes by itself, too.
      const answer = this.answerIn(text);
      if (answer !== undefined) this.#clock.after(END_MS, () => this.receive(answer), { isBackground: true });
    }
  }

  /** A program that ends closes its output, too. One that lives on can answer no call. */
  #outputEnded(): void {
    const check = () => {
      if (this.exit === undefined && !this.#isClosing) this.#endFor('it closed its output');
    };
    this.#clock.after(END_MS, check, { isBackground: true });
  }

  #endFor(reason: string): void {
    this.exit = reason;
    this.#child?.signal('SIGKILL');
  }

  #readStderr({ stderr }: Child): void {
    const lines = new BoundedLines(MAX_STDERR_LINE_BYTES);
    // Its end is the end of the program, which is reported.
    stderr?.on('error', () => undefined);
    stderr?.on('data', (chunk: Buffer) => {
      for (const line of lines.split(chunk)) {
        this.#options.onStderr(line.kind === 'line' ? line.text : `${line.head}…`);
      }
    });
  }

  /** What the server leaves in its group ends with it. */
  #sweep(child: Child): void {
    child.signal('SIGTERM');
    // If this process ends before, the guard does it.
    const kill = () => {
      child.signal('SIGKILL');
      destroyStreams(child);
      if (child.pid !== undefined) this.#options.guard.delete(child.pid);
    };
    this.#clock.after(END_MS, kill, { isBackground: true });
  }

  async #within(ms: number, ended: Promise<void>): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const stop = this.#clock.after(ms, resolve);
    await Promise.race([ended, promise]);
    stop();
  }
}

/** The system has one error for a program and for a folder that do not exist. */
function notFound(error: Error, { command, env, cwd }: ChildOptions): Error {
  if (errnoOf(error) !== 'ENOENT') return error;
  const options = { cause: error };
  if (cwd !== undefined && !existsSync(cwd))
    return new StartFailure(`Its folder ${cwd} does not exist. Correct its cwd.`, options);
  if (/[/\\]/.test(command))
    return new StartFailure(`${command} does not exist. Correct its command.`, options);
  const path = firstCodePoints(env['PATH'] ?? '', MAX_PATH_CODE_POINTS);
  return new StartFailure(
    `${command} is in no folder of PATH (${path}). Install it, or run "deskside apply" in a terminal that finds it.`,
    options,
  );
}

/** A process that left the group may hold the other ends. */
function destroyStreams({ stdin, stdout, stderr }: Child): void {
  for (const stream of [stdin, stdout, stderr]) stream?.destroy();
}
