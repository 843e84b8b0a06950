import { Readable, Writable } from 'node:stream';
import type { Command } from '@deskside/core/program';

interface Given {
  readonly flags?: Readonly<Record<string, string | boolean>>;
  readonly operands?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly input?: string;
  /** Columns of a terminal. Default: the output is a pipe. */
  readonly terminal?: number;
}

/** Runs a command in this process. */
export async function runCommand(
  command: Command,
  { flags = {}, operands = [], env = {}, input = '', terminal }: Given,
): Promise<{ readonly code: number; readonly stdout: string; readonly stderr: string }> {
  const written = { stdout: '', stderr: '' };
  const output = new Writable({
    write(chunk: Buffer, _encoding, done) {
      written.stdout += chunk.toString();
      done();
    },
  });
  const write = (text: string) => void (written.stderr += text);
  const code = await command.run(flags, {
    operands,
    env,
    input: Readable.from([input]),
    output: Object.assign(output, terminal === undefined ? {} : { isTTY: true, columns: terminal }),
    closed: new AbortController().signal,
    print: (line) => void (written.stdout += `${line}\n`),
    note: (line) => write(`${line}\n`),
    write,
  });
  return { code: code ?? 0, ...written };
}
