import { Writable } from 'node:stream';
import type { Command, Flags } from '@deskside/core/cli';
import { StartError, UserError } from '@deskside/core/errors';
import type { Self } from '../attach/self.ts';

/** A program that is not started again. */
export const SELF: Self = {
  version: '1.0.0',
  pid: 1,
  command: ['node', 'cli.js'],
  platform: 'linux',
  uid: process.getuid?.(),
};

export interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly flags?: Flags;
  readonly operands?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** What the person types, if stdout is a terminal: at once, or when the command asks for it. */
  readonly typed?: string | (() => Promise<string>) | ((stdout: () => string) => AsyncIterable<string>);
}

/** Runs a command in this process, as its program does. */
export async function runCommand(command: Command, options: RunOptions = {}): Promise<Ran> {
  const { flags = {}, operands = [], env = {}, typed } = options;
  const written = { stdout: '', stderr: '' };
  const output = new Writable({
    write(chunk, _, done) {
      written.stdout += String(chunk);
      done();
    },
  });
  const note = (line: string) => {
    written.stderr += `${line}\n`;
  };
  const context = {
    operands,
    // A window must not appear on the display of a developer.
    env: { DISPLAY: '', ...env },
    input: Object.assign(
      (async function* type() {
        const chunks = typeof typed === 'function' ? typed(() => written.stdout) : (typed ?? '');
        if (typeof chunks === 'object' && Symbol.asyncIterator in chunks) yield* chunks;
        else yield await chunks;
      })(),
      { isTTY: typed !== undefined },
    ),
    output: Object.assign(output, { isTTY: typed !== undefined }),
    closed: new AbortController().signal,
    print: (line: string) => void output.write(`${line}\n`),
    note,
    write: (line: string) => note(line.replace(/\n$/, '')),
  };
  try {
    return { code: (await command.run(flags, context)) ?? 0, ...written };
  } catch (error) {
    if (UserError.is(error)) note(error.sentence());
    else if (error instanceof StartError) note(error.message);
    else throw error;
    return { code: 1, ...written };
  }
}
