import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import {
  type DBusMessage,
  type DBusValue,
  decodeMessage,
  encodeMessage,
  ERROR,
  METHOD_CALL,
  METHOD_RETURN,
  SIGNAL,
} from './message.ts';

const BUS = 'org.freedesktop.DBus';
const BUS_PATH = '/org/freedesktop/DBus';
/** On a busy machine a process gets its turn late. */
const ANSWER_TIMEOUT_MS = 5000;
/** The specification's limit of a message. */
const MAX_BYTES = 128 * 1024 * 1024;

/** A method of an object on the bus. */
export interface DBusMethod {
  readonly destination: string;
  readonly path: string;
  readonly interface: string;
  readonly member: string;
}

/** A client connection to the session bus. It keeps the process alive only while a call waits for its answer. */
export class DBusConnection implements Disposable {
  readonly #socket: Socket;
  readonly #calls = new Map<number, PromiseWithResolvers<readonly DBusValue[]>>();
  #serial = 0;
  #bytes = Buffer.alloc(0);
  /** Called for each signal that `listen` asked for, or that is for this connection only. */
  onSignal: (signal: DBusMessage) => void = () => undefined;
  onClose: () => void = () => undefined;

  /** @param socket after the handshake */
  constructor(socket: Socket) {
    this.#socket = socket;
    socket.unref();
    socket.on('data', (chunk: Buffer) => this.#receive(chunk));
    socket.on('error', () => undefined);
    socket.on('close', () => {
      for (const call of this.#calls.values())
        call.reject(new Error('the session bus closed the connection'));
      this.#calls.clear();
      this.onClose();
    });
  }

  get isOpen(): boolean {
    return !this.#socket.destroyed;
  }

  /**
   * Calls a method.
   *
   * @param signature types of the arguments
   * @throws Error with the text of the bus or of the program that answers
   */
  async call(
    method: DBusMethod,
    signature = '',
    body: readonly DBusValue[] = [],
  ): Promise<readonly DBusValue[]> {
    if (!this.isOpen) throw new Error('the session bus closed the connection');
    this.#serial += 1;
    const serial = this.#serial;
    const call = Promise.withResolvers<readonly DBusValue[]>();
    this.#calls.set(serial, call);
    this.#socket.ref();
    this.#socket.write(encodeMessage({ ...method, type: METHOD_CALL, serial, signature, body }));
    const late = () => call.reject(new Error(`no answer within ${ANSWER_TIMEOUT_MS} ms`));
    const timer = setTimeout(late, ANSWER_TIMEOUT_MS);
    try {
      return await call.promise;
    } finally {
      clearTimeout(timer);
      this.#calls.delete(serial);
      if (this.#calls.size === 0) this.#socket.unref();
    }
  }

  /** Asks for the signals of an interface. */
  async listen(interfaceName: string): Promise<void> {
    await this.call(busMethod('AddMatch'), 's', [`type='signal',interface='${interfaceName}'`]);
  }

  [Symbol.dispose](): void {
    this.#socket.destroy();
  }

  #receive(chunk: Buffer): void {
    this.#bytes = Buffer.concat([this.#bytes, chunk]);
    try {
      for (let next = decodeMessage(this.#bytes); next !== undefined; next = decodeMessage(this.#bytes)) {
        this.#bytes = this.#bytes.subarray(next.length);
        this.#handle(next.message);
      }
      if (this.#bytes.length > MAX_BYTES) this.#socket.destroy();
    } catch {
      // Not D-Bus: the bus would close the connection too.
      this.#socket.destroy();
    }
  }

  #handle(message: DBusMessage): void {
    const { type, replyTo = 0, body, errorName = 'unknown error' } = message;
    // The answer that came before it reaches its caller first.
    if (type === SIGNAL) setImmediate(() => this.onSignal(message));
    if (type === METHOD_RETURN) this.#calls.get(replyTo)?.resolve(body);
    if (type === ERROR) this.#calls.get(replyTo)?.reject(new Error(String(body[0] ?? errorName)));
  }
}

/**
 * Connects to the session bus.
 *
 * @throws Error if no bus answers there
 */
export async function connectDBus({ address, userId }: SessionBus): Promise<DBusConnection> {
  const path = busSocket(address);
  if (path === undefined) throw new Error(`the session bus ${address} is not a Unix socket`);
  const socket = connect({ path });
  const signal = AbortSignal.timeout(ANSWER_TIMEOUT_MS);
  try {
    await once(socket, 'connect', { signal });
    const id = Buffer.from(String(userId)).toString('hex');
    socket.write(`\0AUTH EXTERNAL ${id}\r\n`);
    const [answer] = await once(socket, 'data', { signal });
    if (!String(answer).startsWith('OK')) throw new Error('the session bus refuses this user');
    socket.write('BEGIN\r\n');
    const connection = new DBusConnection(socket);
    await connection.call(busMethod('Hello'));
    return connection;
  } catch (error) {
    socket.on('error', () => undefined).destroy();
    throw error;
  }
}

/** The session bus of a freedesktop session, on which a notification daemon answers. */
export interface SessionBus {
  /** As `DBUS_SESSION_BUS_ADDRESS` has it. */
  readonly address: string;
  /** As `os.userInfo()` gives it. */
  readonly userId: number;
}

/**
 * Finds the session bus. Most clients start servers without the variable that names it.
 *
 * @param userId undefined or -1 if the platform has no user ids
 */
export function sessionBus(
  env: Readonly<Record<string, string | undefined>>,
  userId = -1,
  exists: (path: string) => boolean = existsSync,
): SessionBus | undefined {
  const runtime = env['XDG_RUNTIME_DIR'] || (userId === -1 ? undefined : `/run/user/${userId}`);
  const usual = runtime === undefined || !exists(`${runtime}/bus`) ? undefined : `unix:path=${runtime}/bus`;
  const address = env['DBUS_SESSION_BUS_ADDRESS'] || usual;
  if (address === undefined || busSocket(address) === undefined) return undefined;
  return { address, userId: Math.max(0, userId) };
}

/** @returns the path of a Unix socket, which begins with a NUL if it is abstract; undefined for another kind */
export function busSocket(address: string): string | undefined {
  for (const each of address.split(';')) {
    const [, name, value = ''] = /^unix:(?:.*,)?(path|abstract)=([^,]+)/.exec(each) ?? [];
    if (name !== undefined) return `${name === 'abstract' ? '\0' : ''}${unescaped(value)}`;
  }
  return undefined;
}

function unescaped(value: string): string {
  return value.replaceAll(/%([0-9a-f]{2})/gi, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
}

function busMethod(member: string): DBusMethod {
  return { destination: BUS, path: BUS_PATH, interface: BUS, member };
}
