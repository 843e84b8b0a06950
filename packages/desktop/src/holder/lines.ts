import type { Socket } from 'node:net';
import { BoundedLines, parseObject } from '@deskside/core/base';

const LINE_FEED = 0x0a;

/** Of one line between a holder and another process. */
const MAX_LINE_BYTES = 1024 * 1024;

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
  const lines = new BoundedLines(MAX_LINE_BYTES);
  socket.on('data', (chunk: Buffer) => {
    for (const line of lines.split(chunk)) {
      if (line.kind === 'too-long') return void socket.destroy();
      const message = parseObject(line.text);
      if (message !== undefined) receive(message);
    }
    if (lines.isTooLong) socket.destroy();
  });
  socket.resume();
  return (message) => {
    if (socket.writable) sendLine(socket, message);
  };
}

export function sendLine(socket: Socket, message: object): void {
  socket.write(`${JSON.stringify(message)}\n`);
}
