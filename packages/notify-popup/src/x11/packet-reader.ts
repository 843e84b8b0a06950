const SETUP_HEADER = 8;
const PACKET = 32;
const REPLY = 1;
const GENERIC_EVENT = 35;

/** Cuts what an X server sends into the answer to the setup and packets of 32 bytes and more. */
export class PacketReader {
  /** The root window of the first screen; undefined where the server refused. */
  readonly setup: Promise<number | undefined>;
  onPacket: (packet: Buffer) => void = () => undefined;
  readonly #resolveSetup: (root: number | undefined) => void;
  #isSetUp = false;
  #rest: Buffer = Buffer.alloc(0);

  constructor() {
    const { promise, resolve } = Promise.withResolvers<number | undefined>();
    this.setup = promise;
    this.#resolveSetup = resolve;
  }

  push(chunk: Buffer): void {
    this.#rest = Buffer.concat([this.#rest, chunk]);
    for (;;) {
      const length = this.#isSetUp ? packetLength(this.#rest) : setupLength(this.#rest);
      if (this.#rest.length < length) return;
      const packet = this.#rest.subarray(0, length);
      this.#rest = this.#rest.subarray(length);
      if (this.#isSetUp) this.onPacket(packet);
      else this.#resolveSetup(rootOf(packet));
      this.#isSetUp = true;
    }
  }
}

function setupLength(bytes: Buffer): number {
  return bytes.length < SETUP_HEADER ? SETUP_HEADER : SETUP_HEADER + 4 * bytes.readUInt16LE(6);
}

function packetLength(bytes: Buffer): number {
  if (bytes.length < PACKET) return PACKET;
  const kind = bytes.readUInt8(0) & 0x7f;
  return kind === REPLY || kind === GENERIC_EVENT ? PACKET + 4 * bytes.readUInt32LE(4) : PACKET;
}

/** After 40 bytes come the vendor's name, the formats at 8 bytes each, and the screens, root window first. */
function rootOf(setup: Buffer): number | undefined {
  if (setup.readUInt8(0) !== 1) return undefined;
  const vendor = setup.readUInt16LE(24);
  const formats = setup.readUInt8(29);
  return setup.readUInt32LE(40 + 4 * Math.ceil(vendor / 4) + 8 * formats);
}
