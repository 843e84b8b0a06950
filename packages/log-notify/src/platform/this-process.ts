import type { Writable } from 'node:stream';

export type Environment = Readonly<Record<string, string | undefined>>;

export function environment(): Environment {
  return process.env;
}

export interface TerminalStream extends Writable {
  readonly isTTY?: boolean;
}

export function standardError(): TerminalStream {
  return process.stderr;
}
