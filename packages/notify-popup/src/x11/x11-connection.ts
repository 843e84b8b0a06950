import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import type { Machine } from '../machine/machine.ts';
import { x11Address, x11Credentials } from './x11-address.ts';
import { PacketReader } from './packet-reader.ts';
import { padded, setupRequest } from './requests.ts';

const REPLY = 1;
const PROPERTY_NOTIFY = 28;
const INTERN_ATOM = 16;

/** A connection to an X server: requests out, replies in, little-endian. */
export class X11Connection implements Disposable {
  readonly root: number;
  readonly #socket: Socket;
  readonly #atoms = new Map<string, Promise<number>>();
  readonly #replies = new Map<number, (packet: Buffer | undefined) => void>();
  #sequence = 0;
  /** Called when a property of a window that is watched has changed. */
  onPropertyChange: () => void = () => undefined;

  constructor(socket: Socket, reader: PacketReader, root: number) {
    this.#socket = socket;
    this.root = root;
    reader.onPacket = (packet) => this.#receive(packet);
    socket.on('close', () => {
      for (const resolve of this.#replies.values()) resolve(undefined);
      this.#replies.clear();
      this.onPropertyChange();
    });
  }

  get isOpen(): boolean {
    return !this.#socket.destroyed;
  }

  /** A request that is answered by nothing. */
  send(opcode: number, detail: number, body: Buffer): void {
    const header = Buffer.alloc(4);
    header.writeUInt8(opcode, 0);
    header.writeUInt8(detail, 1);
    header.writeUInt16LE(1 + body.length / 4, 2);
    this.#sequence = (this.#sequence + 1) & 0xff_ff;
    this.#socket.write(Buffer.concat([header, body]));
  }

  /** @returns undefined where the server answered an error or went away */
  async ask(opcode: number, detail: number, body: Buffer): Promise<Buffer | undefined> {
    if (!this.isOpen) return undefined;
    this.send(opcode, detail, body);
    const { promise, resolve } = Promise.withResolvers<Buffer | undefined>();
    this.#replies.set(this.#sequence, resolve);
    return promise;
  }

  atom(name: string): Promise<number> {
    const known = this.#atoms.get(name);
    if (known !== undefined) return known;
    const body = Buffer.alloc(4);
    body.writeUInt16LE(name.length, 0);
    const atom = this.ask(INTERN_ATOM, 0, Buffer.concat([body, padded(name)])).then(
      (reply) => reply?.readUInt32LE(8) ?? 0,
    );
    this.#atoms.set(name, atom);
    return atom;
  }

  [Symbol.dispose](): void {
    this.#socket.destroy();
  }

  #receive(packet: Buffer): void {
    const kind = packet.readUInt8(0);
    if (kind > REPLY) {
      // The highest bit says that another client sent it.
      if ((kind & 0x7f) === PROPERTY_NOTIFY) this.onPropertyChange();
      return;
    }
    const sequence = packet.readUInt16LE(2);
    const resolve = this.#replies.get(sequence);
    this.#replies.delete(sequence);
    resolve?.(kind === REPLY ? packet : undefined);
  }
}

/** @returns undefined where there is no X server behind `DISPLAY`, or none that lets us in */
export async function connectX11(machine: Machine, patience = 300): Promise<X11Connection | undefined> {
  const address = x11Address(machine.env['DISPLAY']);
  if (address === undefined) return undefined;
  const credentials = await x11Credentials(machine, address.number);
  const socket = connect(address.connection);
  const signal = AbortSignal.timeout(patience);
  const reader = new PacketReader();
  socket.on('data', (chunk: Buffer) => reader.push(chunk));
  try {
    await once(socket, 'connect', { signal });
    socket.write(setupRequest(credentials.name, credentials.data));
    const refused = once(socket, 'close', { signal }).then(() => undefined);
    const root = await Promise.race([reader.setup, refused]);
    socket.on('error', () => undefined);
    if (root !== undefined) return new X11Connection(socket, reader, root);
  } catch {
    // No server there, or one that does not answer in time.
  }
  socket.on('error', () => undefined).destroy();
  return undefined;
}
