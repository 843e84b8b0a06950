import { connect, type Socket } from 'node:net';
import type { Hello } from './hello.ts';
import { type Answer, readAnswer } from './protocol.ts';
import type { DeskRecord } from './record.ts';

/** The desk's answer, and the connection for everything behind it. */
export interface Greeting {
  readonly answer: Answer;
  readonly socket: Socket;
}

/** A hello without what the record adds. */
export type Introduction = Hello extends infer Kind
  ? Kind extends Hello
    ? Omit<Kind, 'secret'>
    : never
  : never;

const LINE_FEED = 0x0a;

/** The longest answer is the status of a desk with many sessions. */
const MAX_ANSWER_BYTES = 1024 * 1024;

/**
 * Connects to a desk and introduces itself.
 *
 * @returns undefined if no desk listens there, if it closes the connection, or if it is another program
 * @throws the signal's reason if the desk does not answer before
 */
export function greet(
  { address, secret }: DeskRecord,
  introduction: Introduction,
  signal: AbortSignal,
): Promise<Greeting | undefined> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) {
      reject(reasonOf(signal));
      return;
    }
    const socket = connect(address);
    let received: Buffer = Buffer.alloc(0);
    const end = (settle: () => void) => {
      signal.removeEventListener('abort', abort);
      socket.off('data', read).off('close', gone);
      settle();
    };
    const abort = () => {
      end(() => reject(reasonOf(signal)));
      socket.destroy();
    };
    const gone = () => end(() => resolve(undefined));
    const read = (chunk: Buffer) => {
      received = received.length === 0 ? chunk : Buffer.concat([received, chunk]);
      const length = received.indexOf(LINE_FEED);
      if (length === -1) {
        if (received.length > MAX_ANSWER_BYTES) socket.destroy();
        return;
      }
      const answer = readAnswer(received.toString('utf8', 0, length));
      if (answer === undefined) {
        socket.destroy();
        return;
      }
      socket.pause();
      if (received.length > length + 1) socket.unshift(received.subarray(length + 1));
      end(() => resolve({ answer, socket }));
    };
    signal.addEventListener('abort', abort, { once: true });
    // 'close' follows every error.
    socket.on('error', () => undefined);
    socket.on('close', gone).on('data', read);
    socket.write(`${JSON.stringify({ ...introduction, secret })}\n`);
  });
}

function reasonOf({ reason }: AbortSignal): Error {
  return reason instanceof Error ? reason : new Error(String(reason));
}
