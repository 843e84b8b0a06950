import { connect, type Socket } from 'node:net';
import { firstLine, sendLine } from './lines.ts';
import type { HolderRecord } from './record.ts';

/** The holder's answer, and the connection for everything behind it. */
export interface Greeting<Answer> {
  readonly answer: Answer;
  /** Paused. */
  readonly socket: Socket;
}

/**
 * Connects to a holder and introduces itself.
 *
 * @param introduction the first line, without the secret
 * @param readAnswer returns undefined for a line that no holder sends
 * @returns undefined if no holder listens there, if it closes the connection, or if it is another program
 * @throws the signal's reason if the holder does not answer before
 */
export async function greet<Answer>(
  { address, secret }: HolderRecord,
  introduction: object,
  readAnswer: (line: string) => Answer | undefined,
  signal: AbortSignal,
): Promise<Greeting<Answer> | undefined> {
  signal.throwIfAborted();
  const socket = connect(address);
  // 'close' follows every error.
  socket.on('error', () => undefined);
  const abort = () => void socket.destroy();
  signal.addEventListener('abort', abort, { once: true });
  sendLine(socket, { ...introduction, secret });
  const line = await firstLine(socket);
  signal.removeEventListener('abort', abort);
  signal.throwIfAborted();
  const answer = line === undefined ? undefined : readAnswer(line);
  if (answer !== undefined) return { answer, socket };
  socket.destroy();
  return undefined;
}
