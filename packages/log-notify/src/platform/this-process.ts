import type { Writable } from 'node:stream';

export type Environment = Readonly<Record<string, string | undefined>>;

export function environment(): Environment {
  return process.env;
}

export interface TerminalStream extends Writable {
  readonly isTTY?: boolean;
}

/** The error output. That nobody reads it ends no process: without a listener it would. */
export function standardError(): TerminalStream {
  const { stderr } = process;
  if (!stderr.listeners('error').includes(ignore)) stderr.on('error', ignore);
  return stderr;
}

function ignore(): void {
  // Whoever writes learns it from the write.
}
