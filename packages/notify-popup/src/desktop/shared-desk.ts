import { randomUUID } from 'node:crypto';
import type { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { parseObject } from '@deskside/core/base';
import {
  exchangeLines,
  greet,
  type Greeting,
  hold as holdPlace,
  type HolderPlace,
  type HolderRecord,
  type Holding,
  latestRecord,
} from '@deskside/desktop';
import { type Desk, type DeskItem, inOrder, type Line, readLine } from './desk.ts';

/** The holder tells the others this often that it works. */
const HEARTBEAT_MS = 2500;
/** A holder that is silent for this time is stopped, for example by Ctrl+Z. It loses the desk. */
const SILENCE_MS = 10_000;
/** A process takes the desk if each one before it in the queue has not taken it for this time. */
const TURN_MS = 1000;
const LOOK_INTERVAL_MS = 50;
/** A new holder expects the others of the queue for this time. Only one that is stopped takes so long. */
const GATHER_MS = 2000;

/** Another process that waits at this one. */
interface Peer {
  readonly socket: Socket;
  readonly send: (line: Line) => void;
  items: readonly DeskItem[];
}

/** What a process that has the desk knows. */
interface Hold {
  readonly peers: Set<Peer>;
  /** What waits in processes that have not connected yet. The desk is not passed before that. */
  expected: readonly DeskItem[];
  readonly ended: PromiseWithResolvers<void>;
  /** Undefined until other processes can find this one. */
  holding: Holding | undefined;
}

/**
 * The desk of all processes of one user. The others are connected to the process that has it, and say what
 * waits with them. So each knows the whole queue and who is next, and notices at once when the holder ends,
 * even after kill -9.
 */
export class SharedDesk implements Desk {
  #process: string | undefined;
  onChange: () => void = () => {};
  readonly #place: () => Promise<HolderPlace>;
  #own: readonly DeskItem[] = [];
  /** What waits in other processes, as the holder says. */
  #others: readonly DeskItem[] = [];
  #hold: Hold | undefined;
  #isWaiting = false;
  /** Reports a change of what waits here. */
  #announce: () => void = () => {};
  #running: Promise<void> | undefined;
  #isDisposed = false;
  /** The other processes cannot be reached. */
  #isAlone = false;

  /** @param place the same for all processes of the user */
  constructor(place: () => Promise<HolderPlace>) {
    this.#place = place;
  }

  /** Not at the start, because the first random id of a program takes milliseconds. */
  get process(): string {
    return (this.#process ??= randomUUID());
  }

  get isOurs(): boolean {
    return this.#isAlone || this.#hold !== undefined;
  }

  get isWaiting(): boolean {
    return this.#isWaiting;
  }

  get items(): readonly DeskItem[] {
    // What was known of the others is old, and does not change again.
    if (this.#isAlone) return inOrder(this.#own);
    if (this.#hold === undefined) return inOrder([...this.#own, ...this.#others]);
    const { peers, expected } = this.#hold;
    return inOrder([...this.#own, ...[...peers].flatMap(({ items }) => items), ...expected]);
  }

  offer(items: readonly DeskItem[]): void {
    if (JSON.stringify(items) === JSON.stringify(this.#own)) return;
    this.#own = items;
    this.#announce();
    if (items.length > 0 && !this.#isDisposed && !this.#isAlone) this.#running ??= this.#run();
  }

  pass(): void {
    // Its popups are over: the next one tries the order again.
    if (this.#own.length === 0) this.#isAlone = false;
    const hold = this.#hold;
    if (hold === undefined || hold.expected.length > 0) return;
    const [next] = this.items;
    if (next === undefined || next.process !== this.process) this.#end(hold);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isDisposed = true;
    this.#own = [];
    this.#announce();
    if (this.#hold !== undefined) this.#end(this.#hold);
    await this.#running;
  }

  /** Runs while something waits here or the desk is ours. */
  async #run(): Promise<void> {
    try {
      const place = await this.#place();
      while (this.#isWanted()) {
        const { number, record } = latestRecord(place);
        // A busy holder may close a connection. One that has ended takes none.
        const greeting = record && ((await this.#greet(record)) ?? (await this.#greet(record)));
        if (greeting !== undefined) await this.#waitAt(greeting);
        const hold = (await this.#isTurn(place, number)) ? await this.#acquire(place, number) : undefined;
        if (hold !== undefined) await this.#keep(hold);
      }
    } catch {
      // No folder, or a full disk. The popup matters more than the order of popups.
      this.#isAlone = true;
    }
    this.#running = undefined;
    if (this.#isAlone) this.onChange();
  }

  #isWanted(): boolean {
    return this.#own.length > 0 && !this.#isDisposed;
  }

  /** @returns undefined if no holder listens, or if it is stopped */
  async #greet(record: HolderRecord): Promise<Greeting<Line> | undefined> {
    const stop = new AbortController();
    const silence = setTimeout(() => stop.abort(), SILENCE_MS);
    this.#announce = () => {
      if (this.#own.length === 0) stop.abort();
    };
    try {
      return await greet(record, this.#introduction(), readHolderLine, stop.signal);
    } catch {
      return undefined;
    } finally {
      clearTimeout(silence);
      this.#announce = () => {};
    }
  }

  #introduction(): Line {
    return { process: this.process, items: this.#own };
  }

  /** Resolves when the holder is gone, or is stopped. */
  async #waitAt({ answer, socket }: Greeting<Line>): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    let silence: NodeJS.Timeout | undefined;
    let holder = '';
    const receive = (line: Line) => {
      clearTimeout(silence);
      silence = setTimeout(resolve, SILENCE_MS);
      if (!('all' in line)) return;
      ({ holder } = line);
      this.#others = line.all.filter(({ process }) => process !== this.process);
      this.onChange();
    };
    const send: (line: Line) => void = exchangeLines(socket, (message) => {
      const line = readLine(message);
      if (line !== undefined) receive(line);
    });
    this.#announce = () => {
      if (this.#own.length === 0) socket.destroy();
      else send(this.#introduction());
    };
    this.#isWaiting = true;
    socket.once('close', () => resolve());
    if (socket.closed) resolve();
    receive(answer);
    this.#announce();
    await promise;
    clearTimeout(silence);
    this.#announce = () => {};
    this.#isWaiting = false;
    socket.end();
    // Of a holder that is dead. One that lives connects to the next holder, and has nothing that is next.
    this.#others = this.#others.filter(({ process }) => process !== holder);
  }

  /**
   * Waits until all processes that are before this one in the queue had the time to take the desk.
   *
   * @returns false if one of them did
   */
  async #isTurn(place: HolderPlace, number: number): Promise<boolean> {
    const queue = [...new Set(this.items.map(({ process }) => process))];
    const until = performance.now() + TURN_MS * queue.indexOf(this.process);
    while (this.#isWanted() && latestRecord(place).number === number) {
      if (performance.now() >= until) return true;
      await delay(LOOK_INTERVAL_MS);
    }
    return false;
  }

  /**
   * Takes the desk after its previous holder.
   *
   * @returns undefined if another process was faster
   */
  async #acquire(place: HolderPlace, previous: number): Promise<Hold | undefined> {
    const hold: Hold = {
      expected: this.#others,
      ended: Promise.withResolvers(),
      peers: new Set(),
      holding: undefined,
    };
    hold.holding = await holdPlace(place, previous + 1, {
      accept: (introduction, socket) => this.#welcome(hold, introduction, socket),
    });
    if (hold.holding !== undefined) return hold;
    for (const { socket } of hold.peers) socket.destroy();
    return undefined;
  }

  /** Has the desk, until it is passed on or no one wants it. */
  async #keep(hold: Hold): Promise<void> {
    this.#hold = hold;
    if (this.#isDisposed) return this.#end(hold);
    this.#announce = () => this.#report(hold);
    const gathered = setTimeout(() => {
      hold.expected = [];
      this.#changed(hold);
    }, GATHER_MS);
    const heartbeat = setInterval(() => {
      this.#report(hold);
      // Another process took the desk while this one was stopped.
      if (hold.holding?.isLatest() === false) this.#end(hold);
    }, HEARTBEAT_MS);
    heartbeat.unref();
    this.#changed(hold);
    await hold.ended.promise;
    clearTimeout(gathered);
    clearInterval(heartbeat);
  }

  #welcome(hold: Hold, introduction: object, socket: Socket): void {
    const peer: Peer = {
      socket,
      items: [],
      send: exchangeLines(socket, (message) => this.#receive(hold, peer, readLine(message))),
    };
    hold.peers.add(peer);
    socket.on('close', () => {
      hold.peers.delete(peer);
      this.#changed(hold);
    });
    this.#receive(hold, peer, readLine(introduction));
  }

  #receive(hold: Hold, peer: Peer, line: Line | undefined): void {
    if (line === undefined || !('items' in line)) return;
    peer.items = line.items;
    hold.expected = hold.expected.filter(({ process }) => process !== line.process);
    this.#changed(hold);
  }

  #changed(hold: Hold): void {
    if (this.#hold !== hold) return;
    this.#report(hold);
    this.onChange();
  }

  #report(hold: Hold): void {
    const line = { holder: this.process, all: this.items };
    for (const { send } of hold.peers) send(line);
  }

  #end(hold: Hold): void {
    if (this.#hold !== hold) return;
    this.#others = this.items.filter(({ process }) => process !== this.process);
    this.#hold = undefined;
    this.#announce = () => {};
    hold.holding?.stop();
    for (const { socket } of hold.peers) socket.destroySoon();
    hold.ended.resolve();
    this.onChange();
  }
}

function readHolderLine(text: string): Line | undefined {
  const message = parseObject(text);
  return message && readLine(message);
}
