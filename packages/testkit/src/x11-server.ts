import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';

interface Monitor {
  readonly name: string;
  readonly isPrimary: boolean;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export interface X11ServerOptions {
  /** The cookie that a client must send. Default: none. */
  readonly cookie?: Buffer;
  /** Undefined: the server has no RandR extension. */
  readonly monitors?: readonly Monitor[];
  readonly pointer?: { readonly x: number; readonly y: number };
  /** Milliseconds since the last input. Undefined: the server has no screen saver extension. */
  idleMs?: number;
  /** True: the server draws on a Wayland compositor. */
  readonly isXwayland?: boolean;
  /** True: a window manager has announced itself. */
  readonly hasWindowManager?: boolean;
  /** Listens on this Unix socket. Default: on TCP. */
  readonly socket?: string;
  /** Bytes per write, to split packets. Default: whole packets. */
  readonly chunkBytes?: number;
  /** Until it accepts a client, as on a busy machine. Default: at once. */
  readonly acceptsAfterMs?: number;
}

export type FakeX11Server = Awaited<ReturnType<typeof startX11Server>>;

export const ROOT = 0x1_23;
const RANDR_OPCODE = 140;
const SCREEN_SAVER_OPCODE = 141;
const XWAYLAND_OPCODE = 142;
const WINDOW_MANAGER = 0x4_56;

/** An X server that answers just the requests of our client. */
export async function startX11Server(options: X11ServerOptions = {}) {
  const atoms: string[] = [];
  /** Client messages to the root window: the name of the type, the window and five numbers or atom names. */
  const messages: [string, number, ...(number | string)[]][] = [];
  let windows: ReadonlyMap<number, string> = new Map();
  let active: number | undefined;
  const sockets = new Set<Socket>();
  let screenSaverQuestions = 0;

  const server = createServer({ noDelay: true }, (socket) => {
    sockets.add(socket);
    let input = Buffer.alloc(0);
    let sequence = -1;
    socket.on('data', (chunk) => {
      input = Buffer.concat([input, chunk]);
      for (;;) {
        const length = sequence < 0 ? setupLength(input) : 4 * uint16(input, 2, 1);
        if (input.length < 4 || input.length < length) return;
        const request = input.subarray(0, length);
        input = input.subarray(length);
        const isSetup = sequence < 0;
        const reply = isSetup ? setupReply(request) : replyTo(request);
        sequence += 1;
        if (reply === undefined) continue;
        if (!isSetup) reply.writeUInt16LE(sequence & 0xff_ff, 2);
        if (isSetup && options.acceptsAfterMs !== undefined)
          setTimeout(() => write(socket, reply), options.acceptsAfterMs);
        else write(socket, reply);
      }
    });
    socket.on('error', () => undefined);
    socket.on('close', () => sockets.delete(socket));
  });

  function write(socket: Socket, bytes: Buffer): void {
    const size = options.chunkBytes ?? bytes.length;
    for (let offset = 0; offset < bytes.length; offset += size) {
      socket.write(bytes.subarray(offset, offset + size));
    }
  }

  function sendEvent(): void {
    const event = Buffer.alloc(32);
    event[0] = 28;
    for (const socket of sockets) write(socket, event);
  }

  function setupReply(request: Buffer): Buffer {
    const nameLength = uint16(request, 6);
    const start = 12 + 4 * Math.ceil(nameLength / 4);
    const cookie = request.subarray(start, start + uint16(request, 8));
    if (!cookie.equals(options.cookie ?? Buffer.alloc(0))) return Buffer.from([0, 0, 11, 0, 0, 0, 0, 0]);
    // 40 bytes, the vendor's name, two formats and the first screen.
    const reply = Buffer.alloc(40 + 8 + 16 + 40);
    reply[0] = 1;
    reply.writeUInt16LE((reply.length - 8) / 4, 6);
    reply.writeUInt16LE('vendor'.length, 24);
    reply[29] = 2;
    reply.write('vendor', 40);
    reply.writeUInt32LE(ROOT, 64);
    return reply;
  }

  function replyTo(request: Buffer): Buffer | undefined {
    switch (request[0]) {
      case 16: {
        const name = request.toString('latin1', 8, 8 + uint16(request, 4));
        if (!atoms.includes(name)) atoms.push(name);
        return reply({ 8: 100 + atoms.indexOf(name) });
      }
      case 20:
        return property(request.readUInt32LE(4), request.readUInt32LE(8));
      case 25: {
        const [window, type, ...data] = [16, 20, 24, 28, 32, 36, 40].map((at) => request.readUInt32LE(at));
        messages.push([String(nameOf(type ?? 0)), window ?? 0, ...data.map(nameOf)]);
        return undefined;
      }
      case 38: {
        const { x = 0, y = 0 } = options.pointer ?? {};
        return reply({ 16: x | (y << 16) });
      }
      case 98: {
        const opcode = extensionOpcode(request.toString('latin1', 8, 8 + uint16(request, 4)));
        return reply({ 8: opcode === undefined ? 0 : 1 | (opcode << 8) });
      }
      case RANDR_OPCODE:
        return request[1] === 0 ? reply({}) : monitorsReply();
      case SCREEN_SAVER_OPCODE:
        screenSaverQuestions += 1;
        return reply({ 16: options.idleMs ?? 0 });
      // The size and the place of a window. Error 3: the window no longer exists.
      case 14:
      case 40:
        return errorPacket(3);
      default:
        return undefined;
    }
  }

  function extensionOpcode(name: string): number | undefined {
    if (name === 'RANDR' && options.monitors !== undefined) return RANDR_OPCODE;
    if (name === 'MIT-SCREEN-SAVER' && options.idleMs !== undefined) return SCREEN_SAVER_OPCODE;
    return name === 'XWAYLAND' && options.isXwayland === true ? XWAYLAND_OPCODE : undefined;
  }

  function nameOf(number: number): number | string {
    return atoms[number - 100] ?? number;
  }

  function property(window: number, name: number): Buffer {
    const values: Readonly<Record<number | string, readonly number[]>> = {
      _NET_SUPPORTING_WM_CHECK: options.hasWindowManager === true ? [WINDOW_MANAGER] : [],
      _NET_ACTIVE_WINDOW: active === undefined ? [] : [active],
      _NET_CLIENT_LIST: [...windows.keys()],
    };
    const value = values[nameOf(name)];
    if (value !== undefined) return propertyReply(numbers(value), 32);
    const windowClass = name === 67 ? windows.get(window) : undefined;
    // Error 3: the window no longer exists.
    if (windowClass === undefined) return errorPacket(3);
    return propertyReply(Buffer.from(`instance\0${windowClass}\0`), 8);
  }

  function monitorsReply(): Buffer {
    const monitors = options.monitors ?? [];
    const body = monitors.map(({ isPrimary, x, y, width, height }) => {
      // One output each.
      const bytes = Buffer.alloc(28);
      bytes[4] = isPrimary ? 1 : 0;
      bytes.writeUInt16LE(1, 6);
      bytes.writeInt16LE(x, 8);
      bytes.writeInt16LE(y, 10);
      bytes.writeUInt16LE(width, 12);
      bytes.writeUInt16LE(height, 14);
      return bytes;
    });
    return reply({ 12: monitors.length }, Buffer.concat(body));
  }

  if (options.socket === undefined) server.listen(0, '127.0.0.1');
  else server.listen(options.socket);
  await once(server, 'listening');
  return {
    /** For `DISPLAY`. */
    display: displayOf(server.address()),
    messages,
    /** Clients that are connected now. */
    clients: () => sockets.size,
    /** How often a client asked for the time of the last input. */
    screenSaverQuestions: () => screenSaverQuestions,
    /** Gives the keyboard to a window. */
    activate(window: number) {
      active = window;
    },
    /** Maps windows with their classes, and reports the change to the client. */
    mapWindows(mapped: ReadonlyMap<number, string>) {
      windows = mapped;
      sendEvent();
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

function displayOf(address: AddressInfo | string | null): string {
  if (address === null) throw new Error('the server does not listen');
  if (typeof address !== 'string') return `127.0.0.1:${address.port - 6000}`;
  return `:${/\d+$/.exec(address)?.[0]}`;
}

function setupLength(input: Buffer): number {
  if (input.length < 12) return 12;
  return 12 + 4 * Math.ceil(uint16(input, 6) / 4) + 4 * Math.ceil(uint16(input, 8) / 4);
}

function uint16(bytes: Buffer, offset: number, fallback = 0): number {
  return bytes.length < offset + 2 ? fallback : bytes.readUInt16LE(offset);
}

/** @param words 32-bit numbers by their offset */
function reply(words: Readonly<Record<number, number>>, body: Buffer = Buffer.alloc(0)): Buffer {
  const head = Buffer.alloc(32);
  head[0] = 1;
  head.writeUInt32LE(Math.ceil(body.length / 4), 4);
  for (const [offset, word] of Object.entries(words)) head.writeUInt32LE(word >>> 0, Number(offset));
  return Buffer.concat([head, body, Buffer.alloc((4 - (body.length % 4)) % 4)]);
}

function numbers(values: readonly number[]): Buffer {
  return Buffer.from(Uint32Array.from(values).buffer);
}

function propertyReply(value: Buffer, format: 8 | 32): Buffer {
  const bytes = reply({ 16: (8 * value.length) / format }, value);
  bytes[1] = format;
  return bytes;
}

function errorPacket(code: number): Buffer {
  const bytes = Buffer.alloc(32);
  bytes[1] = code;
  return bytes;
}
