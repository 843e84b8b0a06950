import { randomUUID } from 'node:crypto';
import type { Socket } from 'node:net';
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
/** A process that does not take the desk within this time is left out. */
const TAKE_MS = 2000;
/** A new holder waits this long for the other processes in the queue. */
const GATHER_MS = 500;

/** Another process that waits at this one. */
interface Peer {
  readonly socket: Socket;
  readonly send: (line: Line) => void;
  items: readonly DeskItem[];
  /** It did not take the desk in time. */
  isStuck: boolean;
}

/** What a process that has the desk knows. */
interface Hold {
  readonly peers: Set<Peer>;
  /** Processes that are expected to connect. While there are some, the desk goes to no other process. */
  readonly missing: Set<string>;
  /** The previous holder chose this process. */
  readonly wasGiven: boolean;
  readonly ended: PromiseWithResolvers<void>;
  /** Undefined until other processes can find this one. */
  holding: Holding | undefined;
  passing: Peer | undefined;
}

/**
 * The desk of all processes of one user. The others are connected to the process that has it, and say what waits with
 * them. So the holder knows the whole queue and gives the desk to the right process, and each process notices at once
 * when the holder ends, even after kill -9.
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
    if (this.#isAlone) return true;
    const hold = this.#hold;
    if (hold === undefined || hold.passing !== undefined) return false;
    return hold.wasGiven || hold.missing.size === 0;
  }

  get isWaiting(): boolean {
    return this.#isWaiting;
  }

  get items(): readonly DeskItem[] {
    // What was known of the others is old, and does not change again.
    if (this.#isAlone) return inOrder(this.#own);
    if (this.#hold === undefined) return inOrder([...this.#own, ...this.#others]);
    const peers = [...this.#hold.peers].filter(({ isStuck }) => !isStuck);
    return inOrder([...this.#own, ...peers.flatMap(({ items }) => items)]);
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
    if (hold?.holding === undefined || !this.isOurs || hold.missing.size > 0) return;
    const [next] = this.items;
    if (next === undefined) return this.#end(hold);
    const peer = [...hold.peers].find(({ items }) => items.includes(next));
    if (peer === undefined) return;
    hold.passing = peer;
    peer.send({ take: hold.holding.number });
    setTimeout(() => void this.#withdraw(hold, peer), TAKE_MS).unref();
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
      while (this.#own.length > 0 && !this.#isDisposed) {
        const { number, record } = latestRecord(place);
        const greeting = record && (await this.#greet(record));
        let hold: Hold | undefined;
        if (greeting !== undefined) hold = await this.#waitAt(greeting, place, number);
        else if (this.#own.length > 0) hold = await this.#acquire(place, number);
        if (hold !== undefined) await this.#keep(hold);
      }
    } catch {
      // No folder, or a full disk. The popup matters more than the order of popups.
      this.#isAlone = true;
    }
    this.#running = undefined;
    if (this.#isAlone) this.onChange();
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

  /** @returns the desk if the holder gave it to this process, or is stopped; undefined if the holder is gone */
  async #waitAt(
    { answer, socket }: Greeting<Line>,
    place: HolderPlace,
    number: number,
  ): Promise<Hold | undefined> {
    const { promise, resolve } = Promise.withResolvers<Hold | undefined>();
    let isDecided = false;
    const decide = (next: () => Promise<Hold | undefined> | undefined) => {
      if (isDecided) return;
      isDecided = true;
      resolve(next());
    };
    let silence: NodeJS.Timeout | undefined;
    const holderWorks = () => {
      clearTimeout(silence);
      silence = setTimeout(() => decide(() => this.#acquire(place, number)), SILENCE_MS);
    };
    const receive = (line: Line) => {
      holderWorks();
      if ('all' in line) {
        this.#others = line.all.filter(({ process }) => process !== this.process);
        this.onChange();
      }
      // Without items the connection ends, and the holder chooses another process.
      if (!('take' in line) || this.#own.length === 0) return;
      decide(async () => {
        const hold = await this.#acquire(place, line.take, true);
        if (hold !== undefined) send({ taken: true });
        return hold;
      });
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
    socket.once('close', () => decide(() => undefined));
    if (socket.closed) decide(() => undefined);
    receive(answer);
    this.#announce();
    try {
      return await promise;
    } finally {
      clearTimeout(silence);
      this.#announce = () => {};
      this.#isWaiting = false;
      socket.end();
    }
  }

  /**
   * Takes the desk after its previous holder.
   *
   * @returns undefined if another process was faster
   */
  async #acquire(place: HolderPlace, previous: number, wasGiven = false): Promise<Hold | undefined> {
    const hold: Hold = {
      // The other processes in the queue, as far as this one knows, connect to the next holder.
      missing: new Set(this.#others.map(({ process }) => process)),
      wasGiven,
      ended: Promise.withResolvers(),
      peers: new Set(),
      holding: undefined,
      passing: undefined,
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
      hold.missing.clear();
      this.onChange();
    }, GATHER_MS);
    if (hold.missing.size === 0) clearTimeout(gathered);
    const heartbeat = setInterval(() => {
      this.#report(hold);
      // Another process took the desk while this one was stopped.
      if (hold.holding?.isLatest() === false) this.#end(hold);
    }, HEARTBEAT_MS);
    heartbeat.unref();
    this.#report(hold);
    this.onChange();
    await hold.ended.promise;
    clearTimeout(gathered);
    clearInterval(heartbeat);
  }

  #welcome(hold: Hold, introduction: object, socket: Socket): void {
    const peer: Peer = {
      socket,
      items: [],
      isStuck: false,
      send: exchangeLines(socket, (message) => this.#receive(hold, peer, readLine(message))),
    };
    hold.peers.add(peer);
    socket.on('close', () => {
      hold.peers.delete(peer);
      if (hold.passing === peer) hold.passing = undefined;
      this.#changed(hold);
    });
    this.#receive(hold, peer, readLine(introduction));
  }

  #receive(hold: Hold, peer: Peer, line: Line | undefined): void {
    if (line === undefined) return;
    if ('taken' in line && hold.passing === peer) return this.#end(hold);
    if ('items' in line) {
      peer.items = line.items;
      hold.missing.delete(line.process);
    }
    peer.isStuck = false;
    this.#changed(hold);
  }

  #changed(hold: Hold): void {
    if (this.#hold !== hold) return;
    this.#report(hold);
    this.onChange();
  }

  #report(hold: Hold): void {
    const all = this.items;
    for (const { send } of hold.peers) send({ all });
  }

  /** A process that does not take the desk is stopped. It cannot take it later: its number is used up. */
  async #withdraw(hold: Hold, peer: Peer): Promise<void> {
    if (this.#hold !== hold || hold.passing !== peer) return;
    // On a full disk this process ends its turn, and shows its popups without an order.
    const isNext = await hold.holding?.takeNextNumber().catch(() => false);
    if (isNext !== true) return this.#end(hold);
    peer.isStuck = true;
    hold.passing = undefined;
    this.#changed(hold);
  }

  #end(hold: Hold): void {
    if (this.#hold !== hold) return;
    this.#others = this.items.filter(({ process }) => process !== this.process);
    this.#hold = undefined;
    this.#announce = () => {};
    hold.holding?.stop();
    for (const { socket } of hold.peers) socket.destroy();
    hold.ended.resolve();
    this.onChange();
  }
}

function readHolderLine(text: string): Line | undefined {
  const message = parseObject(text);
  return message && readLine(message);
}
