import { Readable, Writable } from 'node:stream';
import type { CommandContext } from '@deskside/core/program';

interface RecordedContext extends CommandContext {
  /** What the command printed and noted. */
  readonly written: { output: string; notes: string };
  /** The reader of the output leaves. */
  close(): void;
}

/** For a command that runs in this process. */
export function recordedContext(
  terminal: { readonly isTTY?: boolean; readonly columns?: number } = {},
): RecordedContext {
  const written = { output: '', notes: '' };
  const closing = new AbortController();
  const output = new Writable({
    write(chunk, _, done) {
      written.output += String(chunk);
      done();
    },
  });
  const note = (line: string) => {
    written.notes += `${line}\n`;
  };
  return {
    written,
    close: () => closing.abort(),
    operands: [],
    env: {},
    input: Readable.from([]),
    output: Object.assign(output, terminal),
    closed: closing.signal,
    print: (line) => void output.write(`${line}\n`),
    note,
    write: (line) => note(line.replace(/\n$/, '')),
  };
}
