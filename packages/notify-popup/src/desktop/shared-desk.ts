import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { platform } from 'node:os';
import { join } from 'node:path';
import { type Desk, type DeskItem, inOrder } from './desk.ts';
import { exchangeLines, type Line } from './desk-lines.ts';
import { type DeskRecord, latestRecord, writeRecord } from './desk-records.ts';

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
  process: string | undefined;
  items: readonly DeskItem[];
  /** It did not take the desk in time. */
  isStuck: boolean;
}

/** What a process that has the desk knows. */
interface Hold {
  readonly server: Server;
  readonly address: string;
  readonly peers: Set<Peer>;
  /** Processes that are expected to connect. While there are some, the desk goes to no other process. */
  readonly missing: Set<string>;
  /** The previous holder chose this process. */
  readonly wasGiven: boolean;
  readonly ended: PromiseWithResolvers<void>;
  number: number;
  passing: Peer | undefined;
}

/**
 * The desk of all processes of one user. The process that has it listens on a socket, and the others are connected to it
 * and say what waits with them. So the holder knows the whole queue and gives the desk to the right process, and each
 * process notices at once when the holder ends, even after kill -9. The address of the holder is in a numbered record.
 *
 * @param folder private to the user, the same for all processes of the user
 */
export function sharedDesk(folder: () => Promise<string>): Desk {
  return new SharedDesk(folder);
}

class SharedDesk implements Desk {
  #process: string | undefined;
  onChange: () => void = () => {};
  readonly #folder: () => Promise<string>;
  #own: readonly DeskItem[] = [];
  /** What waits in other processes, as the holder says. */
  #others: readonly DeskItem[] = [];
  #hold: Hold | undefined;
  #holder: Socket | undefined;
  #announce: () => void = () => {};
  #running: Promise<void> | undefined;
  #isDisposed = false;
  /** The other processes cannot be reached. */
  #isAlone = false;

  constructor(folder: () => Promise<string>) {
    this.#folder = folder;
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
    return this.#hold === undefined && this.#holder !== undefined;
  }

  get items(): readonly DeskItem[] {
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
    const hold = this.#hold;
    if (hold === undefined || !this.isOurs || hold.missing.size > 0) return;
    const [next] = this.items;
    if (next === undefined) return this.#end(hold);
    const peer = [...hold.peers].find(({ items }) => items.includes(next));
    if (peer === undefined) return;
    hold.passing = peer;
    peer.send({ take: hold.number });
    setTimeout(() => void this.#withdraw(hold, peer), TAKE_MS).unref();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isDisposed = true;
    this.#own = [];
    this.#holder?.destroy();
    if (this.#hold !== undefined) this.#end(this.#hold);
    await this.#running;
  }

  /** Runs while something waits here or the desk is ours. */
  async #run(): Promise<void> {
    try {
      const folder = await this.#folder();
      while (this.#own.length > 0 && !this.#isDisposed) {
        const latest = await latestRecord(folder);
        const holder = latest === undefined ? undefined : await connectTo(latest.address);
        const hold =
          latest === undefined || holder === undefined
            ? await this.#acquire(folder, latest, this.#missing())
            : await this.#waitAt(holder, folder, latest);
        if (hold !== undefined) await this.#keep(hold, folder);
      }
    } catch {
      // No folder, or a full disk. The popup matters more than the order of popups.
      this.#isAlone = true;
      this.onChange();
    }
    this.#running = undefined;
  }

  /** The other processes in the queue, as far as this one knows. They connect to the next holder. */
  #missing(): Set<string> {
    return new Set(this.#others.map(({ process }) => process));
  }

  /** @returns the desk if the holder gave it to this process, or is stopped; undefined if the holder is gone */
  async #waitAt(socket: Socket, folder: string, latest: DeskRecord): Promise<Hold | undefined> {
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
      silence = setTimeout(() => decide(() => this.#acquire(folder, latest, this.#missing())), SILENCE_MS);
    };
    const send = exchangeLines(socket, (line) => {
      holderWorks();
      if ('all' in line) {
        this.#others = line.all.filter(({ process }) => process !== this.process);
        this.onChange();
      }
      if (!('take' in line)) return;
      if (this.#own.length === 0) return send({ declined: true });
      decide(async () => {
        const hold = await this.#acquire(folder, { ...latest, number: line.take }, this.#missing(), true);
        if (hold !== undefined) send({ taken: true });
        return hold;
      });
    });
    this.#announce = () => {
      if (this.#own.length === 0) socket.destroy();
      else send({ process: this.process, items: this.#own });
    };
    this.#holder = socket;
    socket.once('close', () => decide(() => undefined));
    if (socket.closed) decide(() => undefined);
    holderWorks();
    this.#announce();
    const hold = await promise;
    clearTimeout(silence);
    this.#announce = () => {};
    this.#holder = undefined;
    socket.end();
    return hold;
  }

  /**
   * Takes the desk after its previous holder.
   *
   * @returns undefined if another process was faster
   */
  async #acquire(
    folder: string,
    previous: DeskRecord | undefined,
    missing: Set<string>,
    wasGiven = false,
  ): Promise<Hold | undefined> {
    const address = newAddress(folder);
    const number = (previous?.number ?? 0) + 1;
    const ended = Promise.withResolvers<void>();
    const server = createServer();
    const hold: Hold = {
      server,
      address,
      missing,
      wasGiven,
      ended,
      number,
      peers: new Set(),
      passing: undefined,
    };
    server.on('connection', (socket) => this.#welcome(hold, socket));
    server.listen(address);
    await once(server, 'listening');
    if (await writeRecord(folder, { number, address })) {
      // A killed holder leaves its socket file behind.
      if (previous !== undefined) await rm(previous.address, { force: true });
      return hold;
    }
    server.close();
    for (const { socket } of hold.peers) socket.destroy();
    return undefined;
  }

  /** Has the desk, until it is passed on or no one wants it. */
  async #keep(hold: Hold, folder: string): Promise<void> {
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
      void this.#yieldIfOvertaken(hold, folder);
    }, HEARTBEAT_MS);
    heartbeat.unref();
    this.#report(hold);
    this.onChange();
    await hold.ended.promise;
    clearTimeout(gathered);
    clearInterval(heartbeat);
  }

  /** Another process took the desk while this one was stopped. */
  async #yieldIfOvertaken(hold: Hold, folder: string): Promise<void> {
    const latest = await latestRecord(folder).catch(() => undefined);
    if (latest !== undefined && latest.number > hold.number) this.#end(hold);
  }

  #welcome(hold: Hold, socket: Socket): void {
    const peer: Peer = {
      socket,
      process: undefined,
      items: [],
      isStuck: false,
      send: exchangeLines(socket, (line) => this.#receive(hold, peer, line)),
    };
    hold.peers.add(peer);
    socket.on('close', () => {
      hold.peers.delete(peer);
      if (hold.passing === peer) hold.passing = undefined;
      this.#changed(hold);
    });
  }

  #receive(hold: Hold, peer: Peer, line: Line): void {
    if ('taken' in line && hold.passing === peer) return this.#end(hold);
    if ('declined' in line) {
      peer.items = [];
      if (hold.passing === peer) hold.passing = undefined;
    }
    if ('items' in line) {
      peer.process = line.process;
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
    const record = { number: hold.number + 1, address: hold.address };
    if (!(await writeRecord(await this.#folder(), record))) return this.#end(hold);
    hold.number = record.number;
    peer.isStuck = true;
    hold.passing = undefined;
    this.#changed(hold);
  }

  #end(hold: Hold): void {
    if (this.#hold !== hold) return;
    this.#others = this.items.filter(({ process }) => process !== this.process);
    this.#hold = undefined;
    this.#announce = () => {};
    hold.server.close();
    for (const { socket } of hold.peers) socket.destroy();
    hold.ended.resolve();
    this.onChange();
  }
}

/** @returns undefined if the holder is gone */
async function connectTo(address: string): Promise<Socket | undefined> {
  const socket = connect(address);
  // 'close' follows every error.
  socket.on('error', () => undefined);
  const connected = await new Promise<boolean>((resolve) => {
    socket.once('connect', () => resolve(true));
    socket.once('close', () => resolve(false));
  });
  return connected ? socket : undefined;
}

/** Short: the path of a Unix socket is limited to about 100 characters. */
function newAddress(folder: string): string {
  const id = randomUUID().slice(0, 13);
  return platform() === 'win32' ? String.raw`\\.\pipe\deskside-popup-${id}` : join(folder, `${id}.sock`);
}
