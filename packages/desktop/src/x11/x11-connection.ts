import { connect, type Socket } from 'node:net';
import { getOrAdd } from '@deskside/core/base';
import { readX11Credentials, x11Address, type X11Credentials, type X11Session } from './address.ts';

const REPLY = 1;
const CLIENT_MESSAGE = 33;
const GENERIC_EVENT = 35;
const INTERN_ATOM = 16;
const QUERY_EXTENSION = 98;
const SETUP_HEADER_BYTES = 8;
const PACKET_BYTES = 32;
/** A local server answers in milliseconds, but on a busy machine in seconds. One that has ended refuses at once. */
const CONNECT_TIMEOUT_MS = 5000;

/** A client connection to an X server: requests, replies and the arrival of events, little-endian. */
export class X11Connection implements Disposable {
  /** The root window of the first screen, when the connection is set up. */
  root = 0;
  readonly #socket: Socket;
  readonly #setup = Promise.withResolvers<boolean>();
  /** A program that starts changes many properties: for each one the server would be asked twice. */
  readonly #atoms = new Map<string, Promise<number>>();
  readonly #replies = new Map<number, (packet: Buffer | undefined) => void>();
  #isSetUp = false;
  #rest: Buffer = Buffer.alloc(0);
  #sequence = 0;
  /** Called with each event that was selected, and without one when the connection ends. */
  onEvent: (event?: Buffer) => void = () => undefined;

  constructor(socket: Socket) {
    this.#socket = socket;
    socket.on('data', (chunk: Buffer) => this.#split(chunk));
    socket.on('error', () => undefined);
    socket.on('close', () => {
      this.#setup.resolve(false);
      for (const resolve of this.#replies.values()) resolve(undefined);
      this.#replies.clear();
      this.onEvent();
    });
  }

  get isOpen(): boolean {
    return !this.#socket.destroyed;
  }

  /** @returns false if the server refuses the connection, or ends it */
  setUp({ name, data }: X11Credentials): Promise<boolean> {
    this.#socket.write(setupRequest(name, data));
    return this.#setup.promise;
  }

  /** Sends a request that has no reply. */
  send(opcode: number, detail: number, body: Buffer): void {
    const header = Buffer.alloc(4);
    header.writeUInt8(opcode, 0);
    header.writeUInt8(detail, 1);
    header.writeUInt16LE(1 + body.length / 4, 2);
    this.#sequence = (this.#sequence + 1) & 0xff_ff;
    this.#socket.write(Buffer.concat([header, body]));
  }

  /** Sends a request. @returns its reply; undefined after an error or if the connection ends */
  async request(opcode: number, detail: number, body: Buffer): Promise<Buffer | undefined> {
    if (!this.isOpen) return undefined;
    this.send(opcode, detail, body);
    const { promise, resolve } = Promise.withResolvers<Buffer | undefined>();
    this.#replies.set(this.#sequence, resolve);
    return promise;
  }

  /** @returns the number that the server uses for a name */
  atom(name: string): Promise<number> {
    return getOrAdd(this.#atoms, name, () =>
      this.request(INTERN_ATOM, 0, named(name)).then((reply) => reply?.readUInt32LE(8) ?? 0),
    );
  }

  /** @returns the opcode of an extension's requests; undefined if the server does not have it */
  async extension(name: string): Promise<number | undefined> {
    const reply = await this.request(QUERY_EXTENSION, 0, named(name));
    return reply?.readUInt8(8) === 1 ? reply.readUInt8(9) : undefined;
  }

  [Symbol.dispose](): void {
    this.#socket.destroy();
  }

  /** Splits the bytes of the server into its answer to the set-up and packets of 32 bytes or more. */
  #split(chunk: Buffer): void {
    this.#rest = Buffer.concat([this.#rest, chunk]);
    for (;;) {
      const length = this.#isSetUp ? packetLength(this.#rest) : setupLength(this.#rest);
      if (this.#rest.length < length) return;
      const packet = this.#rest.subarray(0, length);
      this.#rest = this.#rest.subarray(length);
      if (this.#isSetUp) this.#receive(packet);
      else this.#begin(packet);
    }
  }

  #begin(setup: Buffer): void {
    this.#isSetUp = setup.readUInt8(0) === 1;
    if (this.#isSetUp) this.root = rootOf(setup);
    this.#setup.resolve(this.#isSetUp);
  }

  #receive(packet: Buffer): void {
    const kind = packet.readUInt8(0);
    if (kind > REPLY) return this.onEvent(packet);
    const sequence = packet.readUInt16LE(2);
    const resolve = this.#replies.get(sequence);
    this.#replies.delete(sequence);
    resolve?.(kind === REPLY ? packet : undefined);
  }
}

/** @returns undefined if no X server answers behind `DISPLAY`, or if it refuses the connection */
export async function connectX11(session: X11Session): Promise<X11Connection | undefined> {
  const address = x11Address(session);
  if (address === undefined) return undefined;
  const credentials = await readX11Credentials(session, address.displayNumber);
  const socket = connect({ ...address.connection, noDelay: true });
  const x11 = new X11Connection(socket);
  const limit = setTimeout(() => socket.destroy(), CONNECT_TIMEOUT_MS);
  // Before it is connected, it is written later.
  const isSetUp = await x11.setUp(credentials);
  clearTimeout(limit);
  if (isSetUp) return x11;
  socket.destroy();
  return undefined;
}

function setupLength(bytes: Buffer): number {
  return bytes.length < SETUP_HEADER_BYTES
    ? SETUP_HEADER_BYTES
    : SETUP_HEADER_BYTES + 4 * bytes.readUInt16LE(6);
}

function packetLength(bytes: Buffer): number {
  if (bytes.length < PACKET_BYTES) return PACKET_BYTES;
  const kind = bytes.readUInt8(0) & 0x7f;
  return kind === REPLY || kind === GENERIC_EVENT ? PACKET_BYTES + 4 * bytes.readUInt32LE(4) : PACKET_BYTES;
}

/** 40 bytes, then the vendor's name, the formats with 8 bytes each, and the screens, each with its root window first. */
function rootOf(setup: Buffer): number {
  const vendorLength = setup.readUInt16LE(24);
  const formatCount = setup.readUInt8(29);
  return setup.readUInt32LE(40 + 4 * Math.ceil(vendorLength / 4) + 8 * formatCount);
}

/** Asks for protocol version 11.0, little-endian. */
function setupRequest(authorizationName: string, authorizationData: Buffer): Buffer {
  const head = Buffer.alloc(12);
  head.write('l', 0, 'latin1');
  head.writeUInt16LE(11, 2);
  head.writeUInt16LE(authorizationName.length, 6);
  head.writeUInt16LE(authorizationData.length, 8);
  return Buffer.concat([head, padded(authorizationName), padded(authorizationData)]);
}

/** The body of a request for a name: its length, and the name. */
function named(name: string): Buffer {
  return Buffer.concat([uint32s(name.length), padded(name)]);
}

/** Text or bytes, padded to a multiple of four. */
function padded(data: string | Buffer): Buffer {
  const bytes = typeof data === 'string' ? Buffer.from(data, 'latin1') : data;
  return Buffer.concat([bytes, Buffer.alloc((4 - (bytes.length % 4)) % 4)]);
}

export function uint32s(...numbers: readonly number[]): Buffer {
  const bytes = Buffer.alloc(4 * numbers.length);
  numbers.forEach((number, index) => bytes.writeUInt32LE(number >>> 0, 4 * index));
  return bytes;
}

/** A client message with 32-bit data, for `SendEvent`. */
export function clientMessage(
  window: number,
  type: number,
  data: readonly [number, number, number, number, number],
): Buffer {
  const head = Buffer.alloc(4);
  head.writeUInt8(CLIENT_MESSAGE, 0);
  head.writeUInt8(32, 1);
  return Buffer.concat([head, uint32s(window, type, ...data)]);
}
