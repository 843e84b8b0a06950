import type { Command, Flags } from '@deskside/core/program';
import { StartError, UserError } from '@deskside/core/errors';
import { type PersonsSession, personsSession } from '@deskside/notify-popup';
import { recordedContext } from '@deskside/testkit';
import type { Self } from '@deskside/connect';

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
  /** Of the terminal that stdout is. */
  readonly columns?: number;
  /** Where the person is logged in. Default: at no screen. */
  readonly session?: PersonsSession;
  /** What the person types, if stdout is a terminal: at once, or when the command asks for it. */
  readonly typed?: string | (() => Promise<string>) | ((stdout: () => string) => AsyncIterable<string>);
}

/** Runs a command in this process, as its program does. */
export async function runCommand(command: Command, options: RunOptions = {}): Promise<Ran> {
  const { flags = {}, operands = [], env = {}, typed, session, columns } = options;
  const { find } = personsSession;
  personsSession.find = async () => session;
  const isTTY = typed !== undefined || columns !== undefined;
  const recorded = recordedContext({ isTTY, ...(columns !== undefined && { columns }) });
  const { written, note } = recorded;
  const ran = (code: number): Ran => ({ code, stdout: written.output, stderr: written.notes });
  const context = {
    ...recorded,
    operands,
    // Another program may use the usual port.
    env: { DISPLAY: '', DESKSIDE_PORT: '0', ...env },
    input: Object.assign(
      (async function* type() {
        const chunks = typeof typed === 'function' ? typed(() => written.output) : (typed ?? '');
        if (typeof chunks === 'object' && Symbol.asyncIterator in chunks) yield* chunks;
        else yield await chunks;
      })(),
      { isTTY: typed !== undefined },
    ),
  };
  try {
    return ran((await command.run(flags, context)) ?? 0);
  } catch (error) {
    if (UserError.is(error)) note(error.sentence());
    else if (error instanceof StartError) note(error.message);
    else throw error;
    return ran(1);
  } finally {
    personsSession.find = find;
  }
}
