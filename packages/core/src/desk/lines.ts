import type { Socket } from 'node:net';
import { isObject } from '../base/values.ts';

const LINE_FEED = 0x0a;

/** Of one line between a holder and another process. */
const MAX_LINE_BYTES = 1024 * 1024;

/** Splits a byte stream into lines, without their line feeds. */
export class Lines {
  #chunks: Buffer[] = [];
  #pendingBytes = 0;

  /** Of the line whose end has not come. */
  get pendingBytes(): number {
    return this.#pendingBytes;
  }

  *split(chunk: Buffer): Generator<string> {
    let rest = chunk;
    for (let end = rest.indexOf(LINE_FEED); end !== -1; end = rest.indexOf(LINE_FEED)) {
      this.#chunks.push(rest.subarray(0, end));
      rest = rest.subarray(end + 1);
      const line = Buffer.concat(this.#chunks).toString('utf8');
      this.#chunks = [];
      this.#pendingBytes = 0;
      yield line;
    }
    if (rest.length === 0) return;
    this.#chunks.push(rest);
    this.#pendingBytes += rest.length;
  }
}

/**
 * Reads the first line of a connection. Afterwards the socket is paused, and what came behind the line is still to be
 * read.
 *
 * @returns undefined if the connection ends before, or if the line is longer than 1 MiB
 */
export function firstLine(socket: Socket): Promise<string | undefined> {
  return new Promise((resolve) => {
    let received: Buffer = Buffer.alloc(0);
    const settle = (line: string | undefined) => {
      socket.off('data', read).off('close', gone);
      resolve(line);
    };
    const gone = () => settle(undefined);
    const read = (chunk: Buffer) => {
      received = received.length === 0 ? chunk : Buffer.concat([received, chunk]);
      const length = received.indexOf(LINE_FEED);
      const isTooLong = (length === -1 ? received.length : length) > MAX_LINE_BYTES;
      if (length === -1 && !isTooLong) return;
      socket.pause();
      if (isTooLong) return gone();
      if (received.length > length + 1) socket.unshift(received.subarray(length + 1));
      settle(received.toString('utf8', 0, length));
    };
    socket.on('close', gone).on('data', read);
  });
}

/**
 * Exchanges lines of JSON over a connection whose first line has been read. A line of more than 1 MiB ends the
 * connection.
 *
 * @param receive gets each line that is a JSON object
 * @returns the function that sends; it does nothing after the end of the connection
 */
export function exchangeLines(
  socket: Socket,
  receive: (message: Readonly<Record<string, unknown>>) => void,
): (message: object) => void {
  const lines = new Lines();
  socket.on('data', (chunk: Buffer) => {
    for (const line of lines.split(chunk)) {
      const message = parseObject(line);
      if (message !== undefined) receive(message);
    }
    if (lines.pendingBytes > MAX_LINE_BYTES) socket.destroy();
  });
  socket.resume();
  return (message) => {
    if (socket.writable) sendLine(socket, message);
  };
}

export function sendLine(socket: Socket, message: object): void {
  socket.write(`${JSON.stringify(message)}\n`);
}

/** @returns undefined if the text is not a JSON object */
export function parseObject(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
