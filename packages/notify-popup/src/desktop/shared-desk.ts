import { randomUUID } from 'node:crypto';
import type { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { parseObject } from '@deskside/core/base';
import {
  exchangeLines,
  greet,
  hold as holdPlace,
  type HolderPlace,
  type HolderRecord,
  latestRecord,
} from '@deskside/desktop';
import { type DeskItem, inOrder, type Line, readLine } from './desk.ts';

/** The holder tells the others this often that it works. */
const HEARTBEAT_MS = 2500;
/** A holder that is silent for this time is stopped, for example by Ctrl+Z. It loses the desk. */
const SILENCE_MS = 10_000;
/** The process that the holder named takes the desk within this time, or any other one does. */
const TURN_MS = 1000;
const LOOK_INTERVAL_MS = 50;

/** Another process that waits at this one. */
interface Peer {
  readonly socket: Socket;
  readonly send: (line: Line) => void;
  items: readonly DeskItem[];
}

/** What a process that has the desk knows. */
interface Hold {
  readonly peers: ReadonlySet<Peer>;
  /** Gives the desk up. */
  readonly end: () => void;
}

/**
 * The desk of all processes of one user: it belongs to the holder of a place. The others are connected to it and say what
 * waits with them, so it knows the whole queue and names the process that follows. They notice at once when it ends, even
 * after kill -9.
 */
export class SharedDesk implements AsyncDisposable {
  #process: string | undefined;
  /** Called after each change of `isOurs` and `items`. */
  onChange: () => void = () => {};
  readonly #place: () => Promise<HolderPlace>;
  /** True while another process has the desk. */
  isWaiting = false;
  #own: readonly DeskItem[] = [];
  #hold: Hold | undefined;
  /** The process that the last holder named. */
  #next = '';
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

  /** The name of this process in `DeskItem`, made late: the first random id takes milliseconds. */
  get process(): string {
    return (this.#process ??= randomUUID());
  }

  /** True while this process may show a popup. */
  get isOurs(): boolean {
    return this.#isAlone || this.#hold !== undefined;
  }

  /** What waits, in the order in which it is shown: in all processes if the desk is ours, else here. */
  get items(): readonly DeskItem[] {
    const peers = [...(this.#hold?.peers ?? [])];
    return inOrder([...this.#own, ...peers.flatMap(({ items }) => items)]);
  }

  /** Replaces what waits in this process. The first item makes this process wait for the desk. */
  offer(items: readonly DeskItem[]): void {
    if (JSON.stringify(items) === JSON.stringify(this.#own)) return;
    this.#own = items;
    this.#announce();
    if (items.length > 0 && !this.#isDisposed && !this.#isAlone) this.#running ??= this.#run();
  }

  /** Leaves the desk to the process of the first item, if that is another one, or to nobody. */
  pass(): void {
    // Its popups are over: the next one tries the order again.
    if (this.#own.length === 0) this.#isAlone = false;
    if (this.items[0]?.process !== this.process) this.#hold?.end();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isDisposed = true;
    this.#own = [];
    this.#announce();
    this.#hold?.end();
    await this.#running;
  }

  /** Runs while something waits here or the desk is ours. */
  async #run(): Promise<void> {
    try {
      const place = await this.#place();
      while (this.#isWanted()) {
        const { number, record } = latestRecord(place);
        let end = record && (await this.#waitAt(record));
        // A busy holder may close a connection. One that has ended takes none.
        if (record !== undefined && end === 'unheard') end = await this.#waitAt(record);
        if (end !== 'left' && (await this.#isTurn(place, number))) await this.#keep(place, number + 1);
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

  /**
   * Waits at a holder, until it is gone or is stopped, or nothing waits here for a moment.
   *
   * @returns `left` if it may have the desk still; `unheard` if none listens
   */
  async #waitAt(record: HolderRecord): Promise<'gone' | 'left' | 'unheard'> {
    const stop = new AbortController();
    let silence: NodeJS.Timeout | undefined;
    const receive = (line?: Line) => {
      clearTimeout(silence);
      silence = setTimeout(() => stop.abort(), SILENCE_MS);
      if (line !== undefined && 'next' in line) this.#next = line.next;
    };
    const introduction = (): Line => ({ process: this.process, items: this.#own });
    receive();
    let send: ((line: Line) => void) | undefined;
    this.#announce = () => {
      if (this.#own.length === 0) stop.abort('left');
      else send?.(introduction());
    };
    // It has ended, or is stopped: the caller of this looks for the next holder.
    const greeting = await greet(record, introduction(), readHolderLine, stop.signal).catch(() => undefined);
    if (greeting !== undefined) {
      const { answer, socket } = greeting;
      send = exchangeLines(socket, (message) => receive(readLine(message)));
      stop.signal.addEventListener('abort', () => socket.destroy());
      this.isWaiting = true;
      receive(answer);
      this.#announce();
      this.onChange();
      // Not `once`, which rejects after an error.
      if (!socket.closed) await new Promise((resolve) => socket.once('close', resolve));
    }
    clearTimeout(silence);
    this.#announce = () => {};
    this.isWaiting = false;
    if (stop.signal.reason === 'left') return 'left';
    return greeting === undefined ? 'unheard' : 'gone';
  }

  /**
   * Waits until the process that the last holder named had the time to take the desk.
   *
   * @returns false if a process did
   */
  async #isTurn(place: HolderPlace, number: number): Promise<boolean> {
    const isNamed = this.#next === '' || this.#next === this.process;
    const until = performance.now() + (isNamed ? 0 : TURN_MS);
    while (this.#isWanted() && latestRecord(place).number === number) {
      if (performance.now() >= until) return true;
      await delay(LOOK_INTERVAL_MS);
    }
    return false;
  }

  /** Takes the desk, if no other process is faster, until it is passed on or no one wants it. */
  async #keep(place: HolderPlace, number: number): Promise<void> {
    const peers = new Set<Peer>();
    const ended = Promise.withResolvers<void>();
    let isOver = false;
    /** Names who follows. */
    const report = () => {
      const waiting = [...peers].flatMap(({ items }) => items);
      this.#next = inOrder(waiting)[0]?.process ?? '';
      for (const { send } of peers) send({ next: this.#next });
    };
    const end = () => {
      report();
      this.#hold = undefined;
      ended.resolve();
      this.onChange();
    };
    const hold: Hold = { peers, end };
    const changed = () => {
      if (this.#hold === hold) this.onChange();
    };
    const welcome = (introduction: object, socket: Socket) => {
      // It came too late, and looks for the next holder at once.
      if (isOver) return void socket.destroy();
      const receive = (line: Line | undefined) => {
        if (line === undefined || !('items' in line)) return;
        peer.items = line.items;
        changed();
        report();
      };
      const send = exchangeLines(socket, (message) => receive(readLine(message)));
      const peer: Peer = { socket, items: [], send };
      peers.add(peer);
      socket.on('close', () => {
        peers.delete(peer);
        changed();
      });
      receive(readLine(introduction));
    };
    const holding = await holdPlace(place, number, { accept: welcome });
    if (holding !== undefined && !this.#isDisposed) {
      this.#hold = hold;
      const heartbeat = setInterval(() => {
        report();
        // Another process took the desk while this one was stopped.
        if (!holding.isLatest()) end();
      }, HEARTBEAT_MS);
      heartbeat.unref();
      this.onChange();
      await ended.promise;
      clearInterval(heartbeat);
    }
    isOver = true;
    holding?.stop();
    for (const { socket } of peers) socket.destroySoon();
  }
}

/** The screen of one user. One process at a time may show a popup on it. */
export type Desk = Pick<SharedDesk, keyof SharedDesk>;

function readHolderLine(text: string): Line | undefined {
  const message = parseObject(text);
  return message && readLine(message);
}
