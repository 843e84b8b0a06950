import type { Writable } from 'node:stream';
import { CommandFailed } from './command.ts';

export interface Output {
  /** Aborted when nothing more can be written, as when the reader was `head`. */
  readonly closed: AbortSignal;
  /**
   * Resolves when all is written, or the reader has had enough.
   *
   * @throws CommandFailed where it could not be written
   */
  written(): Promise<void>;
}

/** Listens to what becomes of a command's output: without a listener, a failure would end the process. */
export function watchOutput(stream: Writable): Output {
  const closing = new AbortController();
  let failure: NodeJS.ErrnoException | undefined;
  stream.on('error', (error) => {
    failure ??= error;
    closing.abort();
  });
  return {
    closed: closing.signal,
    async written() {
      await new Promise<void>((resolve) => stream.write('', () => resolve()));
      if (failure !== undefined && failure.code !== 'EPIPE') {
        throw new CommandFailed(`the output can't be written (${failure.code ?? failure.message})`);
      }
    },
  };
}
